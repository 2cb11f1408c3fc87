// See automatic_hints.hpp.
#include "policy/hints/automatic_hints.hpp"

#include <vector>

#include "policy/hints/hints.hpp"

namespace collio::policy {

std::string automatic_text(const std::map<std::string, std::string>& pairs, std::size_t most) {
  std::string text;
  for (const auto& [key, value] : pairs) {
    const std::string pair = (text.empty() ? "" : ";") + key + "=" + value;
    if (value.find(';') == std::string::npos && text.size() + pair.size() <= most) text += pair;
  }
  return text;
}

std::map<std::string, std::string> chosen_hints(std::map<std::string, std::string> given) {
  const auto mark = given.extract(std::string(automatic_key));
  if (!mark) return given;
  std::vector<std::string> none;
  for (const auto& [key, value] : split_hints(mark.mapped(), none))
    if (const auto found = given.find(key); found != given.end() && found->second == value)
      given.erase(found);
  return given;
}

}  // namespace collio::policy
