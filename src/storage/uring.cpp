// Storage over io_uring (J. Axboe, "Efficient IO with io_uring", 2019): calls go into a ring that the kernel
// empties, and come back through another. See kinds.hpp.
//
// One ring per file. The kernel does what it can while a call is handed over: it copies to and from cached
// pages, and FUSE, although asked not to, waits for its server (measured: Linux 6.18, direct_io, reads and
// O_DIRECT writes). That holds the caller. So calls go to the kernel's threads at once, except calls on local
// file systems that are short or bypass the cache. Calls on announced buffers spare the kernel the look-up of
// their pages.
#include <liburing.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>

#include "storage/file_systems.hpp"
#include "storage/kinds.hpp"
#include "storage/posix.hpp"

namespace collio::storage {

namespace {

constexpr unsigned entries_in_ring = 64;
constexpr std::size_t short_call_bytes = 64 << 10;      // copied sooner than handed to a thread
constexpr std::size_t most_registered_bytes = 1 << 30;  // of one buffer: the kernel takes no more

class UringFile final : public OverlappingFile {
 public:
  UringFile(Descriptors file, const io_uring& ring, bool local)
      : OverlappingFile(std::move(file)), ring_(ring), local_(local) {}
  ~UringFile() override {
    while (in_ring_ > 0) reap(Wait::yes);
    ::io_uring_queue_exit(&ring_);
  }
  UringFile(const UringFile&) = delete;
  UringFile& operator=(const UringFile&) = delete;

  bool done(Ticket ticket) override {
    reap(Wait::no);
    return entries_[ticket].operation.complete();
  }

  Transfer finish(Ticket ticket) override {
    while (!entries_[ticket].operation.complete()) reap(Wait::yes);
    Transfer transfer = concluded(entries_[ticket].operation);
    entries_.give_back(ticket);
    return transfer;
  }

  core::Error register_buffers(std::span<const std::span<std::byte>> buffers) override {
    if (!registered_.empty()) ::io_uring_unregister_buffers(&ring_);
    registered_.clear();
    if (buffers.empty()) return {};
    std::vector<iovec> list;
    for (const auto& b : buffers) list.push_back({b.data(), std::min(b.size(), most_registered_bytes)});
    const int error = ::io_uring_register_buffers(&ring_, list.data(), static_cast<unsigned>(list.size()));
    if (error == 0) registered_ = std::move(list);
    if (error == 0) return {};
    not_registered_ = std::string("io_uring takes no fixed buffers: ") + std::strerror(-error);
    return {class_of_errno(-error), not_registered_};
  }

  [[nodiscard]] std::string remarks() const override {
    const std::string others = PosixFile::remarks();
    return others + (others.empty() || not_registered_.empty() ? "" : "; ") + not_registered_;
  }

 private:
  struct Entry {
    Operation operation;
    SystemCall call;
    /// of a call with an outcome that was injected
    __kernel_timespec wait{};
  };

  Ticket start(Operation operation) override {
    const Ticket ticket = entries_.take();
    entries_[ticket].operation = std::move(operation);
    submit(ticket);
    return ticket;
  }

  /// Hands the next call of an operation to the kernel, if there is one.
  void submit(Ticket ticket) {
    Entry& entry = entries_[ticket];
    if (entry.operation.complete()) return;
    while (in_ring_ >= entries_in_ring) reap(Wait::yes);
    entry.call = entry.operation.next(file());
    io_uring_sqe* sqe = ::io_uring_get_sqe(&ring_);  // never null: the ring has room for all that are in it
    const auto offset = static_cast<__u64>(entry.call.offset);
    const auto bytes = static_cast<unsigned>(entry.call.bytes);
    const int fixed = registered(entry.call);
    if (entry.call.outcome)
      prepare_injected(sqe, entry);
    else if (entry.call.write && fixed >= 0)
      ::io_uring_prep_write_fixed(sqe, entry.call.fd, entry.call.data, bytes, offset, fixed);
    else if (entry.call.write)
      ::io_uring_prep_write(sqe, entry.call.fd, entry.call.data, bytes, offset);
    else if (fixed >= 0)
      ::io_uring_prep_read_fixed(sqe, entry.call.fd, entry.call.data, bytes, offset, fixed);
    else
      ::io_uring_prep_read(sqe, entry.call.fd, entry.call.data, bytes, offset);
    ::io_uring_sqe_set_data64(sqe, ticket);
    const bool holds_nobody =
        entry.call.outcome || (local_ && (entry.call.direct || entry.call.bytes < short_call_bytes));
    if (!holds_nobody) ::io_uring_sqe_set_flags(sqe, IOSQE_ASYNC);
    ++in_ring_;
    ::io_uring_submit(&ring_);  // what it does not take now goes with the next one, or with a wait
  }

