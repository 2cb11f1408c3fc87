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

/// A file's place in the locks of its folder. Owns a descriptor of the folder. Not for two threads at once.
class MarkedFolder {
 public:
  /// Null: the folder cannot be read, the file is a mount of its own, or its file system is shared with other
  /// machines.
  [[nodiscard]] static std::unique_ptr<MarkedFolder> of(const std::string& path);
  ~MarkedFolder();
  MarkedFolder(const MarkedFolder&) = delete;
  MarkedFolder& operator=(const MarkedFolder&) = delete;

  /// Read locks through this descriptor. False: the kernel refuses.
  [[nodiscard]] bool hold(std::uint32_t byte) noexcept;
  void let_go(std::uint32_t byte) noexcept;
  /// Whether others hold any of these bytes.
  [[nodiscard]] bool held_by_others(std::uint32_t first, std::uint32_t end) const noexcept;
  /// Whether the file is the one that `fd` has open.
  [[nodiscard]] bool is_of(int fd) const noexcept;
  /// Whether the file is still found here, and here alone: marks of who opens it elsewhere are not.
  [[nodiscard]] bool has_file() const noexcept;

 private:
  MarkedFolder(std::string path, int fd) noexcept : path_(std::move(path)), fd_(fd) {}
  [[nodiscard]] bool set(short type, std::uint32_t byte) noexcept;

  std::string path_;  ///< of the file, without links
  int fd_;
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
    std::lock_guard<std::mutex> threads_;  ///< they share the descriptor, and so its locks
    MarkedFolder* folder_ = nullptr;
    bool sure_ = false;
  };

 private:
  std::string path_;
  std::uint32_t number_;
  bool looked_ = false;
  std::unique_ptr<MarkedFolder> folder_;  ///< null also where there can be no marks
  std::mutex threads_;
};

}  // namespace collio::storage
