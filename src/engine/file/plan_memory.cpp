// See plan_memory.hpp.
#include "engine/file/plan_memory.hpp"

#include <algorithm>
#include <numeric>

#include "core/content_hash.hpp"
#include "policy/placement/place_domains.hpp"

namespace collio::engine {

namespace {

/// The same on all ranks.
std::size_t bytes_of(const PlanMemory::Entry& entry) noexcept {
  std::size_t bytes = sizeof entry + entry.trials.ways() * sizeof(policy::OpenWay);
  for (const PlanMemory::Route& route : entry.routes) {
    bytes += sizeof route;
    if (!route.plan) continue;
    if (route.plan->domains.bounds) bytes += route.plan->domains.bounds->size() * sizeof(std::int64_t);
    if (route.plan->placed) bytes += route.plan->placed->seat_of_domain.size() * sizeof(int);
  }
  return bytes;
}

}  // namespace

AccessShape AccessShape::of(const access::FileAccess& access) noexcept {
  AccessShape shape;
  shape.bytes = access.bytes;
  if (access.bytes == 0) return shape;
  shape.offset = access.span.offset;
  const core::Pattern& p = access.pattern;
  std::uint64_t h = p.body().hash();
  const auto fold = [&](std::int64_t value) { h = core::hash_step(h, static_cast<std::uint64_t>(value)); };
  for (const core::Loop& loop : p.loops()) {
    fold(loop.count);
    fold(loop.stride);
  }
  fold(p.origin() + p.body().low() - access.span.offset);  // where in the pattern the access begins
  fold(access.begin);
  fold(access.bytes);
  shape.hash = h;
  return shape;
}

const PlanMemory::Entry* PlanMemory::like(const AccessShape& mine,
                                          policy::Direction direction) const noexcept {
  const auto seen = std::ranges::find_if(entries_, [&](const Entry& e) {
    return e.direction == direction && e.mine.bytes == mine.bytes && e.mine.hash == mine.hash;
  });
  return seen == entries_.end() ? nullptr : &*seen;
}

bool PlanMemory::goes_by_own_calls(const AccessShape& mine, policy::Direction direction,
                                   bool tries) const noexcept {
  const Entry* seen = mine.bytes > 0 ? like(mine, direction) : nullptr;
  if (!seen) return false;
  const std::size_t way = seen->trials.in_force();
  return seen->trials.way(way).path == policy::Path::independent && (!tries || seen->trials.next() == way);
}

PlanMemory::Entry* PlanMemory::find(const policy::Digest& all, policy::Direction direction) {
  // A rank whose bytes collio cannot describe says nothing of them.
  if (all.undescribed > 0) return nullptr;
  const auto seen = std::ranges::find_if(entries_, [&](const Entry& e) {
    return e.direction == direction && all.repeats(e.digest) &&
           (e.digest.on_fibers > 0) == (all.on_fibers > 0);
  });
  if (seen == entries_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, seen);
  return &entries_.front();
}

void PlanMemory::remember(Entry entry) {
  entry.id = next_id_++;
  entries_.push_front(std::move(entry));
  const auto sum = [](std::size_t bytes, const Entry& e) { return bytes + bytes_of(e); };
  while (entries_.size() > most_entries ||
         (entries_.size() > 1 &&
          std::accumulate(entries_.begin(), entries_.end(), std::size_t{0}, sum) > most_bytes))
    entries_.pop_back();
}

std::string PlanMemory::schedule_trials_text() const {
  const policy::ScheduleTrials* most = nullptr;
  for (const Entry& e : entries_)
    for (const Route& r : e.routes)
      if (r.schedules && (!most || r.schedules->rounds_tried() > most->rounds_tried()))
        most = r.schedules.get();
  return most ? most->text() : "";
}

std::string PlanMemory::call_trials_text() const {
  const auto most =
      std::ranges::max_element(entries_, {}, [](const Entry& e) { return e.trials.calls_tried(); });
  return most == entries_.end() ? "" : most->trials.text();
}

}  // namespace collio::engine
