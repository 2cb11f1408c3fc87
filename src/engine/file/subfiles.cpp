// See subfiles.hpp.
#include "engine/file/subfiles.hpp"

#include <cerrno>
#include <cstring>
#include <optional>
#include <random>
#include <utility>

#include "engine/file/subfile_steps.hpp"
#include "engine/open/first_word.hpp"
#include "engine/open/pooled.hpp"
#include "policy/domains/by_layout.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::engine {

namespace {

using storage::SubfileSet;

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
  m.inode = found.mark.inode;
  m.born = found.mark.born;
  m.layout = {file.settings.hints.subfile_unit_bytes, file.settings.hints.subfiles};
  if (!file.settings.hints.subfile_folders.empty()) {
    m.folders.clear();
    for (const std::string& folder : file.settings.hints.subfile_folders)
      m.folders.push_back(absolute_path(folder));
  }
  return {file.path, name + ".collio", std::move(m)};
}

storage::WrittenHere::Key key_of(const storage::FoundFile& found) {
  return {found.set->manifest().identity, found.mark.inode, found.mark.born};
}

/// Removes what an attempt to make a set has made. Collective.
void undo(const Ranks& ranks, const SubfileSet& set) {
  File& file = ranks.file;
  static_cast<void>(remove_subfiles(set, share_of(file)));
  transport::meet(ranks.comm);
  if (file.rank == 0) static_cast<void>(remove_folder(set));
}

/// All bytes must be there for who writes. Who reads gets those that were flushed at least, as of any file
/// after a loss of power. `here`: whether this rank writes it already; afterwards whether any does.
/// Collective.
core::Error check_bytes(const Ranks& ranks, SubfileSet& set, bool writes, transport::Most<bool>& here) {
  File& file = ranks.file;
  storage::Presence mine = check_subfiles(set, share_of(file));
  const storage::Manifest& m = set.manifest();
  if (mine.whole_bytes >= m.synced_bytes && m.synced_bytes > 0 && !writes)
    mine.lack = {};
  else if (!mine.lack.ok() && mine.whole_bytes >= 0)
    mine.lack.message += "; collio fsck --repair " + set.path() + " cuts the file there";
  transport::Least<std::int64_t> whole{mine.whole_bytes};
  core::Error error = agreed(ranks, mine.lack, whole, here);
  if (!error.ok() || whole.value == m.file_bytes) return error;
  set.end_at(whole.value);
  file.records.warnings.push_back(set.path() + ": bytes from " + std::to_string(whole.value) +
                                  " on are missing (of " + std::to_string(m.file_bytes) +
                                  "). It is read as a file of " + std::to_string(whole.value) +
                                  " bytes, of which " + std::to_string(m.synced_bytes) + " were flushed");
  return {};
}

/// On rank 0: the file owns its set from now on, unless a copy of it does meanwhile. Copies have a SetLock
/// each, and the first subfile together.
core::Error adopt(SubfileUse& use, const storage::FileMark& mark) {
  const storage::SetLock alone(use.set.subfile_path(0));
  SubfileSet now = use.set;
  core::Error error = reread_manifest(now);
  if (error.ok()) error = refusal_to_write(now, standing_of(now, mark));
  if (!error.ok()) return error;
  return change_manifest(use, [&mark](storage::Manifest& m) {
    m.complete = false;
    m.inode = mark.inode, m.born = mark.born;
  });
}

/// Collective.
core::Error use_set(const Ranks& ranks, storage::FoundFile found, bool writes) {
  File& file = ranks.file;
  SubfileSet& set = *found.set;
  const storage::WrittenHere::Key key = key_of(found);
  transport::Most<bool> is_here{storage::WrittenHere::is(key)};
  core::Error error = writes ? refusal_to_write(set, found.standing) : core::Error{};
  if (error.ok()) error = check_bytes(ranks, set, writes, is_here);
  if (!error.ok()) return error;
  const auto& use = found.use;  // on rank 0
  if (!set.manifest().complete && !is_here.value)
    file.records.warnings.push_back(
        file.path + ": a program is writing this file, or ended before it closed it; " +
        std::to_string(set.manifest().file_bytes) + " bytes were there when it was last closed or flushed");
  if (use && use->error() != 0)
    file.records.warnings.push_back(
        file.path + " cannot be locked (" + std::strerror(use->error()) +
        "): a program that joins its subfiles would not notice that they are in use");
  const bool notes = writes && !set.has_arrays();
  const auto here = notes ? std::make_shared<const storage::WrittenHere>(key) : nullptr;
  file.stored.subfiles.emplace(
      SubfileUse{.set = std::move(set), .writes = notes, .written_here = here, .use = use});
  file.stored.subfiles->standing = found.standing;
  file.stored.subfiles->noted_bytes = file.stored.subfiles->set.manifest().file_bytes;
  if (!notes) return {};
  return on_first(ranks, [&] {
    if (found.standing.owner == storage::Owner::moved) return adopt(*file.stored.subfiles, found.mark);
    return change_manifest(*file.stored.subfiles, [](storage::Manifest& m) { m.complete = false; });
  });
}

