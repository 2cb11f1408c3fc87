// See set.hpp.
#include "storage/subfiles/set.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <utility>

#include "storage/subfiles/files.hpp"

namespace collio::storage {

namespace {

/// Calls each(subfile) until it returns an error, and for all of the share where it returns none.
template <class Each>
core::Error for_each_subfile(const SubfileSet& set, const SubfileShare& share, Each&& each) {
  for (std::int64_t i = share.first; i < set.layout().count; i += share.step)
    if (core::Error error = each(i, set.subfile_path(i)); !error.ok()) return error;
  return {};
}

/// At least `bytes` bytes of length. Never shortens the file, whoever else writes to it. errno or 0.
int grow(int fd, std::int64_t bytes) {
  int error = 0;
  do error = ::fallocate(fd, 0, bytes - 1, 1) == 0 ? 0 : errno;
  while (error == EINTR);
  return error;
}

/// errno of fallocate() of a file system that has none.
bool cannot_grow(int error) { return error == EOPNOTSUPP || error == ENOSYS || error == EINVAL; }

/// The first byte of the file that a subfile of this many bytes lacks.
std::int64_t first_missing(const SubfileLayout& layout, std::int64_t subfile, std::int64_t bytes) {
  return layout.file_bytes({subfile, {0, bytes + 1}}) - 1;
}

/// Folders of subfiles besides the manifest's.
std::vector<std::string> folders_elsewhere(const SubfileSet& set) {
  std::vector<std::string> folders;
  const auto dealt =
      std::min<std::int64_t>(set.layout().count, static_cast<std::int64_t>(set.manifest().folders.size()));
  for (std::int64_t i = 0; i < dealt; ++i)
    if (std::string folder = set.folder_of_subfile(i); folder != set.folder())
      folders.push_back(std::move(folder));
  return folders;
}

int truncate(int fd, std::int64_t bytes) { return ::ftruncate(fd, bytes) != 0 ? errno : 0; }

/// As grow(), where nobody else writes: every file system can do it.
int lengthen(int fd, std::int64_t bytes) {
  struct stat about {};
  if (::fstat(fd, &about) != 0) return errno;
  return about.st_size < bytes ? truncate(fd, bytes) : 0;
}

/// Room for `bytes` bytes, and at least that length: errno or 0. posix_fallocate() would write zeros where a
/// file system has no fallocate, over what others write at the same time; there the length alone is set.
int allocate(int fd, std::int64_t bytes) {
  int error = 0;
  do error = bytes == 0 || ::fallocate(fd, 0, 0, bytes) == 0 ? 0 : errno;
  while (error == EINTR);
  return cannot_grow(error) ? lengthen(fd, bytes) : error;
}

}  // namespace

SubfileSet::SubfileSet(std::string path, std::string folder, Manifest manifest)
    : path_(std::move(path)), folder_(std::move(folder)), manifest_(std::move(manifest)) {}

SubfileSet SubfileSet::of_arrays(std::string master, ArrayLayout layout) {
  SubfileSet set(std::move(master), ".", Manifest{});
  set.manifest_.layout = layout.fixed;
  set.manifest_.complete = true;
  set.arrays_ = std::make_shared<const ArrayLayout>(std::move(layout));
  return set;
}

std::string SubfileSet::folder() const { return parent_folder(path_) + "/" + folder_; }

std::string SubfileSet::folder_of_subfile(std::int64_t subfile) const {
  const std::vector<std::string>& folders = manifest_.folders;
  const std::string& there = folders[static_cast<std::size_t>(subfile) % folders.size()];
  return there == "." ? folder() : there.starts_with('/') ? there : folder() + "/" + there;
}

std::string SubfileSet::subfile_path(std::int64_t subfile) const {
  if (arrays_ && subfile == layout().count - 1) return path_;
  if (arrays_) return path_ + ".subfile_" + std::to_string(subfile) + ".nc";
  return folder_of_subfile(subfile) + "/" + subfile_name(manifest_, subfile);
}

core::Error reread_manifest(SubfileSet& set) {
  const std::string path = set.manifest_path();
  auto text = read_text(path);
  if (!text)
    return {text.error().kind, set.path() + " is kept in subfiles, and their manifest is missing: " +
                                   text.error().message + "; move the folder with the file"};
  auto manifest = parse_manifest(text.value(), path);
  if (!manifest) return manifest.error();
  if (manifest.value().identity != set.manifest().identity)
    return {core::ErrorClass::bad_file, path + " belongs to another file than " + set.path()};
  set.manifest() = std::move(manifest.value());
  return {};
}

SetLock::SetLock(const std::string& path)
    : file_(path, O_WRONLY), lock_(file_.fd(), {std::int64_t{1} << 61 | 16, 1}, RangeUse::write) {}

core::Error write_manifest(const SubfileSet& set) {
  return replace_text(set.manifest_path(), text_of(set.manifest()));
}

core::Error make_folder(SubfileSet& set) {
  if (::mkdir(set.folder().c_str(), 0777) != 0) {
    if (errno != EEXIST) return errno_error("make the folder", set.folder(), errno);
    const SubfileSet other(set.path(), set.folder_name() + "-" + hex_text(set.manifest().identity),
                           set.manifest());
    if (::mkdir(other.folder().c_str(), 0777) != 0)
      return errno_error("make the folder", other.folder(), errno);
    set = other;
  }
  core::Error error = write_manifest(set);
  if (!error.ok()) static_cast<void>(remove_folder(set));
  return error;
}

core::Error create_subfiles(const SubfileSet& set, const SubfileShare& share, mode_t mode) {
  return for_each_subfile(set, share, [mode](std::int64_t, const std::string& path) {
    const OpenedFile made(path, O_WRONLY | O_CREAT | O_EXCL, mode);
    return made.error() == 0 ? core::Error{} : errno_error("create subfile", path, made.error());
  });
}

core::Error write_placeholder(const SubfileSet& set) {
  const OpenedFile file(set.path(), O_WRONLY);
  int error = file.error() != 0 ? file.error() : write_all_at(file.fd(), set.placeholder().text(), 0);
  if (error == 0) error = flush(file.fd());
  if (error != 0 && file.error() == 0) static_cast<void>(::ftruncate(file.fd(), 0));  // it was empty
  return error == 0 ? core::Error{} : errno_error("write the placeholder", set.path(), error);
}

Presence check_subfiles(const SubfileSet& set, const SubfileShare& share) {
  const auto expected = set.layout().shares(set.manifest().file_bytes);
  Presence all{set.manifest().file_bytes, {}};
  core::Error gone = for_each_subfile(set, share, [&](std::int64_t i, const std::string& path) {
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0) return errno_error("find subfile", path, errno);
    if (about.st_size >= expected(i)) return core::Error{};
    all.whole_bytes = std::min(all.whole_bytes, first_missing(set.layout(), i, about.st_size));
    all.lack = {core::ErrorClass::bad_file, "subfile " + path + " has " + std::to_string(about.st_size) +
                                                " bytes; the manifest says at least " +
                                                std::to_string(expected(i))};
    return core::Error{};
  });
  if (!gone.ok()) return {-1, std::move(gone)};
  return all;
}

