// Reads and writes by the caller itself. The other kinds of storage that move bytes are this one with another
// way to start a transfer; they have no locks.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "storage/mapped_write.hpp"
#include "storage/operation.hpp"
#include "storage/range_lock.hpp"

namespace collio::storage {

/// Which transfers are made under a lock of their byte range.
enum class Locks { none, writes, all };

/// The whole pages of a stretch, and what it has of the pages before and behind. File systems know
/// of whole pages only whether they have bytes; at the edges there may be neighbours'.
struct PageSpan {
  core::Extent before, whole, behind;

  explicit PageSpan(const core::Extent& span) noexcept;
  [[nodiscard]] static std::int64_t page_bytes() noexcept;
};

class PosixFile : public Storage {
 public:
  explicit PosixFile(Descriptors file, Locks locks = Locks::none);
  Transfer write(const core::Extent& extent, const std::byte* from) override;
  Transfer read(const core::Extent& extent, std::byte* to) override;
  bool write_once(const core::Extent& extent, const std::byte* from) noexcept override;
  bool read_once(const core::Extent& extent, std::byte* to) noexcept override;
  core::Error sync() override;
  core::Error allocate(std::int64_t bytes) override;
  core::Error close() override { return file_.close(); }
  bool store(const PieceWrite& what) override;
  std::optional<Transfer> write_whole(const WholeWrite& what) override;
  std::optional<Transfer> sieve(const core::Extent& span, std::byte* room, const Placing& place) override;
  Transfer write_beside(const core::Extent& extent, const std::byte* from) override;
  [[nodiscard]] bool locks() const noexcept override { return locks_ != Locks::none; }
  [[nodiscard]] std::string remarks() const override;

 protected:
  [[nodiscard]] const Descriptors& file() const noexcept { return file_; }
  /// The outcome of a complete operation.
  Transfer concluded(Operation& operation) noexcept;

 private:
  Transfer run(Operation operation);
  [[nodiscard]] bool has_bytes_in(const core::Extent& extent) const noexcept;
  // False: old bytes cannot be read, or there is no memory for them.
  [[nodiscard]] bool read_old(const core::Extent& extent, std::byte* to);
  [[nodiscard]] bool fill_afresh(const WholeWrite& what, const PageSpan& pages);
  [[nodiscard]] bool fill_with_old(const WholeWrite& what);
  [[nodiscard]] PagesAfter pages_after() const noexcept {
    return locks_ == Locks::all ? PagesAfter::dropped : PagesAfter::kept;
  }
  [[nodiscard]] core::Error no_lock(int error, const core::Extent& extent) const;

  Descriptors file_;
  Locks locks_;
  std::atomic<Mapping> mapping_;
  /// a lock does not exclude other threads with the same descriptor
  std::mutex locking_;
  std::atomic<bool> direct_refused_{false};
};

/// One whose transfers proceed without the caller, each kind in its way.
class OverlappingFile : public PosixFile {
 public:
  using PosixFile::PosixFile;
  Ticket start_write(const core::Extent& extent, const std::byte* from) final {
    return start(Operation::writing(extent, from));
  }
  Ticket start_read(const core::Extent& extent, std::byte* to) final {
    return start(Operation::reading(extent, to));
  }
  [[nodiscard]] bool overlaps() const noexcept final { return true; }

 private:
  virtual Ticket start(Operation operation) = 0;
};

/// Opens an existing file with POSIX calls. Error classes follow errno.
[[nodiscard]] core::Result<std::unique_ptr<Storage>> open_posix(const std::string& path, Access access);

}  // namespace collio::storage
