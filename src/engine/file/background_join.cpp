// See background_join.hpp.
#include "engine/file/background_join.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <list>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "storage/subfiles/join.hpp"

namespace collio::engine {

namespace {

using storage::SubfileSet;

constexpr std::int64_t most_threads = 8;
constexpr std::chrono::seconds patience{2};

core::Error no_thread(const SubfileSet& set, const std::system_error& error) {
  return {core::ErrorClass::other, "no thread to join the subfiles of " + set.path() + ": " + error.what()};
}

/// Every thread copies its part.
core::Error copy_parts(const SubfileSet& set, std::int64_t file_bytes) {
  const std::int64_t threads = std::min(set.layout().count, most_threads);
  std::vector<core::Error> errors(static_cast<std::size_t>(threads));
  const auto copy = [&](std::int64_t part) {
    storage::JoinTally tally;
    core::Error& error = errors[static_cast<std::size_t>(part)];
    try {
      error = join_part(set, file_bytes, {part, threads}, tally);
    } catch (const std::bad_alloc&) {
      error = {core::ErrorClass::no_memory, "no memory to join the subfiles of " + set.path()};
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::int64_t part = 1; part < threads; ++part) others.emplace_back(copy, part);
    copy(0);
  }
  core::Error worst;
  for (const core::Error& error : errors) core::keep_worst(worst, error);
  return worst;
}

core::Error join_all(const SubfileSet& set) {
  const auto bytes = length_by(set, {});
  if (!bytes) return bytes.error();
  core::Error error = begin_join(set, bytes.value());
  if (error.ok()) error = copy_parts(set, bytes.value());
  if (error.ok()) error = end_join(set, bytes.value());
  if (error.ok()) error = remove_subfiles(set, {});
  return error.ok() ? remove_folder(set) : error;
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
  } catch (const std::system_error& thread) {
    error = no_thread(set, thread);
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

  std::mutex mutex_;
  std::list<Join> joins_;
};

}  // namespace

core::Error join_in_background(SubfileSet set, std::shared_ptr<storage::SetUse> alone) {
  static Joins joins;
  try {
    joins.add(set, std::move(alone));
  } catch (const std::system_error& error) {
    return no_thread(set, error);
  }
  return {};
}

}  // namespace collio::engine
