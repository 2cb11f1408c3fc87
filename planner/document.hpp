// The planner's results as JSON.
#pragma once

#include <string>
#include <vector>

#include "json.hpp"
#include "simulate/compare.hpp"

namespace collio::planner {

using bench::json;

[[nodiscard]] json json_of(const simulate::Row& row, const machine::Topology& topology);

/// A list, one row a line.
[[nodiscard]] std::string rows_text(const std::vector<simulate::Row>& rows,
                                    const machine::Topology& topology);

}  // namespace collio::planner
