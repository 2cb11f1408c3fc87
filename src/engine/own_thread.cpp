// See own_thread.hpp.
#include "engine/own_thread.hpp"

#include <signal.h>

#include <system_error>

namespace collio::engine {

std::thread start_thread(std::function<void()> body) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);  // a thread begins with the mask of who starts it
  std::thread thread;
  try {
    thread = std::thread(std::move(body));
  } catch (const std::system_error&) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace collio::engine
