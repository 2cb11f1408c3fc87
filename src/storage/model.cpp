// What collio assumes of a file system before it has measured anything. See storage.hpp.
#include <algorithm>
#include <cerrno>

#include "storage/file_systems.hpp"
#include "storage/storage.hpp"

namespace collio::storage {

namespace {

void put_behind_network(machine::StorageModel& model) {
  model.operation_s = 200e-6;
  model.block_bytes = std::max<std::int64_t>(model.block_bytes, 1 << 20);
  if (model.plain_block_bytes > 0)
    model.plain_block_bytes = std::max<std::int64_t>(model.plain_block_bytes, 1 << 20);
  model.window_bytes = 16 << 20;
  model.node_buffer_bytes = 64 << 20;
  model.aggregators_per_core = 0;
}

}  // namespace

machine::StorageModel model_of(const FileSystem& system, std::int64_t block_bytes) {
  using Kind = FileSystem::Kind;
  machine::StorageModel model;
  model.name = system.name;
  model.unknown = system.kind == Kind::unknown;
  model.in_memory = system.kind == Kind::memory;
  if (model.in_memory) model.operation_s = 0.75e-6;
  if (system.kind == Kind::shared) put_behind_network(model);
  const bool sound =
      block_bytes >= 4096 && block_bytes <= (64 << 20) && (block_bytes & (block_bytes - 1)) == 0;
  if (sound) model.block_bytes = std::max(model.block_bytes, block_bytes);
  return model;
}

machine::StorageModel model_of(const std::string& path) {
  const auto found = find_file_system(path);
  return model_of(found.system, found.block_bytes);
}

machine::StorageModel for_several_nodes(machine::StorageModel model) {
  if (!model.unknown) return model;
  put_behind_network(model);
  model.unknown = false;
  model.name += " (unknown, taken to be shared)";
  return model;
}

core::ErrorClass class_of_errno(int error) noexcept {
  switch (error) {
    case ENOSPC:
    case EFBIG:
      return core::ErrorClass::no_space;
    case EDQUOT:
      return core::ErrorClass::quota;
    case EACCES:
    case EPERM:
      return core::ErrorClass::access;
    case EROFS:
      return core::ErrorClass::read_only;
    case ENOENT:
      return core::ErrorClass::no_such_file;
    case EEXIST:
      return core::ErrorClass::file_exists;
    case EISDIR:
    case ENOTDIR:
    case ENAMETOOLONG:
      return core::ErrorClass::bad_file;
    case ETXTBSY:
      return core::ErrorClass::in_use;
    case ENOMEM:
      return core::ErrorClass::no_memory;
    default:
      return core::ErrorClass::io;
  }
}

}  // namespace collio::storage
