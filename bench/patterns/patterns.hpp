// The constructors of patterns, one for each row of patterns.def.
#pragma once

#include "pattern.hpp"

namespace collio::bench {

#define COLLIO_PATTERN(name, about, its_options, bytes) \
  [[nodiscard]] std::unique_ptr<Pattern> make_##name(Options& options, World world);
#include "patterns/patterns.def"

}  // namespace collio::bench
