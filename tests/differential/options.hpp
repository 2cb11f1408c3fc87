// The command line of the fuzzer.
#pragma once

#include <cstdint>
#include <string>

namespace collio::differential {

struct Options {
  std::uint64_t seed = 1;
  long cases = 1000;
  long only_case = -1;
  long first = 0;  ///< of the cases
  std::int64_t max_bytes = 8192;
  bool verbose = false;
  bool shrink = false;
  bool native = true;
  bool keep_going = false;
  bool require_collio = false;
  bool faults = false;
  bool subfiles = false;
  bool independent = false;
  double minutes = 0;  ///< instead of cases; the same one again and again where one is named
  std::string directory;
  unsigned watchdog_s = 120;
};

/// Ends the program with its usage where the command line is wrong.
[[nodiscard]] Options parse(int argc, char** argv);

}  // namespace collio::differential
