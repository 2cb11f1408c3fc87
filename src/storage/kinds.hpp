// The kinds of storage there are, and the choice among them.
//
// `auto` takes what the machine allows and what pays on the file system: where a call is a copy in memory
// there is nothing to overlap, and the caller makes it; elsewhere the kernel's ring, else threads, else the
// caller. The choice is this process's own: ranks agree beforehand on nothing but that they may differ.
#pragma once

#include <memory>
#include <optional>

#include "policy/hints/hints.hpp"
#include "storage/operation.hpp"
#include "storage/posix.hpp"
#include "storage/write_watch.hpp"

namespace collio::storage {

/// How a file is opened.
struct StorageRequest {
  std::string path;
  Access access = Access::read_write;
  machine::StorageModel model;
  policy::StorageKind kind = policy::StorageKind::automatic;
  /// O_DIRECT where aligned
  bool direct = false;
  /// of the process, for policy::StorageKind::threads
  int threads = 2;
  /// faults for the calls on the file; null: none
  std::shared_ptr<FaultDrill> drill;
  /// the process that opened the file before; none: this is the first
  std::optional<Holder> holder = {};
  /// each write under a lock of its byte range, where the file system has such locks
  bool lock_writes = false;
  /// of its writes; null: nobody. `auto` then takes no ring: the kernel tells nothing of a call
  std::shared_ptr<WriteWatch> watch = {};
  /// of all that write through this open file; 0: they have none
  std::uint32_t writer_mark = 0;
};

/// What settled the kind that was tried first.
enum class WhyStorage {
  hint,
  /// a call is a copy in memory, there is nothing to overlap
  only_a_copy,
  /// transfers proceed while messages come
  overlap,
  /// each call is made under a lock of its byte range
  locks,
};

/// An open file, and what serves it.
struct Opened {
  std::unique_ptr<Storage> file;
  policy::StorageKind kind = policy::StorageKind::posix;
  WhyStorage why = WhyStorage::hint;
  /// `why` in words, and what the kinds lack that could not be had
  std::string reason;
  /// it is not the kind that was asked for
  bool declined = false;
  /// this process, for ranks that open the file later
  Holder holder;
};

/// Opens an existing file. Error classes follow errno. A kind that is not available gives way to the next one
/// that `auto` would take, and the reason says so. On NFS every transfer is made under a lock, as ROMIO does;
/// without locks that is an error.
[[nodiscard]] core::Result<Opened> open_storage(const StorageRequest& request);

/// A storage of some kind, or why there is none; the descriptors are taken only in the first case.
struct StorageOrReason {
  std::unique_ptr<Storage> file;
  std::string why_not;
};
/// `local`: the file system is not served by another process or machine.
[[nodiscard]] StorageOrReason make_uring(Descriptors&& file, bool local);
[[nodiscard]] StorageOrReason make_threads(Descriptors&& file, int threads);
/// Moves nothing: writes succeed, reads give zeros. To measure aggregation alone.
[[nodiscard]] std::unique_ptr<Storage> make_null();

}  // namespace collio::storage
