// See open_files.hpp.
#include "mpiio/open/open_files.hpp"

#include <atomic>
#include <map>
#include <mutex>

namespace collio::mpiio {

namespace {

struct Registry {
  std::mutex mutex;
  /// of `files`
  std::atomic<std::uint64_t> changes{1};
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

std::vector<std::shared_ptr<OpenFile>> files_at(const std::string& path) {
  Registry& r = registry();
  const std::scoped_lock lock(r.mutex);
  std::vector<std::shared_ptr<OpenFile>> found;
  for (const auto& [handle, file] : r.files)
    if (file->engine && file->engine->path == path) found.push_back(file);
  return found;
}

OpenFile* file_of_call(MPI_File handle) {
  struct Found {
    MPI_File handle;
    OpenFile* file;
    std::uint64_t changes;
  };
  thread_local Found last;
  const std::uint64_t changes = registry().changes;
  if (last.changes != changes || last.handle != handle) last = {handle, find_file(handle).get(), changes};
  return last.file;
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
  ++r.changes;
}

std::shared_ptr<OpenFile> forget_file(MPI_File handle) {
  Registry& r = registry();
  const std::scoped_lock lock(r.mutex);
  const auto node = r.files.extract(handle);
  ++r.changes;
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
