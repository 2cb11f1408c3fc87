// Steps that the ranks of a file in subfiles take together.
#pragma once

#include "engine/file/file.hpp"
#include "storage/subfiles/set.hpp"
#include "transport/node_memory/words.hpp"

namespace collio::engine {

inline storage::SubfileShare share_of(const File& file) { return {file.rank, file.size}; }

/// `worst`, on which ranks have agreed, in the words of a rank that has it. Collective.
[[nodiscard]] core::Error in_a_ranks_words(const Ranks& ranks, const core::Error& worst,
                                           const core::Error& mine);

/// The worst of the ranks' errors, in the words of a rank that has it: they name the subfile. Collective.
template <class... Words>
[[nodiscard]] core::Error agreed(const Ranks& ranks, const core::Error& mine, Words&... words) {
  return in_a_ranks_words(ranks, transport::agree(ranks.agreement, mine, "", words...), mine);
}

/// What `step()` returns on rank 0, on all ranks. Collective.
template <class Step>
[[nodiscard]] core::Error on_first(const Ranks& ranks, Step&& step) {
  return agreed(ranks, ranks.file.rank == 0 ? step() : core::Error{});
}

}  // namespace collio::engine
