// What becomes of the subfiles of an open file when it is flushed, closed, joined or deleted.
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "engine/file/background_join.hpp"
#include "engine/file/file.hpp"
#include "engine/file/subfile_steps.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::engine {

namespace {

using storage::SubfileSet;

enum class Noted { flushed, closed };

/// Gives each subfile its share of the file, so that a shorter one is a damaged one from now on. `bytes`:
/// those of the file; afterwards those of which all subfiles have their share. `others`: whether this rank
/// writes by other handles; afterwards whether any rank does. Collective.
core::Error settle_lengths(const Ranks& ranks, std::int64_t& bytes, Noted how,
                           transport::Most<bool>& others) {
  File& file = ranks.file;
  SubfileUse& use = *file.stored.subfiles;
  const bool flushes = how == Noted::flushed;
  auto mine = grow_subfiles(settled_set(use), share_of(file), bytes,
                            flushes ? storage::Flush::yes : storage::Flush::no);
  core::Error error = mine ? core::Error{} : mine.error();
  if (flushes && !use.names_flushed) core::keep_worst(error, flush_names(use.set, share_of(file)));
  transport::Least<std::int64_t> least{mine ? mine.value() : 0};
  error = agreed(ranks, error, least, others);
  if (!error.ok()) return error;
  bytes = least.value;
  use.names_flushed = use.names_flushed || flushes;
  return {};
}

/// Writes down how long the file is. Collective.
core::Error note(const Ranks& ranks, Noted how) {
  SubfileUse& use = *ranks.file.stored.subfiles;
  const storage::WrittenHere::Key key = use.written_here->key();
  if (how == Noted::closed) use.written_here.reset();
  std::int64_t bytes = 0;
  core::Error error = agreed_length(ranks, bytes);
  // Now that all ranks have closed this handle: of several that end at once the last sees no other one.
  transport::Most<bool> others{storage::WrittenHere::is(key)};
  if (error.ok()) error = settle_lengths(ranks, bytes, how, others);
  if (!error.ok()) return error;
  return on_first(ranks, [&] {
    return change_manifest(use, [&](storage::Manifest& m) {
      m.file_bytes = bytes;
      m.synced_bytes = how == Noted::flushed ? bytes : std::min(m.synced_bytes, bytes);
      // A handle that saw others may write this after the last one did: it must keep that one's mark.
      m.complete = how == Noted::closed && (m.complete || !others.value);
    });
  });
}

/// Unless rank 0 says that another placeholder needs it. Collective.
core::Error remove_set(const Ranks& ranks, const core::Result<bool>& is_needed) {
  File& file = ranks.file;
  const SubfileSet& set = file.stored.subfiles->set;
  transport::Most<bool> stays{is_needed && is_needed.value()};
  core::Error error = agreed(ranks, is_needed ? core::Error{} : is_needed.error(), stays);
  if (!error.ok() || stays.value) return error;
  error = agreed(ranks, remove_subfiles(set, share_of(file)));
  if (error.ok()) error = on_first(ranks, [&] { return remove_folder(set); });
  return error;
}

/// On rank 0: the name of the file will go, and its placeholder is emptied unless another needs the set.
core::Result<bool> is_needed_by_another(const SubfileUse& use) {
  auto needed = is_needed(use.set, use.standing);
  if (!needed || needed.value()) return needed;
  core::Error error = empty_placeholder(use.set);
  if (!error.ok()) return error;
  return false;
}

/// On rank 0: the file is joined. A copy of its placeholder still leads to the subfiles.
core::Result<bool> is_needed_by_copy(File& file) {
  auto other = other_placeholder(file.stored.subfiles->set);
  if (!other) return other.error();
  if (!other.value().empty())
    file.records.warnings.push_back(file.path + " is one file now, and its subfiles stay: " + other.value() +
                                    ", a copy of its placeholder, needs them");
  return !other.value().empty();
}

/// On rank 0: why the subfiles are kept, though the hints ask to join them; empty: `alone` holds them.
core::Result<std::string> why_kept(const SubfileSet& set, std::shared_ptr<storage::SetUse>& alone) {
  alone = std::make_shared<storage::SetUse>(set.path(), storage::SetUse::By::one);
  const int error = alone->error();
  if (error == EAGAIN || error == EACCES) return std::string("others have the file open");
  if (error != 0)
    return std::string("it cannot be locked (") + std::strerror(error) +
           "), so it is unknown whether others have it open";
  auto there = has_placeholder(set);
  if (!there) return there.error();
  return std::string(there.value() ? "" : "another program has joined or replaced the file");
}

/// Subfiles to one file, all ranks at once, unless others use them. On error they stay as they are.
/// Collective.
core::Error join(const Ranks& ranks) {
  File& file = ranks.file;
  SubfileUse& use = *file.stored.subfiles;
  const SubfileSet set = settled_set(use);
  use.use.reset();  // else this one is in the way
  std::shared_ptr<storage::SetUse> alone;
  bool kept = false;
  core::Error error = on_first(ranks, [&]() -> core::Error {
    const auto why = why_kept(set, alone);
    if (!why) return why.error();
    kept = !why.value().empty();
    if (kept)
      file.records.warnings.push_back("collio_join=" + std::string(name_of(file.settings.hints.join)) +
                                      ": the subfiles of " + file.path + " are kept: " + why.value() +
                                      "; collio join makes it one file");
    return {};
  });
  if (!error.ok() || !ranks.agreement.all(!kept)) return error;
  if (file.settings.hints.join == policy::Join::background) {
    use.joining = true;
    return on_first(ranks, [&] { return join_in_background(set, std::move(alone)); });
  }
  std::int64_t bytes = 0;
  error = agreed_length(ranks, bytes);
  if (error.ok()) error = on_first(ranks, [&] { return begin_join(set, bytes); });
  if (error.ok()) error = agreed(ranks, join_part(set, bytes, share_of(file), use.tally));
  if (error.ok()) error = on_first(ranks, [&] { return end_join(set, bytes); });
  if (!error.ok() && file.rank == 0) abandon_join(set, error);
  if (!error.ok()) return error;
  std::int64_t copied[] = {use.tally.by_kernel, use.tally.through_memory};
  transport::reduce_to_all(copied, 2, MPI_INT64_T, MPI_SUM, ranks.comm);
  use.tally = {copied[0], copied[1]};
  use.joined = true;
  return remove_set(ranks, file.rank == 0 ? is_needed_by_copy(file) : false);
}

}  // namespace

core::Error note_flushed(const Ranks& ranks) {
  return ranks.file.stored.subfiles->writes ? note(ranks, Noted::flushed) : core::Error{};
}

core::Error close_subfiles(const Ranks& ranks, AtClose how) {
  File& file = ranks.file;
  if (how == AtClose::remove)
    return remove_set(ranks, file.rank == 0 ? is_needed_by_another(*file.stored.subfiles) : false);
  if (!file.stored.subfiles->writes) return {};
  core::Error error = note(ranks, Noted::closed);
  return error.ok() && file.settings.hints.join != policy::Join::never ? join(ranks) : error;
}

}  // namespace collio::engine