/// Collective.
core::Error take_found(const Ranks& ranks, storage::FoundFile found, bool writes) {
  File& file = ranks.file;
  if (!found.error.ok()) return found.error;
  file.records.warnings.insert(file.records.warnings.end(), found.warnings.begin(), found.warnings.end());
  if (found.set) return use_set(ranks, std::move(found), writes);
  if (file.settings.hints.subfiles > 0 && writes)
    file.records.warnings.push_back(
        "collio_subfiles=" + std::to_string(file.settings.hints.subfiles) + ": " + file.path +
        " has bytes already and stays one file; collio split makes subfiles of it");
  return {};
}

/// On rank 0, under the lock: makes the set, unless another open of the file has made one meanwhile. Whether
/// it did.
bool make_on_first(File& file, const storage::SetLock& lock, storage::FoundFile& found) {
  if (lock.error() != 0)
    file.records.warnings.push_back(file.path + " cannot be locked (" + std::strerror(lock.error()) +
                                    "): several opens of a new file at the same time may undo each other");
  found = storage::look_for_subfiles(file.path);
  if (!found.empty) return false;
  if (found.former) found.error = remove_former(*found.former);
  if (!found.error.ok()) return true;
  found.use = std::make_shared<storage::SetUse>(file.path, storage::SetUse::By::many);
  found.set = new_set(file, found);
  found.error = make_folder(*found.set);
  return true;
}

/// Collective.
core::Error make_set(const Ranks& ranks) {
  File& file = ranks.file;
  std::optional<storage::SetLock> lock;
  storage::FoundFile found;
  FirstWord word;
  if (file.rank == 0) {
    const bool made = make_on_first(file, lock.emplace(file.path), found);
    word.found = words_of(found);
    word.found["made"] = made ? "1" : "0";
  }
  word = share(ranks.comm, std::move(word));
  found = found_from(word.found, file.path, std::move(found));
  if (word.found["made"] != "1" || !found.error.ok()) {
    lock.reset();
    if (found.set && found.set->has_arrays())  // this open was set up for a file of stripes
      return {core::ErrorClass::access,
              file.path + ": another program has made array subfiles for it meanwhile; open it again"};
    return take_found(ranks, std::move(found), true);
  }
  file.records.warnings.insert(file.records.warnings.end(), found.warnings.begin(), found.warnings.end());
  const SubfileSet& set = *found.set;
  core::Error error = agreed(ranks, create_subfiles(set, share_of(file), found.mode));
  if (error.ok()) error = on_first(ranks, [&] { return write_placeholder(set); });
  if (error.ok()) {
    const auto here = std::make_shared<const storage::WrittenHere>(key_of(found));
    file.stored.subfiles.emplace(
        SubfileUse{.set = set, .writes = true, .written_here = here, .use = std::move(found.use)});
  } else {
    undo(ranks, set);
  }
  return error;
}

/// File domains follow the stripes of the subfiles. Locks are those of the file system that these lie on.
void align_to_stripes(File& file) {
  const SubfileSet& set = file.stored.subfiles->set;
  const storage::SubfileLayout& layout = set.layout();
  auto& in_force = file.records.in_force.edit();
  in_force["collio_subfiles"] = std::to_string(layout.count);
  in_force["collio_subfile_unit"] = std::to_string(layout.unit_bytes);
  pool(file.records.in_force);
  if (!file.settings.hints.layout) return;
  machine::StorageModel& storage = file.machine.storage;
  storage = policy::with_layout(std::move(storage), {});  // without that of the first subfile
  const std::int64_t unit = set.has_arrays() ? set.arrays()->stripe_bytes() : layout.unit_bytes;
  storage.layout = {unit, static_cast<int>(layout.members_at_end()), {}, "subfiles"};
}

}  // namespace

core::Error in_a_ranks_words(const Ranks& ranks, const core::Error& worst, const core::Error& mine) {
  if (worst.ok()) return {};
  return {worst.kind, weightiest_text(ranks.comm, mine.kind == worst.kind ? 1 : 0, mine.message)};
}

std::map<std::string, std::string> words_of(const storage::FoundFile& found) {
  std::map<std::string, std::string> words{{"empty", found.empty ? "1" : "0"},
                                           {"inode", std::to_string(found.mark.inode)},
                                           {"born", std::to_string(found.mark.born)},
                                           {"mode", std::to_string(found.mode)}};
  if (!found.path.empty()) words["path"] = found.path;
  if (found.set && found.set->has_arrays()) {
    words["arrays"] = text_of(*found.set->arrays());
    return words;
  }
  if (found.set) words["folder"] = found.set->folder_name();
  if (found.set && found.error.ok()) {
    words["manifest"] = text_of(found.set->manifest());
    words["owner"] = std::to_string(static_cast<int>(found.standing.owner));
    words["evidence"] = found.standing.evidence;
  }
  if (found.error.ok()) return words;
  words["error"] = std::to_string(static_cast<std::int32_t>(found.error.kind));
  words["message"] = found.error.message;
  return words;
}

