// The planner's results as JSON.
#pragma once

#include <string>
#include <vector>

#include "simulate/compare.hpp"

namespace collio::bench {

/// One row as a JSON object.
[[nodiscard]] std::string row_text(const simulate::Row& row, const machine::Topology& topology);

/// Rows as a JSON list.
[[nodiscard]] std::string rows_text(const std::vector<simulate::Row>& rows, const machine::Topology& topology);

}  // namespace collio::bench