core::Result<std::int64_t> length_by(const SubfileSet& set, const SubfileShare& share, std::int64_t enough) {
  std::int64_t most = 0;
  for (std::int64_t i = share.first; i < set.layout().count; i += share.step) {
    const std::string path = set.subfile_path(i);
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0) return errno_error("find subfile", path, errno);
    most = std::max(most, set.file_bytes({i, {0, about.st_size}}));
    if (most >= enough) break;
  }
  return std::min(most, set.end());
}

core::Error resize_subfiles(const SubfileSet& set, const SubfileShare& share, std::int64_t file_bytes,
                            Resize how) {
  const auto wanted = set.layout().shares(file_bytes);
  return for_each_subfile(set, share, [&](std::int64_t i, const std::string& path) {
    const OpenedFile file(path, O_WRONLY);
    if (file.error() != 0) return errno_error("open subfile", path, file.error());
    const int error = how == Resize::allocate ? allocate(file.fd(), wanted(i))
                      : how == Resize::grow   ? lengthen(file.fd(), wanted(i))
                                              : truncate(file.fd(), wanted(i));
    if (error == 0) return core::Error{};
    return errno_error("make " + std::to_string(wanted(i)) + " bytes long: subfile", path, error);
  });
}

core::Result<std::int64_t> grow_subfiles(const SubfileSet& set, const SubfileShare& share,
                                         std::int64_t file_bytes, Flush flush) {
  const SubfileLayout& layout = set.layout();
  const auto wanted = layout.shares(file_bytes);
  std::int64_t all = file_bytes;
  core::Error error = for_each_subfile(set, share, [&](std::int64_t i, const std::string& path) {
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0) return errno_error("find subfile", path, errno);
    if (about.st_size >= wanted(i) && flush == Flush::no) return core::Error{};
    const OpenedFile file(path, O_WRONLY);
    if (file.error() != 0) return errno_error("open subfile", path, file.error());
    int failed = about.st_size < wanted(i) ? grow(file.fd(), wanted(i)) : 0;
    if (cannot_grow(failed)) {
      all = std::min(all, first_missing(layout, i, about.st_size));
      failed = 0;
    }
    if (failed != 0)
      return errno_error("make " + std::to_string(wanted(i)) + " bytes long: subfile", path, failed);
    if (flush == Flush::yes) failed = storage::flush(file.fd());
    return failed == 0 ? core::Error{} : errno_error("flush subfile", path, failed);
  });
  if (!error.ok()) return error;
  return all;
}

