// A function on a stack of its own, which can stop in the middle and go on later.
//
// Where MPI may be called by one thread at a time, a call the program does not wait for has to run on the
// program's own thread: it runs on a fiber, and wherever it would wait for other ranks it gives the thread
// back instead. Method: ucontext (makecontext, swapcontext); no fiber inside a fiber.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>

namespace collio::transport {

class Fiber {
 public:
  /// Does not start yet. Throws std::bad_alloc when there is no memory for a stack.
  explicit Fiber(std::function<void()> body);
  /// Of a fiber that has ended.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the body until it gives way or ends. Not from within a fiber. `gives_way` false: it does not give
  /// way, but waits.
  void resume(bool gives_way = true);
  [[nodiscard]] bool ended() const noexcept { return ended_; }

  /// On a fiber that is to give way: hands the thread back to the caller of resume(), returns when resumed
  /// again, and is true. Elsewhere false, at once.
  static bool give_way() noexcept;
  /// The calling code runs on a fiber.
  [[nodiscard]] static bool running() noexcept;
  /// give_way() would hand the thread back.
  [[nodiscard]] static bool may_give_way() noexcept;

 private:
  static void enter(unsigned low, unsigned high);

  std::function<void()> body_;
  std::byte* stack_ = nullptr;
  ucontext_t own_{}, resumer_{};
  bool gives_way_ = true, ended_ = false;
};

}  // namespace collio::transport
