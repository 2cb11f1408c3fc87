// See yielding_storage.hpp.
#include "engine/background/yielding_storage.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

#include "engine/background/own_thread.hpp"
#include "transport/waiting/fiber.hpp"

namespace collio::engine {

namespace {

/// The process's thread for storage. Started at first use, never ended: it has nothing to give back.
class Helper {
 public:
  /// Null when no thread is to be had.
  static Helper* get() {
    static Helper* const helper = make();
    return helper;
  }
  void post(std::function<void()> job) {
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    changed_.notify_one();
  }

 private:
  static Helper* make() {
    auto helper = std::make_unique<Helper>();
    std::thread thread = start_thread([h = helper.get()] { h->run(); });
    if (!thread.joinable()) return nullptr;
    thread.detach();
    return helper.release();
  }
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return !jobs_.empty(); });
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
};

/// What `move` returns, done aside if this is a fiber that gives way; returns when it is done.
template <class Move>
auto do_aside(const Move& move) {
  Helper* helper = transport::Fiber::may_give_way() ? Helper::get() : nullptr;
  if (!helper) return move();
  decltype(move()) outcome{};
  const auto done =
      std::make_shared<std::atomic<bool>>(false);  // the helper may look at it when the fiber has gone on
  helper->post([&move, &outcome, done] {
    outcome = move();
    *done = true;
    done->notify_one();
  });
  while (!*done)
    if (!transport::Fiber::give_way()) done->wait(false);  // resumed by a wait for this call alone
  return outcome;
}

class YieldingStorage final : public storage::Storage {
 public:
  explicit YieldingStorage(std::unique_ptr<storage::Storage> inner) : inner_(std::move(inner)) {}

  storage::Transfer write(const core::Extent& extent, const std::byte* from) override {
    return do_aside([&] { return inner_->write(extent, from); });
  }
  storage::Transfer read(const core::Extent& extent, std::byte* to) override {
    return do_aside([&] { return inner_->read(extent, to); });
  }
  bool write_once(const core::Extent& extent, const std::byte* from) noexcept override {
    return inner_->write_once(extent, from);
  }
  bool read_once(const core::Extent& extent, std::byte* to) noexcept override {
    return inner_->read_once(extent, to);
  }
  core::Error sync() override { return inner_->sync(); }
  core::Error allocate(std::int64_t bytes) override { return inner_->allocate(bytes); }
  core::Error close() override { return inner_->close(); }
  bool store(const storage::PieceWrite& what) override {
    return do_aside([&] { return inner_->store(what); });
  }
  std::optional<storage::Transfer> write_whole(const storage::WholeWrite& what) override {
    return do_aside([&] { return inner_->write_whole(what); });
  }
  std::optional<storage::Transfer> sieve(const core::Extent& span, std::byte* room,
                                         const storage::Placing& place) override {
    return do_aside([&] { return inner_->sieve(span, room, place); });
  }
  storage::Transfer write_beside(const core::Extent& extent, const std::byte* from) override {
    return do_aside([&] { return inner_->write_beside(extent, from); });
  }
  [[nodiscard]] bool locks() const noexcept override { return inner_->locks(); }

  // Where transfers are not asynchronous, beginning one is doing it, by write() and read() above.
  storage::Ticket start_write(const core::Extent& extent, const std::byte* from) override {
    return overlaps() ? inner_->start_write(extent, from) : Storage::start_write(extent, from);
  }
  storage::Ticket start_read(const core::Extent& extent, std::byte* to) override {
    return overlaps() ? inner_->start_read(extent, to) : Storage::start_read(extent, to);
  }
  bool done(storage::Ticket ticket) override {
    return overlaps() ? inner_->done(ticket) : Storage::done(ticket);
  }
  storage::Transfer finish(storage::Ticket ticket) override {
    if (!overlaps()) return Storage::finish(ticket);
    while (!inner_->done(ticket) && transport::Fiber::give_way()) {}
    return inner_->finish(ticket);
  }
  [[nodiscard]] bool overlaps() const noexcept override { return inner_->overlaps(); }
  core::Error register_buffers(std::span<const std::span<std::byte>> buffers) override {
    return inner_->register_buffers(buffers);
  }
  [[nodiscard]] std::string remarks() const override { return inner_->remarks(); }

 private:
  std::unique_ptr<storage::Storage> inner_;
};

}  // namespace

std::unique_ptr<storage::Storage> yielding(std::unique_ptr<storage::Storage> inner) {
  return std::make_unique<YieldingStorage>(std::move(inner));
}

}  // namespace collio::engine
