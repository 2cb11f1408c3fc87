// Views for all ranks of a communicator, disjoint by construction where they are written through.
#pragma once

#include <string>
#include <vector>

#include "random.hpp"
#include "types.hpp"

namespace collio::differential {

/// One rank's view and the part [begin, end) of its data stream (bytes, whole etypes) that accesses keep to.
struct RankView {
  std::int64_t displacement = 0;
  Type filetype;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

struct Layout {
  std::string name;
  Type etype;
  std::vector<RankView> views;  // one per rank
};

struct LayoutLimits {
  std::int64_t stream_bytes = 4096;  ///< data per rank
  std::int64_t file_bytes = 65536;   ///< file range per rank, roughly
  bool plain = false;                ///< as in TypeLimits
  bool overlap = false;  ///< one rank's view may show a byte twice (only files open for reading alone)
};

/// Views through which all ranks can write at once: no byte of the file belongs to two ranks.
[[nodiscard]] Layout random_disjoint_layout(Random& random, int ranks, const LayoutLimits& limits);

/// Views for reading: any of the above, or unrelated types that overlap within and across ranks.
[[nodiscard]] Layout random_reading_layout(Random& random, int ranks, const LayoutLimits& limits);

}  // namespace collio::differential
