#include "options.hpp"

#include <charconv>
#include <limits>

namespace collio::bench {

std::int64_t parse_size(const std::string& name, const std::string& text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const std::string suffix(rest, end);
  std::int64_t unit = 1;
  if (suffix == "KiB" || suffix == "k" || suffix == "K")
    unit = std::int64_t{1} << 10;
  else if (suffix == "MiB" || suffix == "m" || suffix == "M")
    unit = std::int64_t{1} << 20;
  else if (suffix == "GiB" || suffix == "g" || suffix == "G")
    unit = std::int64_t{1} << 30;
  else if (!suffix.empty())
    unit = 0;
  if (error != std::errc{} || unit == 0 || value > std::numeric_limits<std::int64_t>::max() / unit ||
      value < 0)
    throw UsageError("--" + name + " is '" + text + "'; allowed: a whole number, KiB, MiB or GiB may follow");
  return value * unit;
}

Options::Options(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--", 0) != 0) throw UsageError("argument '" + word + "': options start with --");
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    std::string value;
    if (equals != std::string::npos)
      value = word.substr(equals + 1);
    else if (i + 1 < argc && std::string(argv[i + 1]).rfind("--", 0) != 0)
      value = argv[++i];
    given_[name].push_back(value);
  }
}

const std::string* Options::find(const std::string& name) {
  taken_.insert(name);
  const auto found = given_.find(name);
  return found == given_.end() ? nullptr : &found->second.back();
}

bool Options::flag(const std::string& name) {
  const std::string* value = find(name);
  if (value != nullptr && !value->empty())
    throw UsageError("--" + name + " takes no value, but '" + *value + "' follows");
  if (value != nullptr) in_force_[name] = "true";
  return value != nullptr;
}

std::string Options::text(const std::string& name, const std::string& otherwise) {
  const std::string* value = find(name);
  return in_force_[name] = value != nullptr ? *value : otherwise;
}

std::string Options::required(const std::string& name) {
  const std::string value = text(name, "");
  if (value.empty()) throw UsageError("--" + name + " is missing");
  return value;
}

std::string Options::one_of(const std::string& name, const std::vector<std::string>& allowed) {
  const std::string value = text(name, allowed.front());
  std::string list;
  for (const std::string& word : allowed) {
    if (value == word) return value;
    list += (list.empty() ? "" : ", ") + word;
  }
  throw UsageError("--" + name + " is '" + value + "'; allowed: " + list);
}

std::int64_t Options::number(const std::string& name, std::int64_t otherwise, Limits limits) {
  const std::int64_t value = parse_size(name, text(name, std::to_string(otherwise)));
  if (value < limits.least || value > limits.most)
    throw UsageError("--" + name + " is " + std::to_string(value) +
                     "; allowed: " + std::to_string(limits.least) + " to " + std::to_string(limits.most));
  in_force_[name] = std::to_string(value);
  return value;
}

std::vector<std::string> Options::all(const std::string& name) {
  taken_.insert(name);
  const auto found = given_.find(name);
  return found == given_.end() ? std::vector<std::string>{} : found->second;
}

void Options::check_all_taken() const {
  for (const auto& [name, values] : given_)
    if (!taken_.contains(name)) throw UsageError("--" + name + " is no option of this pattern; see --list");
}

}  // namespace collio::bench