core::Error flush_names(const SubfileSet& set, const SubfileShare& share) {
  std::vector<std::string> folders{parent_folder(set.path()), set.folder()};
  std::ranges::copy(folders_elsewhere(set), std::back_inserter(folders));
  for (auto i = share.first; i < static_cast<std::int64_t>(folders.size()); i += share.step)
    if (core::Error error = flush_folder(folders[static_cast<std::size_t>(i)]); !error.ok()) return error;
  return {};
}

core::Error remove_subfiles(const SubfileSet& set, const SubfileShare& share) {
  return for_each_subfile(set, share, [](std::int64_t, const std::string& path) {
    if (::unlink(path.c_str()) == 0 || errno == ENOENT) return core::Error{};
    return errno_error("remove subfile", path, errno);
  });
}

core::Error empty_placeholder(const SubfileSet& set) {
  const OpenedFile file(set.path(), O_WRONLY);
  int error = file.error() != 0 ? file.error() : truncate(file.fd(), 0);
  if (error == 0) error = flush(file.fd());
  if (error == 0 || error == EACCES) return {};  // who may not write a file may delete it
  return errno_error("empty the placeholder", set.path(), error);
}

core::Error remove_folder(const SubfileSet& set) {
  // While the manifest is there, subfiles elsewhere that a loss of power brings back can be found.
  for (const std::string& folder : folders_elsewhere(set))
    if (core::Error error = flush_folder(folder); !error.ok() && error.kind != core::ErrorClass::no_such_file)
      return error;
  // Of programs that were killed. Other files stay, and the folder with them.
  std::error_code failed;
  std::filesystem::directory_iterator next(set.folder(), failed);
  for (; !failed && next != std::filesystem::directory_iterator(); next.increment(failed))
    for (const char* begin : {"manifest.new.", "shared-pointer."})
      if (next->path().filename().native().starts_with(begin)) ::unlink(next->path().c_str());
  if (::unlink(set.manifest_path().c_str()) != 0 && errno != ENOENT)
    return errno_error("remove", set.manifest_path(), errno);
  if (::rmdir(set.folder().c_str()) == 0 || errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST)
    return {};
  return errno_error("remove the folder", set.folder(), errno);
}

}  // namespace collio::storage
