// What collio assumes of a file system before it has measured anything. See storage.hpp.
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>

#include "storage/storage.hpp"

namespace collio::storage {

namespace {

struct KnownType {
  long magic;
  const char* name;
  enum { local, memory, shared } kind;  ///< shared: served over a network: calls are dear, and neighbours share locks
};

constexpr KnownType known[] = {
    {0x01021994, "tmpfs", KnownType::memory},   {0x858458f6, "ramfs", KnownType::memory},
    {0xef53, "ext", KnownType::local},          {0x58465342, "xfs", KnownType::local},
    {0x9123683e, "btrfs", KnownType::local},    {0x794c7630, "overlay", KnownType::local},
    {0x6969, "nfs", KnownType::shared},         {0x0bd00bd0, "lustre", KnownType::shared},
    {0x47504653, "gpfs", KnownType::shared},    {0x00c36400, "ceph", KnownType::shared},
    {0x65735546, "fuse", KnownType::shared},    {0x19830326, "beegfs", KnownType::shared},
    {0x20030528, "pvfs2", KnownType::shared},
};

}  // namespace

machine::StorageModel model_of(const std::string& path) {
  machine::StorageModel model;
  struct statfs fs {};
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (::statfs(path.c_str(), &fs) != 0 && ::statfs(folder.c_str(), &fs) != 0) return model;
  for (const KnownType& type : known) {
    if (static_cast<long>(fs.f_type) != type.magic) continue;
    model.name = type.name;
    model.in_memory = type.kind == KnownType::memory;
    if (model.in_memory) model.operation_s = 0.75e-6;
    if (type.kind == KnownType::shared) {
      model.operation_s = 200e-6;
      model.block_bytes = 1 << 20;
      model.window_bytes = 16 << 20;
      model.node_buffer_bytes = 64 << 20;
      model.aggregators_per_core = 0;
    }
  }
  if (fs.f_bsize >= 4096 && fs.f_bsize <= (64 << 20) && (fs.f_bsize & (fs.f_bsize - 1)) == 0)
    model.block_bytes = std::max<std::int64_t>(model.block_bytes, fs.f_bsize);
  return model;
}

core::ErrorClass class_of_errno(int error) noexcept {
  switch (error) {
    case ENOSPC:
    case EFBIG: return core::ErrorClass::no_space;
    case EDQUOT: return core::ErrorClass::quota;
    case EACCES:
    case EPERM: return core::ErrorClass::access;
    case EROFS: return core::ErrorClass::read_only;
    case ENOENT: return core::ErrorClass::no_such_file;
    case EISDIR:
    case ENOTDIR:
    case ENAMETOOLONG: return core::ErrorClass::bad_file;
    case ETXTBSY: return core::ErrorClass::in_use;
    case ENOMEM: return core::ErrorClass::no_memory;
    default: return core::ErrorClass::io;
  }
}

}  // namespace collio::storage
