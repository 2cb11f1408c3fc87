// Small reductions by which all ranks come to the same knowledge. All Collective; none spins.
//
// What ranks agree on is said here; how they reach each other is in comm_agreement.hpp, and among threads in
// tests/threads/thread_agreement.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "policy/plan/digest.hpp"

namespace collio::transport {

class NodeBoard;

/// How a call ended, on all ranks.
struct Outcome {
  /// worst core::ErrorClass
  std::int64_t error = 0;
  /// all bytes of the call below this offset were moved
  std::int64_t intact_below = policy::Digest::nothing;
  /// a write left windows out: pieces overlap and leave holes
  std::int64_t again = 0;
  /// a write left slow subfiles out: it has to be made again
  std::int64_t left_out = 0;
  /// a window was not tiled by the pieces in it
  std::int64_t untiled = 0;
  /// time of the rank that took longest
  std::int64_t longest_ns = 0;
  /// highest rank with the worst error; -1: none
  std::int64_t failed_rank = -1;
};

/// The collective call on a file that a rank is in.
struct CallHere {
  /// the same for calls that are done as one
  std::int64_t kind = 0;
  /// the same for calls of one name
  std::int64_t form = 0;
  char name[32] = "open";
  /// for messages
  const std::string* file = nullptr;
};

/// The reductions of some ranks. Construction is local; what has no other remark is Collective.
class Agreement {
 public:
  /// Of `more` in worst().
  static constexpr std::size_t most_numbers = 12;
  virtual ~Agreement() = default;
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;

  /// The board of this rank's node, or null. Not collective.
  [[nodiscard]] virtual NodeBoard* board() const noexcept = 0;
  [[nodiscard]] bool by_shared_memory() const noexcept { return board() != nullptr; }
  /// Where this rank is from now on. digest() and worst() return an error on all ranks when they are in calls
  /// of different kinds: `not_same`, with the names of two ranks and their calls. Not collective.
  void come_to(const CallHere& call) noexcept { here_ = call; }
  [[nodiscard]] const CallHere& here() const noexcept { return here_; }
  /// Combines the ranks' digests, and how those fared that moved their bytes ahead.
  [[nodiscard]] core::Error digest(policy::Digest& digest, Outcome& ahead) const;
  /// The worst error wins; the lowest `intact_below` wins. Of ranks that are known to be in one call.
  void outcome(Outcome& outcome) const;
  /// The least of the ranks' numbers. Of ranks that are known to be in one call.
  [[nodiscard]] std::int64_t least(std::int64_t mine) const;
  [[nodiscard]] std::int64_t greatest(std::int64_t mine) const { return ~least(~mine); }
  /// Whether it is true of all ranks.
  [[nodiscard]] bool all(bool mine) const { return least(mine ? 1 : 0) == 1; }
  /// The worst of the ranks' errors, with this rank's own message where it has one. `what` completes
  /// "rank N " for the others.
  [[nodiscard]] core::Error worst(const core::Error& mine, const std::string& what) const;
  /// The same, and the element-wise maximum of `more` over ranks, in one reduction: at most most_numbers.
  [[nodiscard]] core::Error worst(const core::Error& mine, const std::string& what,
                                  std::span<std::int64_t> more) const;
  /// What `rank` has to say, on all ranks, with its number before it; at most 400 bytes. For errors: it costs
  /// a broadcast.
  [[nodiscard]] std::string words_of(std::int64_t rank, std::string mine) const;
  /// Element-wise sum and maximum over ranks; the length is the same everywhere.
  void sum(std::vector<std::int32_t>& counts) const;
  void maximum(std::vector<std::int32_t>& values) const;

 protected:
  /// What ranks combine, in one form whatever their calls: they may be in different ones, and find out by it.
  struct Meeting {
    policy::Digest digest;
    Outcome outcome;
    /// of each, the largest over ranks
    std::array<std::int64_t, most_numbers> most{};

    void combine(const Meeting& other);
  };
  explicit Agreement(int rank) noexcept : rank_(rank) {}
  /// All ranks' combined, in any order.
  virtual void join(Meeting& mine) const = 0;
  /// Element-wise sums or maxima, apart from all other reductions.
  enum class Numbers { sums, maxima };
  virtual void join(std::span<std::int32_t> numbers, Numbers of) const = 0;
  /// For errors, after a reduction by which all ranks know one: element-wise maxima, and the bytes of `rank`.
  virtual void join_after(std::span<std::int64_t> maxima) const = 0;
  virtual void hear_after(std::span<char> bytes, int rank) const = 0;

 private:
  /// An error: ranks are in different calls.
  [[nodiscard]] core::Error meet(Meeting& meeting) const;
  [[nodiscard]] core::Error different_calls(const policy::Digest& all) const;
  [[nodiscard]] core::Error error_of(std::int64_t kind, std::int64_t rank, const core::Error& mine,
                                     const std::string& what) const;

  int rank_;
  CallHere here_;
};

}  // namespace collio::transport
