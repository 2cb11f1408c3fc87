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
  bool direct = false;                ///< O_DIRECT where aligned
  int threads = 2;                    ///< of the process, for policy::StorageKind::threads
  std::shared_ptr<FaultDrill> drill;  ///< faults for the calls on the file; null: none
  std::optional<Holder> holder = {};  ///< the process that opened the file before; none: this is the first
  bool lock_writes =
      false;  ///< each write under a lock of its byte range, where the file system has such locks
  std::shared_ptr<WriteWatch> watch =
      {};  ///< of its writes; null: nobody. `auto` then takes no ring: the kernel tells nothing of a call
  std::uint32_t writer_mark = 0;  ///< of all that write through this open file; 0: they have none
};

/// What settled the kind that was tried first.
enum class WhyStorage {
  hint,
  only_a_copy,  ///< a call is a copy in memory, there is nothing to overlap
  overlap,      ///< transfers proceed while messages come
  locks,        ///< each call is made under a lock of its byte range
};

/// An open file, and what serves it.
struct Opened {
  std::unique_ptr<Storage> file;
  policy::StorageKind kind = policy::StorageKind::posix;
  WhyStorage why = WhyStorage::hint;
  std::string reason;     ///< `why` in words, and what the kinds lack that could not be had
  bool declined = false;  ///< it is not the kind that was asked for
  Holder holder;          ///< this process, for ranks that open the file later
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
