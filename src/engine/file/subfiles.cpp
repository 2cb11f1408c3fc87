// See subfiles.hpp.
#include "engine/file/subfiles.hpp"

#include <cerrno>
#include <cstring>
#include <optional>
#include <random>
#include <utility>

#include "engine/file/background_join.hpp"
#include "engine/file/file.hpp"
#include "engine/open/first_word.hpp"
#include "policy/by_layout.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::engine {

namespace {

using storage::SubfileSet;
using storage::SubfileShare;

SubfileShare share_of(const File& file) { return {file.rank, file.size}; }

/// The worst of the ranks' errors, in the words of a rank that has it: they name the subfile. Collective.
core::Error agreed(const File& file, const core::Error& mine) {
  const core::Error worst = file.agreement->worst(mine, "");
  if (worst.ok()) return {};
  return {worst.kind, weightiest_text(file.comm, mine.kind == worst.kind ? 1 : 0, mine.message)};
}

/// What `step()` returns on rank 0, on all ranks. Collective.
template <class Step>
core::Error on_first(const File& file, Step&& step) {
  return agreed(file, file.rank == 0 ? step() : core::Error{});
}

std::uint64_t new_identity() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

/// A set that nobody has made yet, by the hints.
SubfileSet new_set(const File& file, const storage::FoundFile& found) {
  storage::Manifest m;
  const std::string name = storage::name_for_set(file.path.substr(file.path.rfind('/') + 1));
  m.identity = new_identity();
  m.base = name;
  m.inode = found.inode;
  m.born = found.born;
  m.layout = {file.hints.subfile_unit_bytes, file.hints.subfiles};
  if (!file.hints.subfile_folders.empty()) {
    m.folders.clear();
    for (const std::string& folder : file.hints.subfile_folders) m.folders.push_back(absolute_path(folder));
  }
  return {file.path, name + ".collio", std::move(m)};
}

/// Removes what an attempt to make a set has made. Collective.
void undo(const File& file, const SubfileSet& set) {
  static_cast<void>(remove_subfiles(set, share_of(file)));
  transport::meet(file.comm);
  if (file.rank == 0) static_cast<void>(remove_folder(set));
}

/// Collective. `use`: on rank 0.
core::Error use_set(File& file, SubfileSet set, bool writes, std::shared_ptr<storage::SetUse> use) {
  if (core::Error error = agreed(file, check_subfiles(set, share_of(file))); !error.ok()) return error;
  if (!set.manifest().complete)
    file.warnings.push_back(file.path + ": a program is writing this file, or ended before it closed it; " +
                            std::to_string(set.manifest().file_bytes) +
                            " bytes were there when it was last closed or flushed");
  if (use && use->error() != 0)
    file.warnings.push_back(file.path + " cannot be locked (" + std::strerror(use->error()) +
                            "): a program that joins its subfiles would not notice that they are in use");
  const bool notes = writes && !set.has_arrays();
  file.subfiles.emplace(SubfileUse{std::move(set), notes, false, {}, std::move(use)});
  file.subfiles->noted_bytes = file.subfiles->set.manifest().file_bytes;
  if (!notes) return {};
  return on_first(file, [&] {
    return change_manifest(*file.subfiles, [](storage::Manifest& m) { m.complete = false; });
  });
}

/// Collective.
core::Error take_found(File& file, storage::FoundFile found, bool writes) {
  if (!found.error.ok()) return found.error;
  if (found.set) return use_set(file, *std::move(found.set), writes, std::move(found.use));
  if (file.hints.subfiles > 0 && writes)
    file.warnings.push_back("collio_subfiles=" + std::to_string(file.hints.subfiles) + ": " + file.path +
                            " has bytes already and stays one file; collio split makes subfiles of it");
  return {};
}

/// On rank 0, under the lock: makes the set, unless another open of the file has made one meanwhile. Whether
/// it did.
bool make_on_first(File& file, const storage::SetLock& lock, storage::FoundFile& found) {
  if (lock.error() != 0)
    file.warnings.push_back(file.path + " cannot be locked (" + std::strerror(lock.error()) +
                            "): several opens of a new file at the same time may undo each other");
  found = storage::look_for_subfiles(file.path);
  if (!found.empty) return false;
  found.use = std::make_shared<storage::SetUse>(file.path, storage::SetUse::By::many);
  found.set = new_set(file, found);
  found.error = make_folder(*found.set);
  return true;
}

/// Collective.
core::Error make_set(File& file) {
  std::optional<storage::SetLock> lock;
  storage::FoundFile found;
  FirstWord word;
  if (file.rank == 0) {
    const bool made = make_on_first(file, lock.emplace(file.path), found);
    word.found = words_of(found);
    word.found["made"] = made ? "1" : "0";
  }
  word = share(file.comm, std::move(word));
  auto use = std::move(found.use);
  found = found_from(word.found, file.path);
  found.use = std::move(use);
  if (word.found["made"] != "1" || !found.error.ok()) {
    lock.reset();
    return take_found(file, std::move(found), true);
  }
  const SubfileSet& set = *found.set;
  core::Error error = agreed(file, create_subfiles(set, share_of(file), found.mode));
  if (error.ok()) error = on_first(file, [&] { return write_placeholder(set); });
  if (error.ok())
    file.subfiles.emplace(SubfileUse{set, true, false, {}, std::move(found.use)});
  else
    undo(file, set);
  return error;
}

/// File domains follow the stripes of the subfiles. Stripes of array subfiles are longer than these: no write
/// may fill the holes between them. Locks are those of the file system that these lie on.
void align_to_stripes(File& file) {
  const SubfileSet& set = file.subfiles->set;
  const storage::SubfileLayout& layout = set.layout();
  file.hints.in_force["collio_subfiles"] = std::to_string(layout.count);
  file.hints.in_force["collio_subfile_unit"] = std::to_string(layout.unit_bytes);
  if (set.has_arrays()) file.hints.write_holes = policy::Holes::piecewise;
  if (!file.hints.layout) return;
  machine::StorageModel& storage = file.machine.storage;
  storage = policy::with_layout(std::move(storage), {});  // without that of the first subfile
  const std::int64_t unit = set.has_arrays() ? set.arrays()->stripe_bytes() : layout.unit_bytes;
  storage.layout = {unit, static_cast<int>(layout.members_at_end()), {}, "subfiles"};
}

}  // namespace

