// See redeal.hpp.
#include "engine/file/redeal.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "core/index.hpp"
#include "engine/file/file.hpp"
#include "engine/file/lock_reach.hpp"
#include "transport/waiting/collectives.hpp"
#include "transport/waiting/mpi_library.hpp"

namespace collio::engine {

namespace {

using storage::Deal;
using storage::LayoutInForce;
using storage::SubfileLayout;
using storage::SubfileSet;

constexpr double seconds_between_looks = 0.1;
/// of a manifest, for this open to add one
constexpr std::size_t most_deals = 100;

std::vector<std::int64_t> members_of(const SubfileLayout& layout) {
  if (!layout.deals.empty()) return layout.deals.back().members;
  std::vector<std::int64_t> all(static_cast<std::size_t>(layout.count));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  return all;
}

/// The rank that took longest to write to the subfiles which are no more among the members. `mine`: times of
/// this rank. Collective.
std::int64_t slowest_rank(const Ranks& ranks, const std::vector<std::int64_t>& mine,
                          const std::vector<std::int64_t>& members, const std::vector<std::int64_t>& kept) {
  constexpr std::int64_t most_ranks = 1 << 24;
  std::int64_t us = 0;
  for (const std::int64_t member : members)
    if (!std::ranges::binary_search(kept, member))
      us += mine[mine.size() / 2 + static_cast<std::size_t>(member)] / 1000;
  return ranks.agreement.greatest(us * most_ranks + ranks.file.rank) % most_ranks;
}

/// The layout that deals all stripes behind the first `written_end` bytes to `members`.
SubfileLayout dealt_to(SubfileLayout layout, std::int64_t written_end, std::vector<std::int64_t> members) {
  const std::int64_t first = (written_end + layout.unit_bytes - 1) / layout.unit_bytes;
  while (!layout.deals.empty() && layout.deals.back().first >= first) layout.deals.pop_back();
  layout.deals.push_back({first, std::move(members)});
  return layout;
}

std::string rate_text(double bytes_per_s) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g MB/s", bytes_per_s / 1e6);
  return text;
}

/// "from byte 4194304 on without subfile 2 in /scratch/t2: at most 2 MB/s; the others at least 20 MB/s".
std::string text_on(const SubfileUse& use, const SubfileLayout& before, const SubfileLayout& after) {
  const Deal& deal = after.deals.back();
  std::string names;
  double slow = 0, fast = 0;
  for (const std::int64_t member : members_of(before)) {
    const double rate = use.watch->rates.rate(member);
    if (std::ranges::binary_search(deal.members, member)) {
      if (rate > 0) fast = fast == 0 ? rate : std::min(fast, rate);
      continue;
    }
    slow = std::max(slow, rate);
    names += (names.empty() ? "subfile " : ", subfile ") + std::to_string(member) + " in " +
             use.set.folder_of_subfile(member);
  }
  return "from byte " + std::to_string(deal.first * after.unit_bytes) + " on without " + names +
         ": at most " + rate_text(slow) + "; the others at least " + rate_text(fast);
}

void warn(File& file, const std::string& why) {
  const std::string text =
      "collio_redeal=enable: slow subfiles of " + file.path + " go on getting stripes: " + why;
  if (file.rank == 0 && std::ranges::find(file.records.warnings, text) == file.records.warnings.end())
    file.records.warnings.push_back(text);
}

void give_up(File& file, const std::string& why) {
  file.stored.subfiles->watch->given_up = true;
  warn(file, why);
}

/// Rank 0's while stripes are dealt anew: nobody else has the file open or can open it, and nobody else
/// changes the manifest.
class Claim {
 public:
  explicit Claim(SubfileUse& use) : use_(use), lock_(use.set.path()), alone_(*use.use) {}
  /// Class `access`: others have it open now, and may close it.
  [[nodiscard]] core::Error error() const {
    using core::ErrorClass;
    if (alone_.error() == EAGAIN || alone_.error() == EACCES)
      return {ErrorClass::access, "others have the file open"};
    if (alone_.error() != 0)
      return {ErrorClass::io, std::string("it cannot be locked: ") + std::strerror(alone_.error())};
    if (changed_by_others(use_)) return {ErrorClass::io, "others have written to the file meanwhile"};
    return {};
  }

