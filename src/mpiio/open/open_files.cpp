// See open_files.hpp.
#include "mpiio/open/open_files.hpp"

#include <map>
#include <mutex>

namespace collio::mpiio {

namespace {

struct Registry {
  std::mutex mutex;
  std::map<MPI_File, std::shared_ptr<OpenFile>> files;
  std::map<MPI_File, std::vector<std::shared_ptr<storage::WriterMark>>> marks;
};

/// Never destroyed: programs may close files from exit handlers.
Registry& registry() {
  static auto* r = new Registry;
  return *r;
}

}  // namespace

std::shared_ptr<OpenFile> find_file(MPI_File handle) {
  Registry& r = registry();
  const std::scoped_lock lock(r.mutex);
  const auto found = r.files.find(handle);
  return found == r.files.end() ? nullptr : found->second;
}

std::shared_ptr<OpenFile> find_settled(MPI_File handle) {
  auto file = find_file(handle);
  if (file) file->settle();
  return file;
}

void remember_file(MPI_File handle, std::shared_ptr<OpenFile> file) {
  Registry& r = registry();
  const std::scoped_lock lock(r.mutex);
  r.files[handle] = std::move(file);
}

std::shared_ptr<OpenFile> forget_file(MPI_File handle) {
  Registry& r = registry();
  const std::scoped_lock lock(r.mutex);
  const auto node = r.files.extract(handle);
  return node ? node.mapped() : nullptr;
}

void keep_mark(MPI_File handle, std::shared_ptr<storage::WriterMark> mark) {
  if (!mark) return;
  Registry& r = registry();
  const std::scoped_lock lock(r.mutex);
  r.marks[handle].push_back(std::move(mark));
}

std::vector<std::shared_ptr<storage::WriterMark>> take_marks(MPI_File handle) {
  Registry& r = registry();
  const std::scoped_lock lock(r.mutex);
  const auto node = r.marks.extract(handle);
  return node ? std::move(node.mapped()) : std::vector<std::shared_ptr<storage::WriterMark>>();
}

}  // namespace collio::mpiio
