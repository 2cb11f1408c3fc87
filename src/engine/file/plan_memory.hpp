// Calls seen before, so that a repeated one need not be decided again.
//
// Programs write the same patterns every time step, further on in the file. Each rank adds a hash of its
// access, whatever its offset, to the digest, and a linear function of the offset. So all ranks see in the
// digest alone whether all access what they did in an earlier call, all at the same distance. Then its plan
// serves again, and what was found out holds for this one too: a call whose pieces tiled every window needs
// no tiling check.
//
// All ranks remember and forget in the same order, so a call is remembered everywhere or nowhere. Bounded; no
// lists are kept, only hashes. A memory outlives its file (kept_memories.hpp).
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "access/access.hpp"
#include "policy/plan/digest.hpp"
#include "policy/plan/plan.hpp"
#include "policy/trials/call_trials.hpp"
#include "policy/trials/schedule_trials.hpp"

namespace collio::engine {

/// One rank's access, up to its offset in the file.
struct AccessShape {
  std::uint64_t hash = 0;
  /// first byte accessed
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  [[nodiscard]] static AccessShape of(const access::FileAccess& access) noexcept;
};

class PlanMemory {
 public:
  static constexpr std::size_t most_entries = 256;
  /// Of all entries, on a rank: more than a hundred plans of 4000 placed domains. Rank 0 has the traffic of
  /// placed domains as well, a few numbers for each node and link.
  static constexpr std::size_t most_bytes = 2 << 20;

  /// How the call goes by one way.
  struct Route {
    /// as if where the call was first; absent: not made, or it cannot be moved
    std::optional<policy::Plan> plan;
    /// this rank's; null: the schedule is not for trial
    std::shared_ptr<policy::ScheduleTrials> schedules;
  };

  struct Entry {
    /// in the order in which calls were remembered
    std::int64_t id = 0;
    policy::Direction direction = policy::Direction::write;
    AccessShape mine;
    policy::Digest digest;
    /// pieces overlap and leave holes
    bool home_masks = false;
    /// the pieces of all ranks tile the span
    bool tiled = false;
    policy::CallTrials trials;
    /// by each of their ways
    std::vector<Route> routes;
  };

  /// Whether an earlier call that looks like this one went by each rank's own calls, and this one is to go as
  /// that one went. Local. `tries`: its time may be that of a trial.
  [[nodiscard]] bool goes_by_own_calls(const AccessShape& mine, policy::Direction direction,
                                       bool tries) const noexcept;
  /// The earlier call of which the combined digest is a repetition, or null; the same on all ranks.
  /// O(entries).
  [[nodiscard]] Entry* find(const policy::Digest& all, policy::Direction direction);
  /// Remembers a call; all ranks do, in the same order.
  void remember(Entry entry);
  /// What this rank's trials of schedules came to, of the pattern with most of them; empty: there were none.
  [[nodiscard]] std::string schedule_trials_text() const;
  /// Text on the trials of whole calls; the same on all ranks.
  [[nodiscard]] std::string call_trials_text() const;

  /// Names the memory on all ranks that have part in it; 0: it has no name yet.
  [[nodiscard]] std::uint64_t token() const noexcept { return token_; }
  void set_token(std::uint64_t token) noexcept { token_ = token; }
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }

 private:
  /// The last one that looks like this; null: there is none.
  [[nodiscard]] const Entry* like(const AccessShape& mine, policy::Direction direction) const noexcept;
  /// last used first
  std::list<Entry> entries_;
  std::int64_t next_id_ = 1;
  std::uint64_t token_ = 0;
};

}  // namespace collio::engine
