// Steps that the ranks of a file in subfiles take together.
#pragma once

#include <cstdint>
#include <span>

#include "engine/file/file.hpp"
#include "storage/subfiles/set.hpp"

namespace collio::engine {

inline storage::SubfileShare share_of(const File& file) { return {file.rank, file.size}; }

/// The worst of the ranks' errors, in the words of a rank that has it: they name the subfile. `most`: of each
/// number the ranks' maximum. Collective.
[[nodiscard]] core::Error agreed(const Ranks& ranks, const core::Error& mine,
                                 std::span<std::int64_t> most = {});

/// What `step()` returns on rank 0, on all ranks. Collective.
template <class Step>
[[nodiscard]] core::Error on_first(const Ranks& ranks, Step&& step) {
  return agreed(ranks, ranks.file.rank == 0 ? step() : core::Error{});
}

}  // namespace collio::engine
