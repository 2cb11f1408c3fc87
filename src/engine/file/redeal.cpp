// See redeal.hpp.
#include "engine/file/redeal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "engine/file/file.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::engine {

namespace {

using storage::Deal;
using storage::LayoutInForce;
using storage::SubfileLayout;

constexpr double seconds_between_looks = 0.1;
constexpr std::size_t most_deals = 100;  ///< of a manifest, for this open to add one

std::vector<std::int64_t> members_of(const SubfileLayout& layout) {
  if (!layout.deals.empty()) return layout.deals.back().members;
  std::vector<std::int64_t> all(static_cast<std::size_t>(layout.count));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  return all;
}

/// The rank that took longest to write to the subfiles which are no more among the members. `mine`: times of
/// this rank. Collective.
std::int64_t slowest_rank(const File& file, const std::vector<std::int64_t>& mine,
                          const std::vector<std::int64_t>& members, const std::vector<std::int64_t>& kept) {
  constexpr std::int64_t most_ranks = 1 << 24;
  std::int64_t us = 0;
  for (const std::int64_t member : members)
    if (!std::ranges::binary_search(kept, member))
      us += mine[mine.size() / 2 + static_cast<std::size_t>(member)] / 1000;
  return -file.agreement->least(-(us * most_ranks + file.rank)) % most_ranks;
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

/// Whether the manifest on disk has this layout, whatever an attempt to write it ended with.
bool is_written(SubfileUse& use, const SubfileLayout& layout) {
  return reread_manifest(use.set).ok() && use.set.layout() == layout;
}

/// On rank 0: the manifest with the new layout, if nobody else has written to the file; else why not.
core::Error write_down(SubfileUse& use, const SubfileLayout& layout) {
  const std::int64_t kept = layout.deals.back().first * layout.unit_bytes;
  core::Error error;
  const int held = use.use->alone([&] {
    error = change_manifest(use, [&](storage::Manifest& m) {
      if (use.changed_by_others) return;
      m.layout = layout;
      m.file_bytes = std::min(m.file_bytes, kept);  // behind them nothing is written
      m.synced_bytes = std::min(m.synced_bytes, kept);
    });
    if (!error.ok() && is_written(use, layout)) error = {};
  });
  if (held == EAGAIN || held == EACCES || use.changed_by_others)
    return {core::ErrorClass::access, "other programs have opened it meanwhile"};
  if (held != 0) return {core::ErrorClass::io, std::string("it cannot be locked: ") + std::strerror(held)};
  return error;
}

void give_up(File& file, const std::string& why) {
  file.subfiles->watch->given_up = true;
  if (file.rank == 0)
    file.warnings.push_back("collio_redeal=enable: slow subfiles of " + file.path +
                            " go on getting stripes: " + why);
}

/// Deals the stripes that nobody has written to, to `members`. Collective.
void redeal(File& file, std::vector<std::int64_t> members) {
  SubfileUse& use = *file.subfiles;
  LayoutInForce::Hold hold(*use.in_force);
  const std::int64_t written_end =
      -file.agreement->least(-std::max(hold.written_end(), use.watch->begin_bytes));
  const SubfileLayout before = *use.in_force->now();
  if (before.deals.size() >= most_deals) return give_up(file, "its manifest says so often where they go");
  const SubfileLayout after = dealt_to(before, written_end, std::move(members));
  std::int64_t bytes = 0;
  core::Error error = agreed_length(file, bytes);
  if (error.ok() && file.rank == 0) error = write_down(use, after);
  error = file.agreement->worst(error, "cannot change the manifest");
  use.set.manifest().layout = error.ok() ? after : before;
  if (!error.ok()) return give_up(file, error.message);
  hold.replace(after);
  use.watch->said.push_back(text_on(use, before, after));
  if (file.hints.layout) file.machine.storage.layout.count = static_cast<int>(after.members_at_end());
  file.forget_plans();
  if (bytes <= after.deals.back().first * after.unit_bytes) return;
  error = resize(file, bytes, storage::Resize::to);
  if (!error.ok()) give_up(file, error.message);
}

}  // namespace

core::Error watch_targets(File& file) {
  SubfileUse& use = *file.subfiles;
  if (!file.hints.redeals || !use.writes || use.set.layout().count < 2) return {};
  int cannot = 0;
  if (file.rank == 0) {  // who closes the file from here on changes the stamp; who did before, the length
    auto once = std::make_shared<storage::SetUse>(use.set.path(), storage::SetUse::By::many_once);
    cannot = once->error();
    if (cannot == 0) use.use = std::move(once);
    use.stamp = storage::stamp_of(use.set.manifest_path());
  }
  std::int64_t bytes = 0;
  if (core::Error error = agreed_length(file, bytes); !error.ok()) return error;
  use.watch.emplace(TargetWatch{policy::SlowSubfiles(use.set.layout().count), bytes, 0, false, {}});
  use.in_force = std::make_shared<LayoutInForce>(use.set.layout());
  const policy::StorageKind kind = file.hints.storage;
  if (kind == policy::StorageKind::uring || kind == policy::StorageKind::aio)
    give_up(file,
            "collio_storage=" + std::string(policy::name_of(kind)) + " does not tell how long a write took");
  if (file.agreement->least(-cannot) != 0)
    give_up(file, std::string("it cannot be locked: ") + std::strerror(cannot));
  return {};
}

void look_after_targets(File& file, double seconds) {
  if (!file.subfiles || !file.subfiles->watch || file.subfiles->watch->given_up) return;
  TargetWatch& watch = *file.subfiles->watch;
  watch.seconds += seconds;
  if (watch.seconds < seconds_between_looks) return;
  watch.seconds = 0;
  const std::vector<std::int64_t> members = members_of(*file.subfiles->in_force->now());
  const std::vector<std::int64_t> mine = file.subfiles->in_force->take_times();
  std::vector<std::int64_t> all = mine;
  transport::reduce_to_all(all.data(), static_cast<int>(all.size()), MPI_INT64_T, MPI_SUM, file.comm);
  std::vector<std::int64_t> kept = watch.rates.review(all, members);
  if (kept.size() == members.size()) return;
  const std::int64_t before = std::exchange(watch.slow_rank, slowest_rank(file, mine, members, kept));
  if (watch.slow_rank == before)
    return give_up(file, "rank " + std::to_string(before) + " is slow wherever it writes");
  redeal(file, std::move(kept));
}

void keep_dealing(File& file) noexcept {
  if (file.subfiles && file.subfiles->watch) file.subfiles->watch->given_up = true;
}

}  // namespace collio::engine