std::map<std::string, std::string> words_of(const storage::FoundFile& found) {
  std::map<std::string, std::string> words{{"empty", found.empty ? "1" : "0"},
                                           {"inode", std::to_string(found.inode)},
                                           {"born", std::to_string(found.born)},
                                           {"mode", std::to_string(found.mode)}};
  if (!found.path.empty()) words["path"] = found.path;
  if (found.set && found.set->has_arrays()) {
    words["arrays"] = text_of(*found.set->arrays());
    return words;
  }
  if (found.set) words["folder"] = found.set->folder_name();
  if (found.set && found.error.ok()) words["manifest"] = text_of(found.set->manifest());
  if (found.error.ok()) return words;
  words["error"] = std::to_string(static_cast<std::int32_t>(found.error.kind));
  words["message"] = found.error.message;
  return words;
}

storage::FoundFile found_from(std::map<std::string, std::string> words, const std::string& path) {
  storage::FoundFile found;
  found.empty = words["empty"] == "1";
  found.inode = std::stoull(words["inode"]);
  found.born = std::stoll(words["born"]);
  found.mode = static_cast<mode_t>(std::stoul(words["mode"]));
  if (words.contains("error"))
    found.error = {static_cast<core::ErrorClass>(std::stoi(words["error"])), words["message"]};
  if (auto arrays = storage::parse_array_layout(words["arrays"]))
    found.set = SubfileSet::of_arrays(path, std::move(*arrays));
  if (words.contains("folder")) found.set.emplace(path, words["folder"], storage::Manifest{});
  if (!words.contains("manifest")) return found;
  auto manifest = storage::parse_manifest(words["manifest"], path);
  if (manifest)
    found.set->manifest() = std::move(manifest.value());
  else
    found.error = manifest.error();
  return found;
}

bool is_in_subfiles(const std::map<std::string, std::string>& words) {
  return words.contains("folder") || words.contains("arrays") || words.contains("error");
}

