#include "options.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace collio::differential {
namespace {

[[noreturn]] void usage() {
  std::fprintf(
      stderr,
      "usage: collio_fuzz [--cases N] [--first K] [--seed S] [--max-bytes B] [--case K] [--dir DIR] "
      "[--watchdog SECONDS] "
      "[--no-native] [--shrink] [--keep-going] [--require-collio] [--faults] [--subfiles] [--independent] "
      "[--minutes M] [--verbose]\n");
  std::exit(2);
}

bool parse_flag(Options& options, const std::string& key) {
  if (key == "--verbose") return options.verbose = true;
  if (key == "--shrink") return options.shrink = true;
  if (key == "--keep-going") return options.keep_going = true;
  if (key == "--require-collio") return options.require_collio = true;
  if (key == "--faults") return options.faults = true;
  if (key == "--subfiles") return options.subfiles = true;
  if (key == "--independent") return options.independent = true;
  if (key == "--no-native") return !(options.native = false);
  return false;
}

}  // namespace

Options parse(int argc, char** argv) {
  Options options;
  const char* shared = "/dev/shm";
  struct statvfs room {};
  const bool has_room =
      access(shared, W_OK) == 0 && statvfs(shared, &room) == 0 && room.f_bavail * room.f_frsize >= 256 << 20;
  options.directory = has_room ? shared : std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "/tmp";
  for (int i = 1; i < argc; ++i) {
    const std::string key = argv[i];
    if (parse_flag(options, key)) continue;
    if (i + 1 == argc) usage();
    const char* value = argv[++i];
    if (key == "--cases")
      options.cases = std::atol(value);
    else if (key == "--seed")
      options.seed = std::strtoull(value, nullptr, 10);
    else if (key == "--first")
      options.first = std::max(0L, std::atol(value));
    else if (key == "--case")
      options.only_case = std::atol(value);
    else if (key == "--max-bytes")
      options.max_bytes = std::max(16L, std::atol(value));
    else if (key == "--minutes")
      options.minutes = std::atof(value);
    else if (key == "--dir")
      options.directory = value;
    else if (key == "--watchdog")
      options.watchdog_s = static_cast<unsigned>(std::atol(value));
    else
      usage();
  }
  if (options.faults && options.independent) usage();
  return options;
}

}  // namespace collio::differential
