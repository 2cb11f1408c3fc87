// A machine's numbers as JSON: {"node": {"copy_bytes_per_s": 1.5e9, ...}, "storage": {...}, "fabric":
// "rdma"}.
#pragma once

#include <string>

#include "json.hpp"
#include "simulate/model.hpp"

namespace collio::planner {

/// What the text gives; defaults for the rest. Throws UsageError that names the number and what is allowed.
[[nodiscard]] simulate::Model read_model(const std::string& text);

[[nodiscard]] bench::json json_of(const simulate::Model& model);

}  // namespace collio::planner
