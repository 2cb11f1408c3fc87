// See kinds.hpp.
#include "storage/kinds.hpp"

#include <cstring>

#include "storage/file_systems.hpp"
#include "storage/range_lock.hpp"

namespace collio::storage {

namespace {

using policy::StorageKind;

WhyStorage why_of(const StorageRequest& r) noexcept {
  if (r.kind != StorageKind::automatic) return WhyStorage::hint;
  return r.model.in_memory ? WhyStorage::only_a_copy : WhyStorage::overlap;
}

std::string text_of(WhyStorage why, const StorageRequest& r) {
  switch (why) {
    case WhyStorage::hint:
      return r.kind == StorageKind::null ? "asked for by hint: no byte is written, and zeros are read"
                                         : "asked for by hint";
    case WhyStorage::only_a_copy:
      return r.model.name + ": a call is a copy in memory, nothing to overlap";
    case WhyStorage::overlap:
      return r.model.name + ": transfers go on while messages come";
    case WhyStorage::locks:
      return r.model.name + ": each call under a lock of its byte range";
  }
  return "?";
}

/// The kinds to try, the wanted one first.
std::vector<StorageKind> kinds_to_try(const StorageRequest& r) {
  switch (r.kind) {
    case StorageKind::automatic:
      if (r.model.in_memory) return {StorageKind::posix};
      if (r.watch) return {StorageKind::threads, StorageKind::posix};
      return {StorageKind::uring, StorageKind::threads, StorageKind::posix};
    case StorageKind::uring:
      return {StorageKind::uring, StorageKind::threads, StorageKind::posix};
    case StorageKind::threads:
      return {StorageKind::threads, StorageKind::posix};
    default:
      return {StorageKind::posix};
  }
}

StorageOrReason make(StorageKind kind, Descriptors&& file, const StorageRequest& request) {
  switch (kind) {
    case StorageKind::uring:
      return make_uring(std::move(file), request.model.aggregators_per_core > 0);
    case StorageKind::threads:
      return make_threads(std::move(file), request.threads);
    default:
      return {std::make_unique<PosixFile>(std::move(file)), ""};
  }
}

Locks locks_for(const StorageRequest& r) {
  if (quirk_of(r.model.name) == Quirk::locks_all) return Locks::all;
  return r.lock_writes && r.access != Access::read_only ? Locks::writes : Locks::none;
}

/// The file under locks; null: the file system has none, and can do without.
core::Result<std::unique_ptr<Storage>> make_locked(Descriptors&& file, Locks locks, Opened& opened,
                                                   const StorageRequest& request) {
  const int error =
      try_range_lock(file.buffered(), request.access == Access::read_only ? RangeUse::read : RangeUse::write);
  if (error == 0) {
    opened.why = WhyStorage::locks;
    opened.reason = text_of(opened.why, request);
    return std::unique_ptr<Storage>(std::make_unique<PosixFile>(std::move(file), locks));
  }
  const std::string why = std::string("no byte-range locks (") + std::strerror(error) + ")";
  if (locks == Locks::all)
    return core::Error{core::ErrorClass::io,
                       file.path() + " lies on " + request.model.name + ", which gives " + why};
  opened.reason = why + ": windows with holes are not sieved; ";
  return std::unique_ptr<Storage>();
}

core::Result<Descriptors> open_file(const StorageRequest& r, bool direct) {
  if (r.holder) return Descriptors::open_held(*r.holder, r.path, r.access, direct, r.drill);
  return Descriptors::open(r.path, r.access, direct, r.drill);
}

}  // namespace

core::Result<Opened> open_storage(const StorageRequest& request) {
  if (request.kind == StorageKind::null)
    return Opened{make_null(), StorageKind::null, WhyStorage::hint, text_of(WhyStorage::hint, request)};
  const bool declined = request.direct && quirk_of(request.model.name) == Quirk::forgets_direct_writes;
  auto file = open_file(request, request.direct && !declined);
  if (!file.ok()) return file.error();
  if (declined)
    file.value().decline_direct("O_DIRECT is not used: " + request.model.name +
                                " would show old bytes to others");
  if (request.kind != StorageKind::uring) file.value().let_watch(request.watch);
  if (request.writer_mark != 0) file.value().look_for_others(request.writer_mark);
  Opened opened;
  opened.holder = Holder::with(file.value().buffered());
  if (const Locks locks = locks_for(request); locks != Locks::none) {
    auto locked = make_locked(std::move(file.value()), locks, opened, request);
    if (!locked.ok()) return locked.error();
    opened.file = std::move(locked.value());
    opened.declined =
        opened.file && request.kind != StorageKind::automatic && request.kind != StorageKind::posix;
    if (opened.file) return opened;
  }
  std::string not_had;
  for (const StorageKind kind : kinds_to_try(request)) {
    StorageOrReason made = make(kind, std::move(file.value()), request);
    if (made.file) {
      opened.file = std::move(made.file);
      opened.kind = kind;
      break;
    }
    not_had += "; " + made.why_not;
  }
  opened.declined = request.kind != StorageKind::automatic && opened.kind != request.kind;
  opened.why = why_of(request);
  opened.reason += text_of(opened.why, request) + not_had;
  return opened;
}

}  // namespace collio::storage
