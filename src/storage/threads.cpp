// Storage whose transfers are made by threads. See kinds.hpp.
#include <atomic>

#include "storage/kinds.hpp"
#include "storage/posix.hpp"
#include "storage/worker_pool.hpp"

namespace collio::storage {

namespace {

class ThreadsFile final : public OverlappingFile {
 public:
  ThreadsFile(Descriptors file, std::shared_ptr<WorkerPool> pool)
      : OverlappingFile(std::move(file)), pool_(std::move(pool)) {}
  ~ThreadsFile() override {
    pool_->wait_until([this] { return under_way_ == 0; });
  }
  ThreadsFile(const ThreadsFile&) = delete;
  ThreadsFile& operator=(const ThreadsFile&) = delete;

  bool done(Ticket ticket) override { return entries_[ticket].over.load(std::memory_order_acquire); }

  Transfer finish(Ticket ticket) override {
    Entry& entry = entries_[ticket];
    if (!done(ticket)) pool_->wait_until([&] { return done(ticket); });
    Transfer transfer = concluded(entry.operation);
    entries_.give_back(ticket);
    return transfer;
  }

 private:
  struct Entry {
    Operation operation;
    std::atomic<bool> over{false};
  };

  Ticket start(Operation operation) override {
    const Ticket ticket = entries_.take();
    Entry& entry = entries_[ticket];
    entry.operation = std::move(operation);
    ++under_way_;
    pool_->add([this, &entry] {
      entry.operation.run(file());
      entry.over.store(true, std::memory_order_release);
      --under_way_;
    });
    return ticket;
  }

  Tickets<Entry> entries_;
  std::atomic<int> under_way_{0};
  std::shared_ptr<WorkerPool> pool_;
};

}  // namespace

StorageOrReason make_threads(Descriptors&& file, int threads) {
  std::string why;
  std::shared_ptr<WorkerPool> pool = WorkerPool::obtain(threads, why);
  if (!pool) return {nullptr, why};
  return {std::make_unique<ThreadsFile>(std::move(file), std::move(pool)), ""};
}

}  // namespace collio::storage
