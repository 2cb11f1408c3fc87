// See file_systems.hpp.
#include "storage/file_systems.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <sstream>

namespace collio::storage {

namespace {

using enum FileSystem::Kind;

struct Numbered {
  std::uint32_t magic;
  std::string_view name;
  FileSystem::Kind kind;
  Quirk quirk = Quirk::none;
};

constexpr std::uint32_t fuse_magic = 0x65735546;

constexpr auto numbered = std::to_array<Numbered>({
    // linux/magic.h
    {0x01021994, "tmpfs", memory},
    {0x858458f6, "ramfs", memory},
    {0x958458f6, "hugetlbfs", memory},
    {0xef53, "ext", local},
    {0x58465342, "xfs", local},
    {0x9123683e, "btrfs", local},
    {0x794c7630, "overlay", local},
    {0xf2f52010, "f2fs", local},
    {0xca451a4e, "bcachefs", local},
    {0x52654973, "reiserfs", local},
    {0x3434, "nilfs", local},
    {0x15013346, "udf", local},
    {0x4d44, "fat", local},
    {0x2011bab0, "exfat", local},
    {0x9660, "isofs", local},
    {0xf15f, "ecryptfs", local},
    {0x73717368, "squashfs", local},
    {0xe0f5e1e2, "erofs", local},
    {0x6969, "nfs", shared, Quirk::locks_all},
    {0x517b, "smb", shared},
    {0xff534d42, "cifs", shared},
    {0xfe534d42, "smb2", shared},
    {0x01021997, "9p", shared},
    {0x7461636f, "ocfs2", shared},
    {0x5346414f, "afs", shared},
    {0x6b414653, "kafs", shared},
    {0x73757245, "coda", shared},
    {0x00c36400, "ceph", shared},
    {fuse_magic, "fuse", shared},
    {0x786f4256, "vboxsf", shared},
    // The kernel's sources: fs/jfs/jfs_superblock.h, fs/ntfs3, fs/orangefs, and uapi/linux/gfs2_ondisk.h.
    {0x3153464a, "jfs", local},
    {0x7366746e, "ntfs3", local},
    {0x20030528, "pvfs2", shared},
    {0x01161970, "gfs2", shared},
    // Their own clients: lustre_user.h, BeeGFS' FhgfsOpsSuper.h, OpenZFS' zfs_vfsops.
    {0x0bd00bd0, "lustre", shared},
    {0x19830326, "beegfs", shared},
    {0x2fc12fc1, "zfs", local},
    // stat.c of GNU coreutils
    {0x47504653, "gpfs", shared},
    {0xaad7aaea, "panfs", shared},
    {0xbeefdead, "snfs", shared},
    {0x61636673, "acfs", shared},
    {0x013111a8, "ibrix", shared},
    {0x7c7c6673, "prl_fs", shared},
    {0xbacbacbc, "vmhgfs", shared},
    {0xa501fcf5, "vxfs", shared},
    {0x61756673, "aufs", local},
    {0x5346544e, "ntfs", local},
    {0x482b, "hfs+", local},
});

struct Typed {
  std::string_view type, name;
  FileSystem::Kind kind;
  Quirk quirk = Quirk::none;
};

constexpr auto typed = std::to_array<Typed>({
    {"wekafs", "weka", shared},
    {"dvs", "dvs", shared},
    {"virtiofs", "virtiofs", shared},
    {"panfs", "panfs", shared},
    {"gpfs", "gpfs", shared},
    {"lustre", "lustre", shared},
    {"beegfs", "beegfs", shared},
    {"fuse.juicefs", "juicefs", shared},
    {"fuse.daos", "daos", shared},
    {"fuse.ceph-fuse", "fuse.ceph-fuse", shared, Quirk::forgets_direct_writes},
    {"fuseblk", "fuseblk", local},  // a local disk behind a user-space driver, as NTFS
});

bool has_a_name_of_its_own(std::string_view type) { return type.starts_with("fuse.") && type.size() > 5; }

unsigned number_of(std::string_view text) {
  unsigned value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

Quirk quirk_of(std::string_view name) noexcept {
  const auto* number = std::ranges::find(numbered, name, &Numbered::name);
  if (number != numbered.end()) return number->quirk;
  const auto* type = std::ranges::find(typed, name, &Typed::name);
  return type != typed.end() ? type->quirk : Quirk::none;
}

FileSystem file_system(std::uint32_t magic, std::string_view mount_type) {
  if (const auto* type = std::ranges::find(typed, mount_type, &Typed::type); type != typed.end())
    return {std::string(type->name), type->kind};
  const auto* number = std::ranges::find(numbered, magic, &Numbered::magic);
  if (magic == fuse_magic && has_a_name_of_its_own(mount_type)) return {std::string(mount_type), shared};
  if (number != numbered.end()) return {std::string(number->name), number->kind};
  return {mount_type.empty() ? "unknown" : std::string(mount_type), unknown};
}

std::string mount_type(std::string_view mountinfo, const Device& device) {
  std::string found;
  std::istringstream lines{std::string(mountinfo)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string mount, parent, numbers, word, type;
    words >> mount >> parent >> numbers;
    const std::size_t colon = numbers.find(':');
    if (colon == std::string::npos) continue;
    if (number_of(std::string_view(numbers).substr(0, colon)) != device.major ||
        number_of(std::string_view(numbers).substr(colon + 1)) != device.minor)
      continue;
    while (words >> word && word != "-") {  // optional fields end there
    }
    if (words >> type) found = type;
  }
  return found;
}

FoundFileSystem find_file_system(const std::string& path) {
  struct statfs fs {};
  struct stat file {};
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const std::string& there = ::statfs(path.c_str(), &fs) == 0 ? path : folder;
  if (&there == &folder && ::statfs(folder.c_str(), &fs) != 0) return {{"local", local}, 0};
  const auto magic = static_cast<std::uint32_t>(fs.f_type);
  FileSystem by_number = file_system(magic, "");
  const bool is_told = by_number.kind != unknown && magic != fuse_magic && by_number.kind != shared;
  if (is_told || ::stat(there.c_str(), &file) != 0) return {std::move(by_number), fs.f_bsize};
  std::ifstream mounts("/proc/self/mountinfo");
  std::stringstream text;
  text << mounts.rdbuf();
  return {file_system(magic, mount_type(text.str(), {::major(file.st_dev), ::minor(file.st_dev)})),
          fs.f_bsize};
}

bool is_on_fuse(int fd) noexcept {
  struct statfs about {};
  return ::fstatfs(fd, &about) == 0 && static_cast<std::uint32_t>(about.f_type) == fuse_magic;
}

}  // namespace collio::storage
