// See layouts.hpp.
#include "storage/layouts/layouts.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <vector>

#include "storage/file_systems.hpp"
#include "storage/layouts/beegfs.hpp"
#include "storage/layouts/ceph.hpp"
#include "storage/layouts/gpfs.hpp"
#include "storage/layouts/lab.hpp"
#include "storage/layouts/lustre.hpp"

namespace collio::storage {

namespace {

using Value = std::vector<std::byte>;

constexpr std::size_t most_value_bytes = 65536;  // XATTR_SIZE_MAX of linux/limits.h
constexpr std::int64_t longest_unit = std::int64_t{1} << 30;
constexpr mode_t permissions = 0666;  // less the process's umask, as MPI libraries do

/// A file system's way.
struct Way {
  std::string_view file_system;
  /// of files; null: it has none
  const char* attribute;
  /// null: a layout cannot be set
  const char* folder_attribute;
  core::Result<machine::Layout> (*parse)(std::span<const std::byte> value);
  core::Result<Value> (*value)(const machine::LayoutWish& wish);
  int create_flags;
};

std::string_view text_of(std::span<const std::byte> value) {
  return {reinterpret_cast<const char*>(value.data()), value.size()};
}

core::Result<machine::Layout> ceph(std::span<const std::byte> value) { return parse_ceph(text_of(value)); }
core::Result<machine::Layout> lab(std::span<const std::byte> value) { return parse_lab(text_of(value)); }

Value bytes_of(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }
Value bytes_of(const std::string& text) { return bytes_of(std::as_bytes(std::span(text))); }

core::Result<Value> to_lab(const machine::LayoutWish& wish) { return bytes_of(lab_value(wish)); }
core::Result<Value> to_lustre(const machine::LayoutWish& wish) { return lustre_value(wish); }
core::Result<Value> to_ceph(const machine::LayoutWish& wish) {
  auto text = ceph_value(wish);
  if (!text) return text.error();
  return bytes_of(text.value());
}

constexpr auto ways = std::to_array<Way>({
    {"lustre", lustre_attribute, lustre_attribute, parse_lustre, to_lustre, lustre_delay_create},
    {"ceph", ceph_attribute, "ceph.dir.layout", ceph, to_ceph, 0},
    {"fuse.ceph-fuse", ceph_attribute, "ceph.dir.layout", ceph, to_ceph, 0},
    {"fuse.collio_lab_striped", lab_attribute, lab_attribute, lab, to_lab, 0},
});

const Way* way_of(const std::string& file_system) {
  const auto* way = std::ranges::find(ways, file_system, &Way::file_system);
  return way == ways.end() ? nullptr : way;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

core::Error failed(const std::string& what) {
  return {core::ErrorClass::other, what + ": " + std::strerror(errno)};
}

core::Result<machine::Layout> ask_attribute(const std::string& path, const Way& way) {
  Value value(most_value_bytes);
  const ssize_t bytes = ::getxattr(path.c_str(), way.attribute, value.data(), value.size());
  if (bytes < 0) return failed(way.attribute);
  value.resize(static_cast<std::size_t>(bytes));
  return way.parse(value);
}

core::Result<machine::Layout> ask_open_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return failed("open");
  auto layout = ask_beegfs(file);
  ::close(file);
  return layout;
}

core::Result<machine::Layout> ask(const std::string& path) {
  const FoundFileSystem found = find_file_system(path);
  const std::string& name = found.system.name;
  if (const Way* way = way_of(name)) return ask_attribute(path, *way);
  if (name == "beegfs") return ask_open_file(path);
  if (name == "gpfs") return gpfs_layout(found.block_bytes);
  return core::Error{core::ErrorClass::other, name + " reports no layout"};
}

LayoutOutcome give(int file, const Way& way, const Value& value) {
  const bool set = ::fsetxattr(file, way.attribute, value.data(), value.size(), 0) == 0;
  return {set, set ? "" : failed(way.attribute).message};
}

}  // namespace

machine::Layout find_layout(const std::string& path) {
  auto found = ask(path);
  return checked_layout(found ? std::move(found.value()) : machine::Layout{0, 0, {}, found.error().message});
}

machine::Layout checked_layout(machine::Layout layout) {
  for (char& letter : layout.source)
    if (static_cast<unsigned char>(letter) < ' ' || letter == '\x7f') letter = '?';
  if (layout.unit_bytes <= longest_unit) return layout;
  return {0,
          0,
          {},
          layout.source + ": stripes of " + std::to_string(layout.unit_bytes) +
              " bytes; collio uses those of up to " + std::to_string(longest_unit)};
}

LayoutOutcome create_with_layout(const std::string& path, const machine::LayoutWish& wish) {
  const Way* way = way_of(find_file_system(folder_of(path)).system.name);
  if (!way || !wish.any()) return {};
  const auto value = way->value(wish);
  if (!value) return {false, value.error().message};
  const int file =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | way->create_flags, permissions);
  if (file < 0) return {};  // it is there, or the MPI library will say why it cannot be
  LayoutOutcome outcome = give(file, *way, value.value());
  outcome.made = Holder::with(file);
  ::close(file);
  return outcome;
}

void remove_made(const std::string& path, const Holder& made) noexcept {
  struct stat about {};
  if (made.inode == 0 || ::lstat(path.c_str(), &about) != 0 || about.st_size != 0) return;
  if (static_cast<std::int64_t>(about.st_dev) == made.device &&
      static_cast<std::int64_t>(about.st_ino) == made.inode)
    ::unlink(path.c_str());
}

LayoutOutcome lay_out_empty_file(const std::string& path, const machine::LayoutWish& wish) {
  const Way* way = way_of(find_file_system(path).system.name);
  if (!way || !wish.any()) return {};
  const auto value = way->value(wish);
  if (!value) return {false, value.error().message};
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return {false, failed("open").message};
  struct stat about {};
  LayoutOutcome outcome;
  if (::fstat(file, &about) == 0 && about.st_size == 0)
    outcome = give(file, *way, value.value());
  else
    outcome.why_not = "the file is not empty";
  ::close(file);
  return outcome;
}

bool folder_has_layout(const std::string& path) {
  const std::string folder = folder_of(path);
  const Way* way = way_of(find_file_system(folder).system.name);
  return !way || ::getxattr(folder.c_str(), way->folder_attribute, nullptr, 0) >= 0 || errno != ENODATA;
}

}  // namespace collio::storage
