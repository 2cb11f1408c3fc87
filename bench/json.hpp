// Just enough JSON to print one object on one line.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace collio::bench::json {

[[nodiscard]] inline std::string quote(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    char escape[8];
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + '"';
}

[[nodiscard]] inline std::string value(const std::string& text) { return quote(text); }
[[nodiscard]] inline std::string value(const char* text) { return quote(text); }
[[nodiscard]] inline std::string value(bool truth) { return truth ? "true" : "false"; }
[[nodiscard]] inline std::string value(int number) { return std::to_string(number); }
[[nodiscard]] inline std::string value(std::int64_t number) { return std::to_string(number); }
[[nodiscard]] inline std::string value(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", number);
  return text;
}
[[nodiscard]] inline std::string value(const std::map<std::string, std::string>& pairs) {
  std::string out;
  for (const auto& [key, text] : pairs) out += (out.empty() ? "" : ", ") + quote(key) + ": " + quote(text);
  return "{" + out + "}";
}
[[nodiscard]] inline std::string value(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + quote(text);
  return "[" + out + "]";
}

/// An object built member by member.
class Object {
 public:
  template <class T>
  Object& add(const char* key, const T& member) {
    return add_raw(key, value(member));
  }
  Object& add_raw(const char* key, const std::string& member) {
    text_ += (text_.empty() ? "" : ", ") + quote(key) + ": " + member;
    return *this;
  }
  [[nodiscard]] std::string text() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

}  // namespace collio::bench::json
