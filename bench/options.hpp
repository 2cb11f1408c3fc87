// Command line of the driver: `--name value` and `--flag`. Every part takes the options it knows; what nobody
// took is an error that names it, so a misspelt option never measures something else in silence.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace collio::bench {

/// A bad argument or input file; the text names the value and what is allowed. The driver exits with
/// status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Limits {
  std::int64_t least;
  std::int64_t most;
};

class Options {
 public:
  Options(int argc, char** argv);

  [[nodiscard]] bool flag(const std::string& name);
  [[nodiscard]] std::string text(const std::string& name, const std::string& otherwise);
  [[nodiscard]] std::string required(const std::string& name);
  [[nodiscard]] std::string one_of(const std::string& name,
                                   const std::vector<std::string>& allowed);  // first: the default
  /// A whole number, with KiB, MiB, GiB allowed behind it.
  [[nodiscard]] std::int64_t number(const std::string& name, std::int64_t otherwise, Limits limits);
  [[nodiscard]] std::vector<std::string> all(const std::string& name);

  /// Throws UsageError if an option was given that nobody asked for.
  void check_all_taken() const;
  /// What was asked for and its value, defaults included, for the report.
  [[nodiscard]] const std::map<std::string, std::string>& in_force() const { return in_force_; }

 private:
  [[nodiscard]] const std::string* find(const std::string& name);

  std::map<std::string, std::vector<std::string>> given_;
  std::set<std::string> taken_;
  std::map<std::string, std::string> in_force_;
};

/// "4MiB" -> 4194304. Throws UsageError naming `name`.
[[nodiscard]] std::int64_t parse_size(const std::string& name, const std::string& text);

}  // namespace collio::bench