bool is_empty(const std::map<std::string, std::string>& words) {
  const auto empty = words.find("empty");
  return empty != words.end() && empty->second == "1";
}

void follow_link(File& file, const std::map<std::string, std::string>& words) {
  const auto own = words.find("path");
  if (own == words.end()) return;
  file.path = own->second;
  file.linked = true;
}

core::Error take_up_subfiles(File& file, storage::FoundFile found, bool writes) {
  const bool makes = found.error.ok() && !found.set && found.empty && writes;
  const bool made = makes && file.hints.subfiles > 0;
  if (makes && !made && file.hints.in_force["collio_subfiles"] == "auto")
    file.warnings.push_back(
        "collio_subfiles=auto: one in each folder, and collio_subfile_dirs names no folders; " + file.path +
        " stays whole");
  core::Error error = made ? make_set(file) : take_found(file, std::move(found), writes);
  if (!file.subfiles) return error;
  align_to_stripes(file);
  return error.ok() ? watch_targets(file) : error;
}

SubfileSet settled_set(const SubfileUse& use) {
  SubfileSet set = use.set;
  if (use.in_force) set.manifest().layout = *use.in_force->settled();
  return set;
}

bool changed_by_others(SubfileUse& use) {
  use.touched = use.touched || storage::stamp_of(use.set.manifest_path()) != use.stamp;
  return use.touched;
}

core::Error change_locked_manifest(SubfileUse& use, const ManifestChange& change) {
  if (use.stamp) static_cast<void>(changed_by_others(use));
  SubfileSet changed = use.set;
  core::Error error = reread_manifest(changed);
  if (error.ok() && changed.layout() != (use.in_force ? *use.in_force->now() : use.set.layout()))
    error = {core::ErrorClass::bad_file,
             use.set.path() +
                 ": another program has dealt its stripes anew, which a lock was to keep it from; "
                 "bytes written here since may be missing"};
  if (error.ok()) {
    change(changed.manifest());
    error = write_manifest(changed);
    use.noted_bytes = changed.manifest().file_bytes;
  }
  if (use.stamp) use.stamp = storage::stamp_of(use.set.manifest_path());
  return error;
}

core::Error change_manifest(SubfileUse& use, const ManifestChange& change) {
  const storage::SetLock lock(use.set.path());
  return change_locked_manifest(use, change);
}

core::Result<std::int64_t> length_of(const File& file) { return length_by(settled_set(*file.subfiles), {}); }

core::Error agreed_length(File& file, std::int64_t& bytes) {
  return agreed_length(file, settled_set(*file.subfiles), bytes);
}

core::Error agreed_length(File& file, const SubfileSet& set, std::int64_t& bytes) {
  auto mine = length_by(set, share_of(file));
  const core::Error error = agreed(file, mine ? core::Error{} : mine.error());
  bytes = -file.agreement->least(mine ? -mine.value() : 0);
  return error;
}

core::Error resize(File& file, std::int64_t bytes, storage::Resize how) {
  const SubfileSet set = settled_set(*file.subfiles);
  if (set.has_arrays())
    return {core::ErrorClass::argument,
            file.path + " has array subfiles, whose lengths follow from their arrays and cannot be set"};
  if (how == storage::Resize::allocate) keep_dealing(file);
  if (file.subfiles->watch) file.subfiles->watch->set_bytes = bytes;
  core::Error error;
  if (how ==
      storage::Resize::to)  // first: a crash between leaves a manifest that asks for less than there is
    error = on_first(file, [&] {
      return change_manifest(*file.subfiles, [bytes](storage::Manifest& m) {
        m.file_bytes = std::min(m.file_bytes, bytes);
        m.synced_bytes = std::min(m.synced_bytes, bytes);
      });
    });
  if (!error.ok()) return error;
  return agreed(file, resize_subfiles(set, share_of(file), bytes, how));
}

