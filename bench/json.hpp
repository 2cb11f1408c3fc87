// JSON as the measuring programs print it: members in the order in which they are given, numbers with nine
// digits, on one line.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

namespace collio::bench {

using json = nlohmann::ordered_json;

/// Doubles with nine digits, wherever they are in it: times have no more.
inline void shorten(json& value) {
  if (value.is_number_float() && std::isfinite(value.get<double>())) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value.get<double>());
    value = std::strtod(text, nullptr);
  } else if (value.is_structured()) {
    for (json& part : value) shorten(part);
  }
}

/// On one line. Numbers that are not finite are null; what is no UTF-8 in a text is replaced.
[[nodiscard]] inline std::string text_of(json value) {
  shorten(value);
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace collio::bench
