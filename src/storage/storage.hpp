// The seam between collio and a file: everything above sees this interface only, so that a failing, slow or
// null storage can stand in for a file system.
//
// A transfer is made at once or started: start_write() returns a ticket, done() tests without waiting,
// finish() waits and returns the result. Storage that can only block does the work in start_*().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/extent.hpp"
#include "core/result.hpp"
#include "machine/machine.hpp"
#include "storage/piece_write.hpp"
#include "storage/tickets.hpp"

namespace collio::storage {

/// The result of one read or write. `bytes` counts from the start of the request and is true also on error.
struct Transfer {
  std::int64_t bytes = 0;
  core::Error error;
};

/// Puts bytes into a buffer that holds a span of a file.
using Placing = std::function<void(std::byte*)>;

/// An open file. Not collective. Calls may be made by any rank that opened it. write(), read() and sync() by
/// any thread, the rest by one at a time. Its destructor waits for what is under way.
class Storage {
 public:
  virtual ~Storage() = default;
  /// Writes `extent.length` bytes at `extent.offset`; short writes are continued, EINTR repeated.
  virtual Transfer write(const core::Extent& extent, const std::byte* from) = 0;
  /// Reads; fewer bytes than asked for mean end of file, not an error.
  virtual Transfer read(const core::Extent& extent, std::byte* to) = 0;
  /// Moves the whole extent by one system call, where nothing but that is to do: no lock, no drill, no
  /// O_DIRECT. False: bytes are left, or all of them, and write() or read() finds out why. By any thread.
  virtual bool write_once(const core::Extent& extent, const std::byte* from) noexcept;
  virtual bool read_once(const core::Extent& extent, std::byte* to) noexcept;
  virtual core::Error sync() = 0;
  /// Room on disk for the file's first `bytes` bytes. A shorter file gets that length; bytes that it has
  /// stay.
  virtual core::Error allocate(std::int64_t bytes);
  /// Closes the file: the error of bytes that were accepted and then not stored. Nothing may be under way,
  /// and afterwards only the destructor may be called.
  virtual core::Error close();

  /// Writes pieces so small that a call for each costs too much, and no other byte, if there is a way. False:
  /// there is none, or it failed; pieces may have been written, and write() of each finds the error. By any
  /// thread.
  virtual bool store(const PieceWrite& what);
  /// Writes the span whole, where it is known that nobody else writes the file meanwhile
  /// (storage/writer_mark.hpp) and where that costs least. All ranks of this open file wait for this write,
  /// or write elsewhere. Null: nothing was written. By any thread.
  virtual std::optional<Transfer> write_whole(const WholeWrite& what);
  /// Reads the span into `room`, calls place(room), which puts new bytes there, and writes it whole, while
  /// the span is locked against every process that locks. Null: it cannot be locked or read, and nothing was
  /// written. By any thread.
  virtual std::optional<Transfer> sieve(const core::Extent& span, std::byte* room, const Placing& place);
  /// write() for a file that others may sieve: under a lock, if the file system has one. By any thread.
  virtual Transfer write_beside(const core::Extent& extent, const std::byte* from);
  /// Whether each transfer is made under a lock of its byte range, which other MPI programs respect: sieve()
  /// loses no byte of theirs.
  [[nodiscard]] virtual bool locks() const noexcept { return false; }

  /// The same, begun: any number may be under way, in no particular order. The buffer belongs to the transfer
  /// until it is done.
  virtual Ticket start_write(const core::Extent& extent, const std::byte* from);
  virtual Ticket start_read(const core::Extent& extent, std::byte* to);
  /// Whether the transfer is over, with an error or without. Does not wait; moves on all transfers of the
  /// storage.
  virtual bool done(Ticket ticket);
  /// Waits for the transfer, and forgets the ticket.
  virtual Transfer finish(Ticket ticket);
  /// Whether started transfers go on while the caller does something else.
  [[nodiscard]] virtual bool overlaps() const noexcept { return false; }
  /// Announces buffers that live until the next call of this, instead of those announced before; empty: none.
  /// Transfers from and to them may be cheaper. Nothing may be under way. Storage that has no use for it does
  /// nothing. On error none is announced, and transfers work as before.
  virtual core::Error register_buffers(std::span<const std::span<std::byte>> buffers);
  /// What happened since the file was opened that was not asked for; empty: nothing.
  [[nodiscard]] virtual std::string remarks() const { return {}; }

 private:
  Tickets<Transfer> at_once_;
};

enum class Access { read_only, write_only, read_write };

struct FileSystem;  // storage/file_systems

/// Constants of the file system `path` lies on, by its type. Not collective.
[[nodiscard]] machine::StorageModel model_of(const std::string& path);
/// The model of a known file system with blocks of that length.
[[nodiscard]] machine::StorageModel model_of(const FileSystem& system, std::int64_t block_bytes);
/// The same for a job with several nodes: they share a file system that is not known, or the job could not
/// use it. Pure.
[[nodiscard]] machine::StorageModel for_several_nodes(machine::StorageModel model);

/// The error class of an errno value.
[[nodiscard]] core::ErrorClass class_of_errno(int error) noexcept;

}  // namespace collio::storage
