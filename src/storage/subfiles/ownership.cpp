// See ownership.hpp.
#include "storage/subfiles/ownership.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "storage/subfiles/files.hpp"
#include "storage/subfiles/look.hpp"

namespace collio::storage {

namespace {

/// Calls each(entry) for the names in a folder until it returns true. errno of the folder.
template <class Each>
int for_each_name(const std::string& folder, Each&& each) {
  DIR* const names = ::opendir(folder.c_str());
  if (!names) return errno;
  bool found = false;
  errno = 0;
  while (const dirent* entry = found ? nullptr : ::readdir(names)) {
    found = each(*entry);
    errno = 0;
  }
  const int error = errno;
  ::closedir(names);
  return error;
}

bool same_file(const FileMark& a, const FileMark& b) {
  return a.inode == b.inode && (a.born == b.born || a.born == 0 || b.born == 0);
}

FileMark mark_in(const Manifest& m) { return {m.inode, m.born}; }

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// An ordinary file of this name that begins with the head of the set's placeholder. Nothing: it is none.
std::optional<FileMark> placeholder_at(const std::string& path, const std::string& head) {
  const OpenedFile file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat about {};
  std::string begin(head.size(), '\0');
  if (file.error() != 0 || ::fstat(file.fd(), &about) != 0 || !S_ISREG(about.st_mode) ||
      read_all_at(file.fd(), begin, 0) != 0 || begin != head)
    return {};
  return mark_of(file.fd(), about.st_ino);
}

bool has_folder_elsewhere(const Manifest& m) {
  return std::ranges::any_of(m.folders, [](const std::string& folder) { return folder.starts_with('/'); });
}

}  // namespace

FileMark mark_of(int fd, ino_t inode) {
  struct statx s {};
  FileMark mark{inode, 0};
  if (::statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &s) == 0 && (s.stx_mask & STATX_BTIME) != 0)
    mark.born = s.stx_btime.tv_sec * std::int64_t{1'000'000'000} + s.stx_btime.tv_nsec;
  return mark;
}

Standing standing_of(const SubfileSet& set, const FileMark& file) {
  const Manifest& m = set.manifest();
  if (same_file(mark_in(m), file)) return {};
  const std::string folder = parent_folder(set.path()), own = name_of(set.path()),
                    head = set.placeholder().head();
  std::string original;
  const int error = for_each_name(folder, [&](const dirent& entry) {
    if (entry.d_ino != m.inode || entry.d_name == own) return false;
    const std::string path = folder + "/" + entry.d_name;
    const auto there = placeholder_at(path, head);
    if (there && same_file(mark_in(m), *there)) original = path;
    return !original.empty();
  });
  if (!original.empty()) return {Owner::copy, original};
  if (error != 0)
    return {Owner::unknown, "the names in its folder cannot be read (errno " + std::to_string(error) + ")"};
  if (has_folder_elsewhere(m)) return {Owner::unknown, "its subfiles lie in " + set.folder_of_subfile(0)};
  return {Owner::moved, {}};
}

std::string remark_on(const SubfileSet& set, const Standing& standing) {
  const std::string& path = set.path();
  if (standing.owner == Owner::copy)
    return path + " is a copy of the placeholder " + standing.evidence + ": its bytes are those of " +
           standing.evidence + ". collio cp " + standing.evidence + " NEW copies a file with its bytes";
  if (standing.owner != Owner::unknown) return {};
  return path + " may be a copy of another placeholder: " + standing.evidence +
         ". If it is the only one: collio fsck --repair " + path;
}

core::Error refusal_to_write(const SubfileSet& set, const Standing& standing) {
  if (may_change(standing)) return {};
  const std::string& path = set.path();
  if (standing.owner == Owner::unknown)
    return {core::ErrorClass::read_only, "cannot write " + path + ": " + remark_on(set, standing)};
  return {core::ErrorClass::read_only, "cannot write " + path + ": it is a copy of the placeholder " +
                                           standing.evidence +
                                           ", whose bytes would change. For a copy with bytes remove " +
                                           path + ", then: collio cp " + standing.evidence + " " + path};
}

core::Result<std::string> other_placeholder(const SubfileSet& set) {
  constexpr off_t most_bytes = 4096;  // of a placeholder's text
  const std::string folder = parent_folder(set.path()), own = name_of(set.path()),
                    head = set.placeholder().head();
  std::string other;
  const int error = for_each_name(folder, [&](const dirent& entry) {
    if (entry.d_name == own || (entry.d_type != DT_REG && entry.d_type != DT_UNKNOWN)) return false;
    const std::string path = folder + "/" + entry.d_name;
    struct stat about {};
    if (::lstat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_size > most_bytes ||
        about.st_size < static_cast<off_t>(head.size()))
      return false;
    if (placeholder_at(path, head)) other = path;
    return !other.empty();
  });
  if (other.empty() && error != 0) return errno_error("look for copies of the placeholder in", folder, error);
  return other;
}

bool is_led_to_by(const SubfileSet& set, const FileMark& file) {
  const auto there = placeholder_at(set.path(), set.placeholder().head());
  return there && same_file(*there, file);
}

core::Error remove_with_last(const SubfileSet& set) {
  if (placeholder_at(set.path(), set.placeholder().head())) return {};  // of a copy that took the name
  const auto other = other_placeholder(set);
  if (!other) return other.error();
  if (!other.value().empty()) return {};
  const core::Error error = remove_subfiles(set, {});
  return error.ok() ? remove_folder(set) : error;
}

core::Result<bool> is_needed(const SubfileSet& set, const Standing& standing) {
  struct stat about {};
  if (!may_change(standing)) return true;
  if (::stat(set.path().c_str(), &about) == 0 && about.st_nlink > 1) return true;
  const auto other = other_placeholder(set);
  if (!other) return other.error();
  return !other.value().empty();
}

std::optional<FormerSet> former_set(const std::string& path, const FileMark& file) {
  SubfileSet set(path, name_for_set(name_of(path)) + ".collio", Manifest{});
  struct stat about {
  }, of_manifest{};
  if (::stat(set.manifest_path().c_str(), &of_manifest) != 0) return {};
  const auto text = read_text(set.manifest_path());
  if (!text) return {};
  auto manifest = parse_manifest(text.value(), path);
  // An inode's number comes again when its file is gone; the time of birth with it does not.
  if (!manifest || manifest.value().born == 0 || !same_file(mark_in(manifest.value()), file) ||
      file.born == 0 || ::stat(path.c_str(), &about) != 0)
    return {};
  set.manifest() = std::move(manifest.value());
  const timespec emptied = about.st_mtim, counted = of_manifest.st_mtim;
  const bool before = emptied.tv_sec < counted.tv_sec ||
                      (emptied.tv_sec == counted.tv_sec && emptied.tv_nsec < counted.tv_nsec);
  const bool lost = before && set.manifest().file_bytes > 0;
  return FormerSet{std::move(set), lost};
}

std::string remark_on(const FormerSet& former) {
  if (!former.lost) return {};
  const SubfileSet& set = former.set;
  return set.path() + " is empty, but " + set.folder() + " has " + std::to_string(set.manifest().file_bytes) +
         " bytes of it: its placeholder was lost. collio fsck --repair " + set.folder() + " recovers them";
}

core::Error remove_former(const FormerSet& former) {
  if (former.lost) return {};
  const SetUse alone(former.set.path(), SetUse::By::one);
  const bool in_use = alone.error() == EAGAIN || alone.error() == EACCES;
  // Without locks: one that is not complete may be in the making by another open.
  if (in_use || (alone.error() != 0 && !former.set.manifest().complete)) return {};
  return remove_with_last(former.set);
}

}  // namespace collio::storage
