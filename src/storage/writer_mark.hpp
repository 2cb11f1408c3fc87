// Who writes a file, among the programs of a machine.
//
// A window with holes costs least when it is written whole, but that writes old bytes over what others put
// into the holes meanwhile. So all that write a file put a mark, and a window is written whole only while
// there is no mark but one's own.
//
// A mark is a read lock on one byte far behind the end of the file's *folder*, at a place that follows from
// the file's inode. It is gone when the process is, it works between containers and users, and it is in the
// way of no lock that programs take on the file itself. Who writes a window whole holds a second byte, and
// only then looks for marks; who comes puts the mark, and only then waits for that byte. So one of the two
// sees the other.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "core/extent.hpp"

namespace collio::storage {

/// An open folder. A descriptor does not see its own locks, so a process has two for each folder: one that
/// puts marks and one that asks for them, whatever the number of files.
struct FolderDescriptor {
  enum class Use { marks, asks };

  explicit FolderDescriptor(int opened) noexcept : fd(opened) {}
  ~FolderDescriptor();
  FolderDescriptor(const FolderDescriptor&) = delete;
  FolderDescriptor& operator=(const FolderDescriptor&) = delete;
  /// The process's. Null: it cannot be read, or its file system is shared with other machines. Thread-safe.
  [[nodiscard]] static std::shared_ptr<FolderDescriptor> of(const std::string& folder, Use use);

  const int fd;
  /// they share its locks
  std::mutex threads;
};

/// A file's place in the locks of its folder.
class MarkedFolder {
 public:
  /// Null: see FolderDescriptor; or the file is a mount of its own.
  [[nodiscard]] static std::unique_ptr<MarkedFolder> of(const std::string& path, FolderDescriptor::Use use);

  /// Read locks. False: the kernel refuses.
  [[nodiscard]] bool hold(std::uint32_t byte) const noexcept;
  void let_go(std::uint32_t byte) const noexcept;
  /// Whether others hold any of these bytes.
  [[nodiscard]] bool held_by_others(std::uint32_t first, std::uint32_t end) const noexcept;
  [[nodiscard]] bool is_same(const MarkedFolder& other) const noexcept {
    return device_ == other.device_ && inode_ == other.inode_;
  }
  /// Whether the file is the one that `fd` has open.
  [[nodiscard]] bool is_of(int fd) const noexcept;
  /// Whether the file is still found here, and here alone: marks of who opens it elsewhere are not.
  [[nodiscard]] bool has_file() const noexcept;
  [[nodiscard]] std::mutex& threads() const noexcept { return folder_->threads; }

 private:
  MarkedFolder() = default;
  [[nodiscard]] bool set(short type, std::uint32_t byte) const noexcept;

  /// of the file, without links
  std::string path_;
  std::shared_ptr<FolderDescriptor> folder_;
  std::uint64_t device_ = 0, inode_ = 0;
  std::int64_t base_ = 0;
};

/// Says, while it lives, that somebody writes the file.
class WriterMark {
 public:
  /// Returns when no window is being written whole by those who did not see the mark yet: after a write of
  /// theirs at most, as they wait for nobody meanwhile. Null: there can be no
  /// marks, as by MarkedFolder, or the file has other names.
  [[nodiscard]] static std::shared_ptr<WriterMark> put(const std::string& path);
  /// Open files of one library that never write at a time: while it lives, they put one mark for a file. Of
  /// this thread.
  class OneForAll {
   public:
    OneForAll() noexcept;
    ~OneForAll();
    OneForAll(const OneForAll&) = delete;
    OneForAll& operator=(const OneForAll&) = delete;

   private:
    friend class WriterMark;
    std::shared_ptr<WriterMark> mark_;
  };
  ~WriterMark() { folder_->let_go(number_); }
  WriterMark(const WriterMark&) = delete;
  WriterMark& operator=(const WriterMark&) = delete;
  /// Of the mark; not 0. What carries the same is one writer.
  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }

 private:
  WriterMark(std::unique_ptr<MarkedFolder> folder, std::uint32_t number) noexcept
      : folder_(std::move(folder)), number_(number) {}

  std::unique_ptr<MarkedFolder> folder_;
  std::uint32_t number_;
};

/// The view of a process that writes for the mark `number`, which another may hold. Opens the folder when it
/// is first asked.
class OtherWriters {
 public:
  OtherWriters(std::string path, std::uint32_t number) noexcept : path_(std::move(path)), number_(number) {}

  /// True while it lives: nobody else writes the file that `fd` has open, and who comes waits.
  class Absence {
   public:
    Absence(OtherWriters& others, int fd);
    ~Absence();
    Absence(const Absence&) = delete;
    Absence& operator=(const Absence&) = delete;
    explicit operator bool() const noexcept { return sure_; }

   private:
    /// null: there can be no marks
    const MarkedFolder* folder_;
    std::unique_lock<std::mutex> threads_;
    bool sure_ = false;
  };

 private:
  std::string path_;
  std::uint32_t number_;
  std::once_flag looked_;
  std::unique_ptr<MarkedFolder> folder_;
};

}  // namespace collio::storage
