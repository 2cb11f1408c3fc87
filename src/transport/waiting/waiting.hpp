// Waiting without burning a core that another rank of the node needs.
//
// A wait first polls a few times, then gives its time slice away between polls, then naps, each time for a
// sixteenth of what it has waited so far, up to a limit, which is higher where many ranks share a core: their
// polls alone could fill it. Where every rank has a core of its own it yields for longer: nobody needs the
// core, and a nap would only add to the latency. Any progress starts a wait over.
//
// A reduction goes along a tree of ranks, of which each waits for the one before: their naps add up, to 3 to
// 6 ms among 1024 nodes by a model. So where cores are free, naps of one are a two-thousandth of what the
// rank has waited, and 20 us at first.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace collio::transport {

/// Ranks of this process's node for each core they may use. Set when a file is opened.
void set_ranks_per_core(double ranks) noexcept;
/// There are more ranks than cores.
[[nodiscard]] bool crowded() noexcept;

/// The calling thread is beside one of the program's that computes: its waits sleep at once. A yield would
/// hand the core to the computation for a whole time slice; a thread that wakes up from a sleep gets it soon.
void set_beside_program() noexcept;
[[nodiscard]] bool beside_program() noexcept;

/// Waits do this first each time they would yield or sleep: on a fiber that gives way they give the thread
/// back and are done (true); else the turn that was set, if any, moves other calls of the process on (false).
/// Not collective.
bool give_way() noexcept;
/// What moves other calls on, not to be called on a fiber. Null: nothing does.
void set_turn(bool (*turn)()) noexcept;

/// What a thread's waits tell of themselves, now and then while they last.
class Lookout {
 public:
  /// A wait that was first told of at `since_s` still goes on at `now_s`.
  virtual void look(double now_s, double since_s) noexcept = 0;
  /// A wait of which look() was told is over, or has come further.
  virtual void moved() noexcept = 0;

 protected:
  ~Lookout() = default;
};
/// Sets this thread's, or this fiber's; null: nobody. Returns the one before.
Lookout* set_lookout(Lookout* next) noexcept;
[[nodiscard]] Lookout* lookout() noexcept;

/// One wait's dealings with the lookout. It is told when the wait is about to sleep: what ends before that
/// costs nothing.
class Watch {
 public:
  Watch() = default;
  ~Watch() { moved(); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void look() noexcept;
  void moved() noexcept {
    if (since_s_ != 0) forget();
  }

 private:
  void forget() noexcept;
  double since_s_ = 0;
};

class PoliteWait {
 public:
  enum class For { messages, reduction };
  explicit PoliteWait(For what = For::messages) noexcept;
  /// Naps no longer than this.
  explicit PoliteWait(long longest_nap_ns) noexcept : longest_nap_ns_(longest_nap_ns) {}
  /// Called when a poll found nothing. Returns after giving other processes a chance.
  void idle() noexcept;
  void progressed() noexcept {
    idle_polls_ = 0;
    watch_.moved();
  }

 private:
  [[nodiscard]] double nap_s() const noexcept;

  Watch watch_;
  std::int64_t idle_polls_ = 0;
  long longest_nap_ns_;
  /// and cores are free
  bool reduces_ = false;
  double begin_s_ = 0;
};

/// Completes `request`, which is part of a reduction. Not collective in itself. MPI's own MPI_Wait may spin;
/// this does not.
void wait_for(MPI_Request& request);

}  // namespace collio::transport
