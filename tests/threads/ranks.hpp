// Ranks as threads.
#pragma once

#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include "ranks_in_process.hpp"

namespace collio::transport {

inline constexpr int ranks = 4;

/// body(rank) on a thread each, of so many; all begin together.
template <class Body>
void run_threads(int count, const Body& body) {
  std::barrier start(count);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] {
      start.arrive_and_wait();
      body(rank);
    });
}

/// Returns on `all` threads at very nearly the same time, `later` times a few nanoseconds later on this one.
/// `come`: 0 at first.
inline void meet_closely(std::atomic<int>& come, int all, int later) {
  ++come;
  for (int polls = 0; come < all;)
    if (++polls > 1000) std::this_thread::yield();
  for (volatile int left = later; left > 0;) left = left - 1;
}

template <class Body>
void run_ranks(const Body& body) {
  run_threads(ranks, body);
}

}  // namespace collio::transport