 private:
  SubfileUse& use_;
  storage::SetLock lock_;
  storage::SetUse::Alone alone_;
};

SubfileSet with_layout(const SubfileUse& use, const SubfileLayout& layout) {
  SubfileSet set = use.set;
  set.manifest().layout = layout;
  return set;
}

/// Rank 0's manifest. What counts is whether it is there, whatever the attempt to write it ended with.
core::Error write_down(SubfileUse& use, const SubfileLayout& layout) {
  core::Error error = change_locked_manifest(use, [&](storage::Manifest& m) { m.layout = layout; });
  if (error.ok()) return error;
  SubfileSet there = use.set;
  return reread_manifest(there).ok() && there.layout() == layout ? core::Error{} : error;
}

/// Zeros behind the first `written_end` bytes of a file that stays `bytes` bytes long. The manifest is first
/// to be content with less: a crash may come between. Collective.
core::Error wipe_behind(const Ranks& ranks, const SubfileLayout& layout, std::int64_t written_end,
                        std::int64_t bytes) {
  File& file = ranks.file;
  SubfileUse& use = *file.stored.subfiles;
  const auto ask_for_less = [written_end](storage::Manifest& m) {
    m.file_bytes = std::min(m.file_bytes, written_end);
    m.synced_bytes = std::min(m.synced_bytes, written_end);
  };
  core::Error error;
  if (file.rank == 0 && use.noted_bytes > written_end) error = change_locked_manifest(use, ask_for_less);
  error = ranks.agreement.worst(error, "cannot change the manifest");
  if (!error.ok()) return error;
  const SubfileSet set = with_layout(use, layout);
  const storage::SubfileShare share{file.rank, file.size};
  error = resize_subfiles(set, share, written_end, storage::Resize::to);
  if (error.ok()) error = resize_subfiles(set, share, bytes, storage::Resize::grow);
  return ranks.agreement.worst(error, "cannot shorten a subfile");
}

/// Lengths by the new layout where the file is `bytes` bytes long, then the manifest. Between them subfiles
/// are too long, and none is too short. On error all is as before. Collective.
core::Error put_in_force(const Ranks& ranks, const SubfileLayout& before, const SubfileLayout& after,
                         std::int64_t bytes) {
  File& file = ranks.file;
  SubfileUse& use = *file.stored.subfiles;
  const storage::SubfileShare share{file.rank, file.size};
  const bool grows = bytes > after.deals.back().first * after.unit_bytes;
  core::Error error;
  if (grows)
    error =
        ranks.agreement.worst(resize_subfiles(with_layout(use, after), share, bytes, storage::Resize::grow),
                              "cannot lengthen a subfile");
  if (error.ok())
    error = ranks.agreement.worst(file.rank == 0 ? write_down(use, after) : core::Error{},
                                  "cannot change the manifest");
  if (!error.ok() && grows) {
    static_cast<void>(resize_subfiles(with_layout(use, before), share, bytes, storage::Resize::to));
    transport::meet(ranks.comm);
  }
  return error;
}

/// Deals the stripes that nobody has written to, to `members`. `written_before`: what was written behind it
/// is written again, and goes; none: all that is written stays. Collective.
void redeal(const Ranks& ranks, std::vector<std::int64_t> members,
            std::optional<std::int64_t> written_before) {
  File& file = ranks.file;
  SubfileUse& use = *file.stored.subfiles;
  TargetWatch& watch = *use.watch;
  LayoutInForce::Hold hold(*use.in_force);
  // Opens of others are not waited for: one may be of this job, and end behind this call only.
  std::optional<Claim> claim;
  if (file.rank == 0) claim.emplace(use);
  core::Error error =
      ranks.agreement.worst(claim ? claim->error() : core::Error{}, "cannot have the file alone");
  if (error.kind == core::ErrorClass::access) return warn(file, error.message);
  if (!error.ok()) return give_up(file, error.message);
  const std::int64_t all_end =
      ranks.agreement.greatest(std::max(use.in_force->written_end(), watch.begin_bytes));
  const std::int64_t written_end =
      written_before ? ranks.agreement.greatest(std::max(*written_before, watch.begin_bytes)) : all_end;
  const SubfileLayout before = *use.in_force->now();
  if (before.deals.size() >= most_deals) return give_up(file, "its manifest has the largest number of deals");
  const SubfileLayout after = dealt_to(before, written_end, std::move(members));
  std::int64_t bytes = 0;
  error = agreed_length(ranks, with_layout(use, before), bytes);
  if (error.ok() && bytes > std::max(all_end, watch.set_bytes))
    error = {core::ErrorClass::io, "it is longer than this job has made it"};
  if (error.ok() && all_end > written_end && bytes > written_end) {
    bytes = std::max(written_end, watch.set_bytes);
    error = wipe_behind(ranks, before, written_end, bytes);
  }
  if (error.ok()) error = put_in_force(ranks, before, after, bytes);
  if (!error.ok()) return give_up(file, error.message);
  hold.replace(after);
  watch.said.push_back(text_on(use, before, after));
  if (file.settings.hints.layout)
    file.machine.storage.layout.count = static_cast<int>(after.members_at_end());
  file.forget_plans();
}

/// A look at the times of writes.
struct Look {
  /// that stripes went to
  std::vector<std::int64_t> members;
  /// times of this rank
  std::vector<std::int64_t> mine;
  /// members that are not slow
  std::vector<std::int64_t> kept;
};

enum class Times { all, of_call };

/// Collective.
Look look_at_times(const Ranks& ranks, Times which) {
  SubfileUse& use = *ranks.file.stored.subfiles;
  Look look{.members = members_of(*use.in_force->now()), .mine = {}, .kept = {}};
  storage::WriteTimes& times = use.in_force->times();
  look.mine = which == Times::all ? times.take() : times.take_since();
  std::vector<std::int64_t> all = look.mine;
  transport::reduce_to_all(all.data(), static_cast<int>(all.size()), MPI_INT64_T, MPI_SUM, ranks.comm);
  use.watch->seconds = 0;
  look.kept = which == Times::all ? use.watch->rates.review(all, look.members)
                                  : use.watch->rates.review_alone(all, look.members);
  return look;
}

/// Whether stripes were dealt to the others, if a member is slow. Collective.
bool deal_to_others(const Ranks& ranks, Look look, std::optional<std::int64_t> written_before) {
  File& file = ranks.file;
  TargetWatch& watch = *file.stored.subfiles->watch;
  if (look.kept.size() == look.members.size()) return false;
  const std::int64_t slowest = slowest_rank(ranks, look.mine, look.members, look.kept);
  if (slowest == watch.slow_rank) {
    give_up(file, "rank " + std::to_string(slowest) + " is slow wherever it writes");
    return false;
  }
  const std::size_t deals = watch.said.size();
  redeal(ranks, std::move(look.kept), written_before);
  if (watch.said.size() == deals) return false;
  watch.slow_rank = slowest;
  return true;
}

/// Whether stripes may be dealt anew.
bool watches(const File& file) {
  return file.stored.subfiles && file.stored.subfiles->watch && !file.stored.subfiles->watch->given_up;
}

/// Whether no rank's program may make other calls while it is in a blocking one. Collective.
bool one_call_at_a_time(const Ranks& ranks) { return ranks.agreement.all(!transport::any_thread_may_call()); }

/// Why stripes are not dealt anew whatever happens; empty: they may be. Collective.
std::string why_not(const Ranks& ranks) {
  File& file = ranks.file;
  SubfileUse& use = *file.stored.subfiles;
  if (file.settings.hints.storage == policy::StorageKind::uring)
    return "collio_storage=uring does not report the time of a write";
  int cannot = 0;
  if (file.rank == 0) {  // who closes the file from here on changes the stamp; who did before, the length
    auto once = std::make_shared<storage::SetUse>(use.set.path(), storage::SetUse::By::many_once);
    cannot = once->error();
    if (cannot == 0) use.use = std::move(once);
    use.stamp = storage::stamp_of(use.set.manifest_path());
    if (cannot == 0 && !use.stamp) cannot = ENOENT;
  }
  cannot = static_cast<int>(ranks.agreement.greatest(cannot));
  if (cannot != 0) return std::string("it cannot be locked: ") + std::strerror(cannot);
  return locks_reach_other_nodes(ranks, file.path, O_RDWR) ? "" : "locks of one node do not reach others";
}

}  // namespace

