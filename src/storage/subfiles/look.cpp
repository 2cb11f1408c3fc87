// See look.hpp.
#include "storage/subfiles/look.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "storage/subfile_format/manifest.h"
#include "storage/subfile_format/mark.h"

namespace collio::storage {

namespace {

constexpr core::Extent use_byte{std::int64_t{1} << 61 | 17, 1};

bool is_absent(int error) { return error == ENOENT || error == ENOTDIR; }

core::Error cannot_tell(const std::string& path, const char* what, int error) {
  core::Error told = errno_error(what, path, error);
  told.message += "; so it is unknown whether collio keeps its bytes in subfiles";
  if (error == EACCES) told.message += ". Allow its user to read it";
  return told;
}

/// Whether a folder of subfiles lies beside the file.
bool has_folder(const std::string& path) {
  const std::filesystem::path file(path);
  const std::string begin = name_for_set(file.filename().native()) + ".collio";
  std::error_code failed;
  std::filesystem::directory_iterator next(file.parent_path(), failed);
  for (; !failed && next != std::filesystem::directory_iterator(); next.increment(failed))
    if (next->path().filename().native().starts_with(begin)) return true;
  return false;
}

/// A damaged mark is no ordinary data. A part of it may be: few bytes tell little, so the folder counts too.
bool is_damaged(const std::string& begin, const std::string& path) {
  if (begin.empty() || begin.starts_with(COLLIO_MARK)) return false;
  if (begin.size() >= collio_mark_bytes) return collio_is_mark(begin.data(), begin.size()) != 0;
  return std::string_view(COLLIO_MARK).starts_with(begin) && has_folder(path);
}

/// What programs without collio write into a placeholder is no part of the file. A join that ended early has
/// left other bytes: those of the file.
std::string remark_on_foreign_bytes(const SubfileSet& set, const std::string& begin, std::int64_t size) {
  const std::string text = set.placeholder().text();
  const auto head = static_cast<std::int64_t>(set.placeholder().head().size());
  if (size == head || (size == static_cast<std::int64_t>(text.size()) && text.starts_with(begin))) return {};
  if (const auto bytes = length_by(set, {}); bytes && size == std::max(bytes.value(), head)) return {};
  return set.path() + " has " + std::to_string(size) + " bytes under this name, and its placeholder is " +
         std::to_string(text.size()) +
         " bytes long: a program without collio wrote to it. What it wrote is not in the file; run it under "
         "collio run";
}

void read_placeholder(FoundFile& found, const std::string& begin, const std::string& path,
                      std::int64_t size) {
  if (is_damaged(begin, path)) {
    found.error = {core::ErrorClass::bad_file,
                   path + " is a placeholder of collio's subfiles whose first bytes are damaged"};
    return;
  }
  auto placeholder = parse_placeholder(begin, path);
  if (!placeholder) {
    found.error = placeholder.error();
  } else if (placeholder.value()) {
    found.set.emplace(path, placeholder.value()->folder, Manifest{});
    found.set->manifest().identity = placeholder.value()->identity;
    found.error = reread_manifest(*found.set);
    if (!found.error.ok()) return;
    found.standing = standing_of(*found.set, found.mark);
    for (const std::string& remark :
         {remark_on(*found.set, found.standing), remark_on_foreign_bytes(*found.set, begin, size)})
      if (!remark.empty()) found.warnings.push_back(remark);
  }
}

FoundFile look_once(const std::string& path) {
  FoundFile found;
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) {
    if (!is_absent(errno)) found.error = cannot_tell(path, "look at", errno);
    return found;
  }
  if (!S_ISREG(about.st_mode)) return found;  // opening one to read may wait for a writer
  found.mark.inode = about.st_ino;
  found.links = about.st_nlink;
  found.mode = about.st_mode & 0666;
  found.empty = about.st_size == 0;
  const OpenedFile file(path, found.empty ? O_PATH : O_RDONLY);
  if (file.error() != 0) {
    if (collio_may_be_unread_placeholder(path.c_str(), file.error()))
      found.error = cannot_tell(path, "open", file.error());
    return found;
  }
  found.mark = mark_of(file.fd(), about.st_ino);
  if (found.empty) {
    found.former = former_set(path, found.mark);
    if (found.former && found.former->lost) found.warnings.push_back(remark_on(*found.former));
    return found;
  }
  std::string begin(collio_head_bytes, '\0');
  if (const int error = read_all_at(file.fd(), begin, 0); error != 0)
    found.error = cannot_tell(path, "read", error);
  else
    read_placeholder(found, begin, path, about.st_size);
  return found;
}

}  // namespace

SetUse::SetUse(const std::string& path, By by)
    : file_(path, by == By::many ? O_RDONLY : O_RDWR),
      lock_(by == By::one ? RangeLock::at_once(file_.fd(), use_byte, RangeUse::write)
                          : RangeLock(file_.fd(), use_byte, RangeUse::read)) {}

bool SetUse::is_held(const std::string& path) {
  const OpenedFile file(path, O_RDONLY);
  struct flock held {};
  held.l_type = F_WRLCK;  // F_OFD_GETLK asks of one that the descriptor need not allow
  held.l_whence = SEEK_SET;
  held.l_start = use_byte.offset;
  held.l_len = use_byte.length;
  return file.error() == 0 && ::fcntl(file.fd(), F_OFD_GETLK, &held) == 0 && held.l_type != F_UNLCK;
}

bool is_link(const std::string& path) {
  std::error_code failed;
  return std::filesystem::is_symlink(std::filesystem::path(path), failed);
}

FoundFile look_for_subfiles(const std::string& path) {
  std::error_code failed;
  if (is_link(path))
    if (const auto file = std::filesystem::weakly_canonical(path, failed); !failed && file != path) {
      FoundFile found = look_for_subfiles(file.native());
      found.path = file.native();
      return found;
    }
  for (;;) {
    FoundFile before = look_once(path);
    if (!before.set && before.error.ok()) return before;
    auto use = std::make_shared<SetUse>(path, SetUse::By::many);
    // The set may have been removed meanwhile, which looks like damage, and the name be another file's.
    FoundFile found = look_once(path);
    if (found.mark.inode != before.mark.inode) continue;
    if (found.set && found.error.ok()) found.use = std::move(use);
    return found;
  }
}

}  // namespace collio::storage