storage::FoundFile found_from(std::map<std::string, std::string> words, const std::string& path,
                              storage::FoundFile on_first) {
  storage::FoundFile found;
  found.use = std::move(on_first.use);
  found.former = std::move(on_first.former);
  found.warnings = std::move(on_first.warnings);
  found.empty = words["empty"] == "1";
  found.mark = {std::stoull(words["inode"]), std::stoll(words["born"])};
  found.mode = static_cast<mode_t>(std::stoul(words["mode"]));
  if (words.contains("error"))
    found.error = {static_cast<core::ErrorClass>(std::stoi(words["error"])), words["message"]};
  if (auto arrays = storage::parse_array_layout(words["arrays"]))
    found.set = SubfileSet::of_arrays(path, std::move(*arrays));
  if (words.contains("folder")) found.set.emplace(path, words["folder"], storage::Manifest{});
  if (!words.contains("manifest")) return found;
  auto manifest = storage::parse_manifest(words["manifest"], path);
  if (!manifest) {
    found.error = manifest.error();
    return found;
  }
  found.set->manifest() = std::move(manifest.value());
  found.standing = {static_cast<storage::Owner>(std::stoi(words["owner"])), words["evidence"]};
  return found;
}

bool is_in_subfiles(const std::map<std::string, std::string>& words) {
  return words.contains("folder") || words.contains("arrays") || words.contains("error");
}

bool is_empty(const std::map<std::string, std::string>& words) {
  const auto empty = words.find("empty");
  return empty != words.end() && empty->second == "1";
}

std::string path_behind_link(const std::map<std::string, std::string>& words) {
  const auto own = words.find("path");
  return own == words.end() ? "" : own->second;
}

core::Error take_up_subfiles(const Ranks& ranks, storage::FoundFile found, bool writes) {
  File& file = ranks.file;
  const bool makes = found.error.ok() && !found.set && found.empty && writes;
  const bool made = makes && file.settings.hints.subfiles > 0;
  if (makes && !made && file.records.in_force.get().at("collio_subfiles") == "auto")
    file.records.warnings.push_back(
        "collio_subfiles=auto: one in each folder, and collio_subfile_dirs names no folders; " + file.path +
        " stays whole");
  if (makes && !made && found.former)
    if (const core::Error left = remove_former(*found.former); !left.ok())
      file.records.warnings.push_back("subfiles that " + file.path +
                                      " had before it was emptied are left: " + left.message);
  core::Error error = made ? make_set(ranks) : take_found(ranks, std::move(found), writes);
  if (!file.stored.subfiles) return error;
  align_to_stripes(file);
  return error.ok() ? watch_targets(ranks) : error;
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
    error = {core::ErrorClass::bad_file, use.set.path() +
                                             ": another program has dealt its stripes again, despite a lock; "
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

core::Result<std::int64_t> length_of(const File& file) {
  return length_by(settled_set(*file.stored.subfiles), {});
}

core::Error agreed_length(const Ranks& ranks, std::int64_t& bytes) {
  return agreed_length(ranks, settled_set(*ranks.file.stored.subfiles), bytes);
}

core::Error agreed_length(const Ranks& ranks, const SubfileSet& set, std::int64_t& bytes) {
  auto mine = length_by(set, share_of(ranks.file));
  transport::Most<std::int64_t> length{mine ? mine.value() : 0};
  core::Error error = agreed(ranks, mine ? core::Error{} : mine.error(), length);
  bytes = length.value;
  return error;
}

core::Error resize(const Ranks& ranks, std::int64_t bytes, storage::Resize how) {
  File& file = ranks.file;
  const SubfileSet set = settled_set(*file.stored.subfiles);
  if (set.has_arrays())
    return {core::ErrorClass::argument,
            file.path + " has array subfiles, whose lengths follow from their arrays and cannot be set"};
  if (how == storage::Resize::allocate) keep_dealing(file);
  if (file.stored.subfiles->watch) file.stored.subfiles->watch->set_bytes = bytes;
  core::Error error;
  if (how ==
      storage::Resize::to)  // first: a crash between leaves a manifest that asks for less than there is
    error = on_first(ranks, [&] {
      return change_manifest(*file.stored.subfiles, [bytes](storage::Manifest& m) {
        m.file_bytes = std::min(m.file_bytes, bytes);
        m.synced_bytes = std::min(m.synced_bytes, bytes);
      });
    });
  if (!error.ok()) return error;
  return agreed(ranks, resize_subfiles(set, share_of(file), bytes, how));
}

}  // namespace collio::engine
