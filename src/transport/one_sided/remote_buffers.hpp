// The aggregators' collective buffers in an MPI window: other ranks put data straight to its place there, or
// get it.
//
// Only aggregators expose memory. There are two ways to know that a transfer is over, and a window has one of
// them:
// - locks (passive target): every rank holds a shared lock on all ranks for as long as the window lives.
// Shared locks exclude
//   nobody, so taking one for each transfer would only cost a message there and back. A flush completes
//   transfers.
// - fences (active target): every rank takes part in each; whatever was begun before is over behind it.
// MPI blocks in both, and in making and freeing the window.
//
// Every piece is a transfer of its own, of plain bytes: shared memory and networks do those without the
// target. One with a derived datatype of all places MPI libraries turn into a message to the target's
// library, which unpacks it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "transport/messages/message.hpp"
#include "transport/node_memory/agreement.hpp"

namespace collio::transport {

class RemoteBuffers {
 public:
  enum class EndsBy { lock, fence };
  struct Request {
    MPI_Comm comm = MPI_COMM_NULL;
    EndsBy ends_by = EndsBy::lock;
    /// of an aggregator's buffers in all; the same on all ranks
    std::int64_t bytes = 0;
    /// this rank exposes memory
    bool aggregates = false;
  };
  /// Distance between two buffers of `window_bytes` in one MPI window, in bytes: each starts on a page.
  [[nodiscard]] static constexpr std::int64_t stride(std::int64_t window_bytes) noexcept {
    return (window_bytes + 4095) / 4096 * 4096;
  }
  /// Null on all ranks when one of them cannot; `why` says so, alike on all. Collective.
  static std::unique_ptr<RemoteBuffers> make(const Request& request, const Agreement& agreement,
                                             std::string& why);
  /// Collective.
  ~RemoteBuffers();
  RemoteBuffers(const RemoteBuffers&) = delete;
  RemoteBuffers& operator=(const RemoteBuffers&) = delete;

  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }
  /// What is not as its name says; empty: all is.
  [[nodiscard]] std::string remark() const;
  [[nodiscard]] bool by_fences() const noexcept { return ends_by_ == EndsBy::fence; }
  /// This rank's memory, page-aligned; aggregators only.
  [[nodiscard]] std::byte* memory() const noexcept { return memory_.get(); }
  /// Where others find `place`, which lies in this rank's memory.
  [[nodiscard]] std::int64_t displacement_of(const std::byte* place) const noexcept {
    return place - memory_.get();
  }

  /// The first `bytes` bytes of the pieces that `pieces` describes, in the memory of `rank`.
  struct Target {
    int rank = 0;
    /// of file offset `origin`
    std::int64_t displacement = 0;
    std::int64_t origin = 0;
    MessageView pieces;
    std::int64_t bytes = 0;
  };
  /// Begins to copy consecutive bytes at `from` to the target, or from the target to such at `to`; over when
  /// flush() or end_fence() returns. Returns the number of pieces.
  std::int64_t put(const std::byte* from, const Target& target) const;
  std::int64_t get(std::byte* to, const Target& target) const;
  /// Locks: all transfers to `rank` are over, here and there. Blocks in MPI.
  void flush(int rank) const;
  /// Locks: what others put here can be read, what was written here can be got.
  void sync() const;
  /// Fences: transfers may begin. Collective; blocks in MPI.
  void begin_fence() const;
  /// Fences: what all ranks began is over. `last`: no transfers follow before the next begin_fence().
  /// Collective; blocks in MPI.
  void end_fence(bool last) const;

 private:
  RemoteBuffers() = default;
  [[nodiscard]] core::Error create(const Request& request);
  [[nodiscard]] bool locked() const noexcept;
  void meet() const;

  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  EndsBy ends_by_ = EndsBy::lock;
  struct Free {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::int64_t bytes_ = 0;
};

}  // namespace collio::transport
