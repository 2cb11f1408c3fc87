// How a call ended for this rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "engine/moving/call.hpp"

namespace collio::engine {

struct Completion {
  /// collio declined on all ranks: the MPI library must do the call
  bool native = false;
  /// of this rank, moved
  std::int64_t bytes = 0;
  /// the same class on all ranks
  core::Error error;
  /// in the file's log, when it got there
  std::optional<std::size_t> record;

  [[nodiscard]] static Completion failed(core::Error error) { return {false, 0, std::move(error), {}}; }
};

/// How a call that ended so is over for this rank.
[[nodiscard]] Completion completion_of(policy::Direction direction, const access::FileAccess& access,
                                       const PathResult& moved);

}  // namespace collio::engine
