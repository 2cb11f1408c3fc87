// A transfer as a sequence of system calls, which the caller, a thread or the kernel's ring makes.
//
// next() gives the next call, and book() records its result: a short call is continued where it ended, an
// interrupted call is repeated, and an error ends the transfer with the bytes moved before it. Where a file
// was opened for O_DIRECT too, aligned parts go past the page cache and the rest through it: never both for a
// byte of one page.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "storage/faults.hpp"
#include "storage/same_file.hpp"
#include "storage/storage.hpp"
#include "storage/write_watch.hpp"
#include "storage/writer_mark.hpp"

namespace collio::storage {

/// The descriptors of one open file. Owns them.
class Descriptors {
 public:
  /// Opens an existing file; with `direct` a second time for O_DIRECT, if the file system lets it. `drill`:
  /// faults for the calls on it.
  [[nodiscard]] static core::Result<Descriptors> open(const std::string& path, Access access, bool direct,
                                                      std::shared_ptr<FaultDrill> drill = nullptr);
  /// The same, of the file that `holder` has, under its name if it still has that. An error where it cannot
  /// be reached.
  [[nodiscard]] static core::Result<Descriptors> open_held(const Holder& holder, const std::string& path,
                                                           Access access, bool direct,
                                                           const std::shared_ptr<FaultDrill>& drill);
  Descriptors(Descriptors&& other) noexcept;
  Descriptors& operator=(Descriptors&&) = delete;
  ~Descriptors();
  /// Closes them; the first error of close(2). A file system behind a network may write back only now. Again,
  /// it does nothing.
  core::Error close();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] int buffered() const noexcept { return buffered_; }
  /// -1: there is none
  [[nodiscard]] int direct() const noexcept { return direct_; }
  /// Of offsets, lengths and addresses that may go past the page cache; 4 KiB at least.
  [[nodiscard]] std::int64_t alignment() const noexcept { return alignment_; }
  /// Why there is no O_DIRECT although it was asked for; empty else.
  [[nodiscard]] const std::string& no_direct() const noexcept { return no_direct_; }
  void decline_direct(std::string why) noexcept { no_direct_ = std::move(why); }
  /// Null: the calls are made as asked.
  [[nodiscard]] FaultDrill* drill() const noexcept { return drill_.get(); }
  /// Of the writes that Operation::run() makes; null: nobody looks on.
  [[nodiscard]] WriteWatch* watch() const noexcept { return watch_.get(); }
  void let_watch(std::shared_ptr<WriteWatch> watch) noexcept { watch_ = std::move(watch); }
  /// Null: it cannot be known who else writes the file.
  [[nodiscard]] OtherWriters* others() const noexcept { return others_.get(); }
  void look_for_others(std::uint32_t number) { others_ = std::make_shared<OtherWriters>(path_, number); }

 private:
  Descriptors() = default;
  std::shared_ptr<FaultDrill> drill_;
  std::shared_ptr<WriteWatch> watch_;
  std::shared_ptr<OtherWriters> others_;
  std::string path_, no_direct_;
  int buffered_ = -1, direct_ = -1;
  std::int64_t alignment_ = 4096;
};

/// One system call of a transfer.
struct SystemCall {
  bool write = false;
  bool direct = false;
  int fd = -1;
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::int64_t offset = 0;
  int buffered_fd = -1;
  /// injected: the result; the call is not made
  std::optional<ssize_t> outcome;
  /// injected: after this time
  double wait_s = 0;

  /// Injected: at most `most_bytes` bytes. Such a length does not go past the page cache.
  void cut(std::int64_t most_bytes) noexcept {
    if (static_cast<std::int64_t>(bytes) <= most_bytes) return;
    bytes = static_cast<std::size_t>(most_bytes);
    direct = false;
    fd = buffered_fd;
  }
  /// Makes it. Bytes moved, or the negative of errno.
  [[nodiscard]] ssize_t make() const noexcept;
};

/// A transfer under way. Used by one thread at a time.
class Operation {
 public:
  Operation() = default;
  static Operation writing(const core::Extent& extent, const std::byte* from);
  static Operation reading(const core::Extent& extent, std::byte* to);

  /// See Storage.
  static bool write_once(const Descriptors& file, const core::Extent& extent, const std::byte* from) noexcept;
  static bool read_once(const Descriptors& file, const core::Extent& extent, std::byte* to) noexcept;

  [[nodiscard]] bool complete() const noexcept { return complete_; }
  /// The next call. Only while not complete.
  [[nodiscard]] SystemCall next(const Descriptors& file);
  /// Books the outcome of `call`: bytes moved, or the negative of errno.
  void book(const Descriptors& file, const SystemCall& call, ssize_t outcome);
  /// Makes all calls that are left, as long as who looks on wants that.
  void run(const Descriptors& file);
  /// The result, once complete.
  [[nodiscard]] Transfer take() noexcept { return std::move(result_); }
  /// A direct call was refused, and the rest went through the page cache.
  [[nodiscard]] bool direct_refused() const noexcept { return direct_refused_; }

 private:
  [[nodiscard]] SystemCall whole_rest(const Descriptors& file) const noexcept;
  void run_watched(const Descriptors& file, WriteWatch& watch);

  core::Extent extent_;
  std::byte* data_ = nullptr;
  Transfer result_;
  /// once begun, and only in a drill
  std::optional<Injection> injection_;
  bool write_ = false, complete_ = false, direct_refused_ = false;
};

}  // namespace collio::storage
