// Which file systems there are, and whether they are local, in memory, or served over a network.
//
// statfs(2) tells a number, the mount table a name. Numbers are those of linux/magic.h, of file systems' own
// headers, and of GNU coreutils' stat.c, which collects them from vendors. Some have no number of their own:
// user-space ones share that of FUSE, and DVS shows the number of what it forwards to. These are told by the
// type of the mount.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace collio::storage {

/// Whether an open file is served by a process of this machine, whatever the file system calls itself.
[[nodiscard]] bool is_on_fuse(int fd) noexcept;

struct FileSystem {
  /// shared: calls are dear, and clients share locks. unknown: local, or shared where a job has several
  /// nodes.
  enum class Kind { local, memory, shared, unknown };
  std::string name;
  Kind kind = Kind::unknown;
};

/// What collio does differently on a file system, by its name.
enum class Quirk {
  none,
  /// Clients of NFS keep pages, and send whole ones: neighbours in a page undo each other's writes, and
  /// readers see old bytes, unless both lock what they access (fs/nfs/write.c, nfs_can_extend_write).
  locks_all,
  /// ceph-fuse 16.2.15 keeps in its cache what an O_DIRECT write replaces: other descriptors read the old
  /// bytes.
  forgets_direct_writes,
};
[[nodiscard]] Quirk quirk_of(std::string_view name) noexcept;

/// The file system with this number, whose mount has this type ("" where it is not known). Pure.
[[nodiscard]] FileSystem file_system(std::uint32_t magic, std::string_view mount_type);

/// The type of the mount of device `major`:`minor` in the text of /proc/self/mountinfo (proc(5)); empty:
/// there is none. Pure.
struct Device {
  unsigned major = 0, minor = 0;
};
[[nodiscard]] std::string mount_type(std::string_view mountinfo, const Device& device);

/// Of the file at `path`, or of its folder while there is no file. Not collective. `block_bytes`: its own
/// preference; 0: none.
struct FoundFileSystem {
  FileSystem system;
  std::int64_t block_bytes = 0;
};
[[nodiscard]] FoundFileSystem find_file_system(const std::string& path);

}  // namespace collio::storage
