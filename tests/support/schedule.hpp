// Ranks as fibers of one thread. At every wait the dice choose who goes on: the same seed, the same order.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "byte_list.hpp"
#include "transport/waiting/fiber.hpp"

namespace collio::transport {

class Schedule {
 public:
  /// A rank that comes no further for a while: as if it had died, until it goes on after all.
  struct Stop {
    int rank = -1;  ///< -1: none does
    int after = 0;  ///< times it has gone on
  };
  Schedule(std::uint32_t seed, int ranks) : dice_(seed), ranks_(ranks) {}

  /// body(rank) on each rank; it may wait, and call Fiber::give_way() wherever another may come in between.
  /// stuck(): no rank gets further but the one that has stopped, which then goes on. False: ranks hang.
  template <class Body, class Stuck>
  [[nodiscard]] bool run(const Stop& stop, const Body& body, const Stuck& stuck) {
    std::vector<std::unique_ptr<Fiber>> fibers;
    for (int rank = 0; rank < ranks_; ++rank)
      fibers.push_back(std::make_unique<Fiber>([&body, rank] { body(rank); }));
    steps_.assign(fibers.size(), 0);
    bool stopped = go_on(fibers, stop);
    if (stopped) stuck();
    if (stopped) go_on(fibers, {});
    if (all_ended(fibers)) return true;
    for (auto& fiber : fibers) static_cast<void>(fiber.release());  // they have not ended
    return false;
  }
  /// How often each rank went on.
  [[nodiscard]] int steps(int rank) const { return steps_[static_cast<std::size_t>(rank)]; }

 private:
  using Fibers = std::vector<std::unique_ptr<Fiber>>;
  static constexpr int patience = 300;  ///< times that each rank looks for what it waits for

  static bool all_ended(const Fibers& fibers) {
    return std::ranges::all_of(fibers, [](const auto& fiber) { return fiber->ended(); });
  }
  /// Until all have ended or wait for good. True: the rank has stopped.
  bool go_on(const Fibers& fibers, const Stop& stop) {
    for (int left = patience * ranks_; left > 0 && !all_ended(fibers); --left) {
      const auto rank = static_cast<std::size_t>(dice_.pick(0, ranks_ - 1));
      const bool stopped = static_cast<int>(rank) == stop.rank && steps_[rank] >= stop.after;
      if (stopped || fibers[rank]->ended()) continue;
      fibers[rank]->resume();
      ++steps_[rank];
    }
    return stop.rank >= 0 && !fibers[static_cast<std::size_t>(stop.rank)]->ended();
  }

  test::Dice dice_;
  int ranks_;
  std::vector<int> steps_;
};

}  // namespace collio::transport
