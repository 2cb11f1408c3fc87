// Two-phase I/O as published and as ROMIO has it, in virtual time: all ranks exchange with all aggregators, a
// round at a time, and an aggregator writes before the next round begins. With local aggregators (Kang et
// al., TPDS 2020): the ranks of a node hand theirs to them first.
//
// The hint collio_domains=aligned gives writes contiguous domains, as ROMIO has them on GPFS.
//
// A receiver that expects n messages from named ranks searches its list for each: o_r n + t_m n^2 / 2.
#pragma once

#include "simulate/call.hpp"

namespace collio::simulate {

/// How ROMIO is set up.
struct Published {
  /// 0: writes a stripe each, reads one a node, as on Lustre
  int aggregators = 0;
  /// in all; 0: ranks send themselves
  int local_aggregators = 0;
  /// of a sender and a window that are looked at: rounds are alike
  std::int64_t most_pairs = 8 << 20;
};

/// Cost: O(min(all, most_pairs) pairs of a rank and a window), with a sort of each round's.
[[nodiscard]] Outcome run_published(const CallSetting& setting, const policy::Digest& digest,
                                    const Published& published);

}  // namespace collio::simulate
