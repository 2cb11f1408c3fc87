// Calls seen before, so that a repeated one need not be decided again.
//
// Programs write the same pattern every time step, further on in the file. A rank recognises its own access by a hash
// of its shape, whatever its offset, and says in the digest which earlier call it looks like; when all ranks name the
// same one, at the same distance, its plan serves again, and what was found out holds for this one too: a call whose pieces tiled every
// window needs no tiling check.
//
// All ranks remember and forget in the same order, so a call is remembered everywhere or nowhere. Bounded; no lists are
// kept, only hashes.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>

#include "access/access.hpp"
#include "policy/digest.hpp"
#include "policy/plan.hpp"
#include "policy/schedule_trials.hpp"

namespace collio::engine {

/// One rank's access, up to its offset in the file.
struct AccessShape {
  std::uint64_t hash = 0;
  std::int64_t offset = 0;   ///< first byte accessed
  std::int64_t bytes = 0;
  [[nodiscard]] static AccessShape of(const access::FileAccess& access) noexcept;
};

class PlanMemory {
 public:
  static constexpr std::size_t capacity = 16;

  struct Entry {
    std::int64_t id = 0;
    policy::Direction direction = policy::Direction::write;
    AccessShape mine;
    policy::Digest digest;
    policy::Plan plan;
    bool tiled = false;   ///< the pieces of all ranks tile the span
    std::shared_ptr<policy::ScheduleTrials> trials;  ///< this rank's; null: the schedule is not for trial
  };

  /// Says in this rank's digest which earlier call this looks like. Local.
  void recall(const AccessShape& mine, policy::Direction direction, policy::Digest& digest) const noexcept;
  /// The earlier call that all ranks named in the combined digest, or null; the same on all ranks.
  [[nodiscard]] const Entry* find(const policy::Digest& all, policy::Direction direction);
  /// Remembers a call; all ranks do, in the same order.
  void remember(Entry entry);
  /// Earlier plans do not hold any more; all ranks forget them at the same time.
  void forget() noexcept { entries_.clear(); }
  /// What this rank's trials of schedules came to, of the pattern with most of them; empty: there were none.
  [[nodiscard]] std::string trials_text() const;

 private:
  std::list<Entry> entries_;  ///< last used first
  std::int64_t next_id_ = 1;
};

}  // namespace collio::engine
