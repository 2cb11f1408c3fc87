// The frame of a planner's program: its options, and what a wrong one does.
#pragma once

#include <cstdio>
#include <exception>

#include "options.hpp"

namespace collio::planner {

/// The exit code of run(options); 2, and the reason, where that throws.
inline int run_program(const char* name, int argc, char** argv, int (*run)(bench::Options&)) {
  try {
    bench::Options options(argc, argv);
    return run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 2;
  }
}

}  // namespace collio::planner
