// Threads that collio starts in the program's process.
#pragma once

#include <functional>
#include <thread>

namespace collio::engine {

/// A thread that runs `body`, soon after it wakes, and gets none of the program's signals. Not joinable:
/// there is no thread to be had.
[[nodiscard]] std::thread start_thread(std::function<void()> body);

}  // namespace collio::engine
