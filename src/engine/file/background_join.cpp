// See background_join.hpp.
#include "engine/file/background_join.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <list>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "storage/subfiles/join.hpp"
#include "storage/subfiles/ownership.hpp"

namespace collio::engine {

namespace {

using storage::SubfileSet;

constexpr std::chrono::seconds patience{2};

core::Error join_all(const SubfileSet& set) {
  const auto bytes = length_by(set, {});
  if (!bytes) return bytes.error();
  core::Error error = begin_join(set, bytes.value());
  storage::JoinTally tally;
  if (error.ok()) error = join_part(set, bytes.value(), {}, tally);
  if (error.ok()) error = end_join(set, bytes.value());
  if (!error.ok()) {
    abandon_join(set, error);
    return error;
  }
  return remove_with_last(set);
}

/// Not when the file has been deleted or replaced meanwhile.
void join_or_say(const SubfileSet& set) {
  core::Error error;
  try {
    error = join_all(set);
    if (error.ok()) return;
    if (const auto there = has_placeholder(set); there && !there.value()) return;
  } catch (const std::bad_alloc&) {
    error = {core::ErrorClass::no_memory, "no memory"};
  }
  std::fprintf(
      stderr, "collio: collio_join=background: %s stays in its subfiles: %s; collio join makes it one file\n",
      set.path().c_str(), error.message.c_str());
}

/// Those under way in this process.
class Joins {
 public:
  ~Joins() {
    for (Join& join : joins_) {
      if (::getpid() != process_) {  // a forked child has no threads to wait for
        join.thread.detach();
        continue;
      }
      if (!ended_within(join, patience))
        std::fprintf(stderr, "collio: %s becomes one file; the process ends then\n", join.path.c_str());
      join.thread.join();
    }
  }

  void add(SubfileSet set, std::shared_ptr<storage::SetUse> alone) {
    const std::lock_guard lock(mutex_);
    joins_.remove_if([](Join& join) {
      if (join.ended) join.thread.join();
      return join.ended.load();
    });
    Join& join = joins_.emplace_back(set.path());
    try {
      join.thread = std::thread([&join, set = std::move(set), alone = std::move(alone)]() mutable {
        join_or_say(set);
        alone.reset();
        join.ended = true;
      });
    } catch (...) {
      joins_.pop_back();
      throw;
    }
  }

 private:
  struct Join {
    std::string path;
    std::thread thread;
    std::atomic<bool> ended = false;
    explicit Join(std::string of) : path(std::move(of)) {}
  };
  static bool ended_within(const Join& join, std::chrono::steady_clock::duration time) {
    const auto until = std::chrono::steady_clock::now() + time;
    while (!join.ended && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return join.ended;
  }

  const pid_t process_ = ::getpid();
  std::mutex mutex_;
  std::list<Join> joins_;
};

}  // namespace

core::Error join_in_background(SubfileSet set, std::shared_ptr<storage::SetUse> alone) {
  static Joins joins;
  try {
    joins.add(set, std::move(alone));
  } catch (const std::system_error& error) {
    return {core::ErrorClass::other, "no thread to join the subfiles of " + set.path() + ": " + error.what()};
  }
  return {};
}

}  // namespace collio::engine