namespace {

enum class Noted { flushed, closed };

/// Gives each subfile its share of the file, so that a shorter one is a damaged one from now on. `bytes`:
/// those of the file; afterwards those of which all subfiles have their share. Collective.
core::Error settle_lengths(File& file, std::int64_t& bytes, Noted how) {
  SubfileUse& use = *file.subfiles;
  const bool flushes = how == Noted::flushed;
  auto mine = grow_subfiles(settled_set(use), share_of(file), bytes,
                            flushes ? storage::Flush::yes : storage::Flush::no);
  core::Error error = mine ? core::Error{} : mine.error();
  if (flushes && !use.names_flushed) core::keep_worst(error, flush_names(use.set, share_of(file)));
  error = agreed(file, error);
  if (!error.ok()) return error;
  bytes = file.agreement->least(mine.value());
  use.names_flushed = use.names_flushed || flushes;
  return {};
}

/// Writes down how long the file is. Collective.
core::Error note(File& file, Noted how) {
  std::int64_t bytes = 0;
  core::Error error = agreed_length(file, bytes);
  if (error.ok()) error = settle_lengths(file, bytes, how);
  if (!error.ok()) return error;
  return on_first(file, [&] {
    return change_manifest(*file.subfiles, [&](storage::Manifest& m) {
      m.file_bytes = bytes;
      m.synced_bytes = how == Noted::flushed ? bytes : std::min(m.synced_bytes, bytes);
      m.complete = how == Noted::closed;
    });
  });
}

/// Collective.
core::Error remove_set(File& file) {
  const SubfileSet& set = file.subfiles->set;
  core::Error error = agreed(file, remove_subfiles(set, share_of(file)));
  if (error.ok()) error = on_first(file, [&] { return remove_folder(set); });
  return error;
}

/// On rank 0: why the subfiles are kept, though the hints ask to join them; empty: `alone` holds them.
core::Result<std::string> why_kept(const SubfileSet& set, std::shared_ptr<storage::SetUse>& alone) {
  alone = std::make_shared<storage::SetUse>(set.path(), storage::SetUse::By::one);
  const int error = alone->error();
  if (error == EAGAIN || error == EACCES) return std::string("others have the file open");
  if (error != 0)
    return std::string("it cannot be locked (") + std::strerror(error) +
           "), so nothing tells whether others have it open";
  auto there = has_placeholder(set);
  if (!there) return there.error();
  return std::string(there.value() ? "" : "another program has joined or replaced the file");
}

/// Subfiles to one file, all ranks at once, unless others use them. On error they stay as they are.
/// Collective.
core::Error join(File& file) {
  SubfileUse& use = *file.subfiles;
  const SubfileSet set = settled_set(use);
  use.use.reset();  // else this one is in the way
  std::shared_ptr<storage::SetUse> alone;
  bool kept = false;
  core::Error error = on_first(file, [&]() -> core::Error {
    const auto why = why_kept(set, alone);
    if (!why) return why.error();
    kept = !why.value().empty();
    if (kept)
      file.warnings.push_back("collio_join=" + std::string(name_of(file.hints.join)) + ": the subfiles of " +
                              file.path + " are kept: " + why.value() + "; collio join makes it one file");
    return {};
  });
  if (!error.ok() || file.agreement->least(kept ? 0 : 1) == 0) return error;
  if (file.hints.join == policy::Join::background) {
    use.joining = true;
    return on_first(file, [&] { return join_in_background(set, std::move(alone)); });
  }
  std::int64_t bytes = 0;
  error = agreed_length(file, bytes);
  if (error.ok()) error = on_first(file, [&] { return begin_join(set, bytes); });
  if (error.ok()) error = agreed(file, join_part(set, bytes, share_of(file), use.tally));
  if (error.ok()) error = on_first(file, [&] { return end_join(set, bytes); });
  if (!error.ok()) return error;
  std::int64_t copied[] = {use.tally.by_kernel, use.tally.through_memory};
  transport::reduce_to_all(copied, 2, MPI_INT64_T, MPI_SUM, file.comm);
  use.tally = {copied[0], copied[1]};
  use.joined = true;
  return remove_set(file);
}

}  // namespace

core::Error note_flushed(File& file) {
  return file.subfiles->writes ? note(file, Noted::flushed) : core::Error{};
}

core::Error close_subfiles(File& file, AtClose how) {
  if (how == AtClose::remove) return remove_set(file);
  if (!file.subfiles->writes) return {};
  core::Error error = note(file, Noted::closed);
  return error.ok() && file.hints.join != policy::Join::never ? join(file) : error;
}

}  // namespace collio::engine
