// See report_text.hpp. nlohmann's header is large: no other file of the report includes it.
#include "observe/report_text.hpp"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace collio::observe::report {

namespace {

using Json = nlohmann::ordered_json;

/// Seconds have no more digits than that; a line would be longer by a third.
double nine_digits(double value) {
  if (!std::isfinite(value)) return value;
  char text[32];
  const char* end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 9).ptr;
  std::from_chars(text, end, value);
  return value;
}

Json json_of(double value) { return nine_digits(value); }
Json json_of(const NameOrNull& value) { return value.name ? Json(*value.name) : Json(); }

template <class T>
Json json_of(const T& value);

template <class T>
Json json_of(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& one : values) list.push_back(json_of(one));
  return list;
}

/// Puts fields into an object: those that are there; "group/key" into an object within.
struct Put {
  Json& object;

  template <class T>
  void operator()(const std::string& key, const T& value) const {
    object[Json::json_pointer('/' + key)] = json_of(value);
  }
  template <class T>
  void operator()(const std::string& key, const Maybe<T>& value) const {
    if (value) (*this)(key, *value);
  }
};

template <class T>
Json json_of(const T& value) {
  if constexpr (is_record<T>) {
    Json object = Json::object();
    each_field(value, Put{object});
    return object;
  } else {
    return value;
  }
}

}  // namespace

std::string text_of(const File& file) {
  return json_of(file).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace collio::observe::report
