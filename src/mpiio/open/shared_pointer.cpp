// See shared_pointer.hpp.
#include "mpiio/open/shared_pointer.hpp"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "engine/file/lock_reach.hpp"

namespace collio::mpiio {

void SharedPointer::begin_view(const engine::Ranks& ranks, bool kept_here) {
  if (kept_here && !was_kept_here_)
    for_all_ranks_ = engine::locks_reach_other_nodes(ranks, ranks.file.path, O_RDWR) ||
                     engine::locks_reach_other_nodes(ranks, path(ranks.file), O_RDWR | O_CREAT);
  kept_here_ = kept_here;
  was_kept_here_ = was_kept_here_ || kept_here;
  ++view_;
}

std::string SharedPointer::path(const engine::File& file) const {
  const std::string number = storage::hex_text(file.number);
  if (file.stored.subfiles) return file.stored.subfiles->set.folder() + "/shared-pointer." + number;
  // Not a name that storage/subfile_format/mark.h takes for a folder of subfiles, and none longer than names
  // may be.
  const std::string end = ".shared-pointer." + number;
  const std::string name = file.path.substr(file.path.rfind('/') + 1).substr(0, NAME_MAX - 1 - end.size());
  return storage::parent_folder(file.path) + "/." + name + end;
}

storage::CounterFile& SharedPointer::counter(const engine::File& file) {
  const std::scoped_lock lock(opening_);
  if (!counter_) counter_ = std::make_unique<storage::CounterFile>(path(file));
  return *counter_;
}

core::Result<std::int64_t> SharedPointer::take(const engine::File& file, std::int64_t etypes) {
  return counter(file).add(view_, etypes);
}

core::Error SharedPointer::set(const engine::File& file, std::int64_t etype) {
  return counter(file).set(view_, etype);
}

void SharedPointer::close() { counter_.reset(); }

void SharedPointer::remove(const engine::File& file) const {
  if (was_kept_here_) ::unlink(path(file).c_str());  // it may never have been made
}

}  // namespace collio::mpiio
