// How a file is used, for as long as it is open.
#pragma once

#include <map>
#include <string>

#include "policy/hints/hints.hpp"

namespace collio::engine {

/// The same on all ranks, except the modes of a program that gives ranks different ones.
struct Settings {
  /// as asked for; what is in force is in Records
  policy::Hints hints;
  /// those hints that come from other layers' settings
  std::map<std::string, std::string> of_others;
  /// as the program opened it
  bool reads = true, writes = true;
};

}  // namespace collio::engine
