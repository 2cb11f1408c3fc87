// Values as JSON text, for the report.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdio>
#include <string>

namespace collio::mpiio {

[[nodiscard]] inline std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char ch : text) {
    const auto c = static_cast<unsigned char>(ch);
    if (ch == '"' || ch == '\\') {
      out += '\\';
      out += ch;
    } else if (c < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", c);
      out += code;
    } else {
      out += ch;
    }
  }
  return out + '"';
}

/// A number with a point, in whatever locale the program is. JSON has none that is not finite: null.
[[nodiscard]] inline std::string text_of(double value) {
  if (!std::isfinite(value)) return "null";
  char out[32];
  return {out, std::to_chars(out, out + sizeof out, value, std::chars_format::general, 9).ptr};
}

/// [a, b, c] of JSON texts.
template <class List, class Text>
[[nodiscard]] std::string json_list(const List& list, Text&& text) {
  std::string out = "[";
  for (const auto& one : list) out += (out.size() > 1 ? ", " : "") + text(one);
  return out + ']';
}

}  // namespace collio::mpiio
