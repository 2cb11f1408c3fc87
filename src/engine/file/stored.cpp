// See stored.hpp.
#include "engine/file/stored.hpp"

#include <utility>

#include "engine/background/yielding_storage.hpp"
#include "engine/file/file.hpp"
#include "storage/noted.hpp"
#include "storage/subfiles/subfiled_storage.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::engine {

storage::Storage* Stored::handle(core::Error* why) {
  const std::lock_guard lock(opening_);
  if (opened_.file) return opened_.file.get();
  using storage::Access;
  const Settings& settings = file_.settings;
  storage::StorageRequest request{file_.path,
                                  settings.writes ? Access::read_write : Access::read_only,
                                  file_.machine.storage,
                                  settings.hints.storage,
                                  settings.hints.direct,
                                  settings.hints.storage_threads,
                                  drill_,
                                  holder_,
                                  settings.hints.write_holes == policy::Holes::sieve,
                                  nullptr,
                                  subfiles ? 0 : writer_mark_};
  const auto open_it = [&] {
    return subfiles ? storage::open_subfiled(subfiles->set, request, file_.rank, subfiles->in_force)
                    : storage::open_storage(request);
  };
  auto opened = open_it();
  readable = opened.ok();
  // A file that the program opens for writing alone may be one that it cannot read. One that it reads too is
  // no use half open.
  request.access = Access::write_only;
  if (!opened && settings.writes && !settings.reads) opened = open_it();
  if (!opened) {
    if (why) *why = opened.error();
    return nullptr;
  }
  opened_ = std::move(opened.value());
  opened_.file = yielding(std::move(opened_.file));
  if (const auto& pictures = file_.records.pictures) {
    pictures->deal(targets());
    opened_.file = storage::noted(std::move(opened_.file), pictures);
  }
  return opened_.file.get();
}

observe::Pictures::Targets Stored::targets() const {
  if (!subfiles) return {file_.machine.storage.layout.unit_bytes, file_.machine.storage.layout.count};
  const storage::SubfileSet set = settled_set(*subfiles);
  if (set.has_arrays()) return {};
  return {set.manifest().layout.unit_bytes, set.manifest().layout.count};
}

std::string Stored::begin_drill(int domain) {
  const std::string& faults = file_.settings.hints.faults;
  drill_ = storage::FaultDrill::make(faults, file_.rank);
  if (!drill_) return "";
  drill_->set_aggregator(domain);
  return "FAULTS ARE INJECTED into the calls on " + file_.path + ", as collio_faults asks: " + faults;
}

/// The first aggregator, by the file's inode, and the first rank of this node that has the file, if one has.
void Stored::learn_holder(const Ranks& ranks, int first) {
  storage::Holder far = opened_.holder, near = opened_.holder;
  transport::broadcast(&far, sizeof far, MPI_BYTE, first, ranks.comm);
  int nearest = opened_.file ? file_.place().seat.local_rank : file_.size;
  transport::reduce_to_all(&nearest, 1, MPI_INT, MPI_MIN, ranks.node);
  if (nearest < file_.size) transport::broadcast(&near, sizeof near, MPI_BYTE, nearest, ranks.node);
  holder_ = nearest < file_.size ? near : far;
  if (nearest == file_.size) holder_->process = 0;
}

core::Error Stored::sync() {
  return opened_.file && file_.settings.writes ? opened_.file->sync() : core::Error{};
}

core::Error Stored::close() {
  closed_remarks_ = remarks();
  core::Error error = opened_.file ? opened_.file->close() : core::Error{};
  opened_.file.reset();
  return error;
}

}  // namespace collio::engine
