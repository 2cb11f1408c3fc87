// Storage over POSIX asynchronous I/O, which the C library does with threads of its own. See kinds.hpp.
#include <aio.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <vector>

#include "storage/kinds.hpp"
#include "storage/posix.hpp"

namespace collio::storage {

namespace {

using Clock = std::chrono::steady_clock;

class AioFile final : public OverlappingFile {
 public:
  explicit AioFile(Descriptors file) : OverlappingFile(std::move(file)) {}
  ~AioFile() override {
    while (!under_way_.empty()) wait_for(under_way_.back());
  }
  AioFile(const AioFile&) = delete;
  AioFile& operator=(const AioFile&) = delete;

  bool done(Ticket ticket) override {
    for (std::size_t i = 0; i < under_way_.size();) i += advance(under_way_[i]) ? 0 : 1;
    return entries_[ticket].operation.complete();
  }

  Transfer finish(Ticket ticket) override {
    wait_for(ticket);
    Transfer transfer = concluded(entries_[ticket].operation);
    entries_.give_back(ticket);
    return transfer;
  }

 private:
  struct Entry {
    Operation operation;
    SystemCall call;
    aiocb control{};
    Clock::time_point due;  ///< of a call with an outcome that was injected
  };

  Ticket start(Operation operation) override {
    const Ticket ticket = entries_.take();
    entries_[ticket].operation = std::move(operation);
    if (submit(entries_[ticket])) under_way_.push_back(ticket);
    return ticket;
  }

  /// Hands the next call to the library; what that does not take is made at once. False: the operation is
  /// complete.
  bool submit(Entry& entry) {
    while (!entry.operation.complete()) {
      entry.call = entry.operation.next(file());
      entry.due = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(entry.call.wait_s));
      if (entry.call.outcome) return true;
      entry.control = {};
      entry.control.aio_fildes = entry.call.fd;
      entry.control.aio_buf = entry.call.data;
      entry.control.aio_nbytes = entry.call.bytes;
      entry.control.aio_offset = entry.call.offset;
      entry.control.aio_sigevent.sigev_notify = SIGEV_NONE;
      if ((entry.call.write ? ::aio_write : ::aio_read)(&entry.control) == 0) return true;
      entry.operation.book(file(), entry.call, entry.call.make());
    }
    return false;
  }

  /// Looks after one that is under way. True: it is complete, and no longer among them.
  bool advance(Ticket ticket) {
    Entry& entry = entries_[ticket];
    if (entry.call.outcome) {
      if (Clock::now() < entry.due) return false;
      entry.operation.book(file(), entry.call, *entry.call.outcome);
    } else {
      const int state = ::aio_error(&entry.control);
      if (state == EINPROGRESS) return false;
      const ssize_t moved = ::aio_return(&entry.control);
      entry.operation.book(file(), entry.call, state == 0 ? moved : -state);
    }
    if (submit(entry)) return false;
    std::erase(under_way_, ticket);
    return true;
  }

  void wait_for(Ticket ticket) {
    Entry& entry = entries_[ticket];
    while (!entry.operation.complete() && !advance(ticket)) {
      const aiocb* one = &entry.control;
      if (entry.call.outcome)
        std::this_thread::sleep_until(entry.due);
      else
        ::aio_suspend(&one, 1, nullptr);
    }
  }

  Tickets<Entry> entries_;
  std::vector<Ticket> under_way_;
};

}  // namespace

StorageOrReason make_aio(Descriptors&& file) { return {std::make_unique<AioFile>(std::move(file)), ""}; }

}  // namespace collio::storage
