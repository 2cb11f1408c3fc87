// Waiting without burning a core that another rank of the node needs.
//
// How a wait goes on is decided in flow/wait_step.hpp. Any progress starts a wait over.
#pragma once

#include <mpi.h>

#include "flow/wait_step.hpp"

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
  explicit PoliteWait(double longest_nap_s) noexcept;
  /// Called when a poll found nothing. Returns after giving other processes a chance.
  void idle() noexcept;
  void progressed() noexcept {
    so_far_.polls = 0;
    watch_.moved();
  }

 private:
  Watch watch_;
  flow::WaitSoFar so_far_;
  double begin_s_ = 0;
};

/// Completes `request`, which is part of a reduction. Not collective in itself. MPI's own MPI_Wait may spin;
/// this does not.
void wait_for(MPI_Request& request);

}  // namespace collio::transport