  /// What stands in for a call: it comes back through the ring like others.
  static void prepare_injected(io_uring_sqe* sqe, Entry& entry) {
    const auto ns = static_cast<std::int64_t>(entry.call.wait_s * 1e9);
    entry.wait = {ns / 1000000000, ns % 1000000000};
    if (ns > 0)
      ::io_uring_prep_timeout(sqe, &entry.wait, 0, 0);
    else
      ::io_uring_prep_nop(sqe);
  }

  /// Number of the announced buffer that the call's memory lies in; -1: none.
  [[nodiscard]] int registered(const SystemCall& call) const noexcept {
    for (std::size_t i = 0; i < registered_.size(); ++i) {
      const auto* begin = static_cast<const std::byte*>(registered_[i].iov_base);
      if (call.data >= begin && call.data + call.bytes <= begin + registered_[i].iov_len)
        return static_cast<int>(i);
    }
    return -1;
  }

  /// Books what came back, and goes on with what is not complete. `wait`: until something has come back.
  enum class Wait { no, yes };
  void reap(Wait wait) {
    int submitted = 0;
    if (wait == Wait::yes)
      submitted = ::io_uring_submit_and_wait(&ring_, 1);
    else if (::io_uring_sq_ready(&ring_) > 0)
      submitted = ::io_uring_submit(&ring_);
    // Interrupted, or short of memory for the moment: the callers come again.
    assert(submitted >= 0 || submitted == -EINTR || submitted == -EAGAIN || submitted == -EBUSY ||
           submitted == -ENOMEM);
    static_cast<void>(submitted);
    io_uring_cqe* cqe = nullptr;
    while (::io_uring_peek_cqe(&ring_, &cqe) == 0) {
      const auto ticket = static_cast<Ticket>(::io_uring_cqe_get_data64(cqe));
      const int outcome = cqe->res;
      ::io_uring_cqe_seen(&ring_, cqe);
      --in_ring_;
      Entry& entry = entries_[ticket];
      // The kernel cancels what is left of a thread's calls when the thread ends; the one that is here makes
      // them again.
      const bool once_more = outcome == -EAGAIN || outcome == -ECANCELED;
      entry.operation.book(file(), entry.call, entry.call.outcome.value_or(once_more ? -EINTR : outcome));
      submit(ticket);
    }
  }

  io_uring ring_;
  bool local_;
  /// calls handed over and not come back
  unsigned in_ring_ = 0;
  Tickets<Entry> entries_;
  std::vector<iovec> registered_;
  std::string not_registered_;
};

/// Whether the kernel knows the plain read and write (Linux 5.6); its first rings only had vectors.
bool knows_read_and_write(io_uring& ring) {
  io_uring_probe* probe = ::io_uring_get_probe_ring(&ring);
  if (!probe) return false;
  const bool knows = ::io_uring_opcode_supported(probe, IORING_OP_READ) &&
                     ::io_uring_opcode_supported(probe, IORING_OP_WRITE);
  ::io_uring_free_probe(probe);
  return knows;
}

/// Sends an empty call through the ring: a filter may let a process make one and not use it. 0, or the
/// negative of errno.
int try_out(io_uring& ring) {
  ::io_uring_prep_nop(::io_uring_get_sqe(&ring));
  int error = 0;
  do {
    error = ::io_uring_submit_and_wait(&ring, 1);
  } while (error == -EINTR || error == -EAGAIN);
  if (error < 0) return error;
  io_uring_cqe* cqe = nullptr;
  error = ::io_uring_wait_cqe(&ring, &cqe);
  if (error == 0) ::io_uring_cqe_seen(&ring, cqe);
  return error;
}

std::string why_no_ring(int error) {
  std::string why = std::string("io_uring: ") + std::strerror(error);
  if (error == ENOSYS) why += " (the kernel has none)";
  if (error == EPERM || error == EACCES)
    why += " (not allowed here: kernel.io_uring_disabled, or a container's seccomp filter)";
  if (error == ENOMEM) why += " (the limit of locked memory, ulimit -l, is too low)";
  return why;
}

}  // namespace

StorageOrReason make_uring(Descriptors&& file, bool local) {
  if (is_on_fuse(file.buffered()))
    return {nullptr,
            "io_uring: on FUSE the kernel says of a read across the file's end that it got all bytes"};
  io_uring ring{};
  int error = ::io_uring_queue_init(entries_in_ring, &ring, 0);
  if (error < 0) return {nullptr, why_no_ring(-error)};
  error = try_out(ring);
  if (error < 0) {
    ::io_uring_queue_exit(&ring);
    return {nullptr, why_no_ring(-error)};
  }
  if (!knows_read_and_write(ring)) {
    ::io_uring_queue_exit(&ring);
    return {nullptr, "io_uring: the kernel's is too old, it has no plain read and write"};
  }
  return {std::make_unique<UringFile>(std::move(file), ring, local), ""};
}

}  // namespace collio::storage