core::Error watch_targets(const Ranks& ranks) {
  File& file = ranks.file;
  SubfileUse& use = *file.stored.subfiles;
  if (!file.settings.hints.redeals || !use.writes || use.set.layout().count < 2) return {};
  const std::string why = why_not(ranks);
  std::int64_t bytes = 0;
  if (core::Error error = agreed_length(ranks, bytes); !error.ok()) return error;
  use.watch.emplace(TargetWatch{
      .rates = policy::SlowSubfiles(use.set.layout().count), .begin_bytes = bytes, .set_bytes = bytes});
  use.watch->leaves_out = one_call_at_a_time(ranks);
  use.in_force = std::make_shared<LayoutInForce>(use.set.layout());
  if (!why.empty()) give_up(file, why);
  return {};
}

void look_after_targets(const Ranks& ranks, double seconds) {
  File& file = ranks.file;
  if (!watches(file)) return;
  TargetWatch& watch = *file.stored.subfiles->watch;
  watch.seconds += seconds;
  if (watch.seconds >= seconds_between_looks) deal_to_others(ranks, look_at_times(ranks, Times::all), {});
}

bool may_leave_out(const File& file) { return watches(file) && file.stored.subfiles->watch->leaves_out; }

void let_leave_out(File& file) {
  if (!may_leave_out(file)) return;
  TargetWatch& watch = *file.stored.subfiles->watch;
  LayoutInForce& in_force = *file.stored.subfiles->in_force;
  watch.written_before = in_force.written_end();
  const std::vector<std::int64_t> members = members_of(*in_force.now());
  std::vector<double> least(static_cast<std::size_t>(file.stored.subfiles->set.layout().count), 0);
  for (const std::int64_t member : members) least[core::at(member)] = watch.rates.far_slower_rate(members);
  in_force.times().leave_out_below(std::move(least));
}

bool leave_out_none(File& file) {
  return file.stored.subfiles && file.stored.subfiles->in_force &&
         file.stored.subfiles->in_force->times().leave_out_none();
}

void look_after_left_out(const Ranks& ranks) {
  TargetWatch& watch = *ranks.file.stored.subfiles->watch;
  // Else the others are as slow, or the stripes cannot be dealt anew: not again for nothing.
  watch.leaves_out = deal_to_others(ranks, look_at_times(ranks, Times::of_call), watch.written_before);
}

void keep_dealing(File& file) noexcept {
  if (file.stored.subfiles && file.stored.subfiles->watch) file.stored.subfiles->watch->given_up = true;
}

}  // namespace collio::engine
