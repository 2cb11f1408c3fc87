// See trace.hpp.
#include "observe/trace.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <vector>

#include "observe/steps.hpp"

namespace collio::observe {

namespace {

constexpr int most_ranks = 64;                  // that write
constexpr std::size_t most_kept = 1 << 14;      // until they are written
constexpr std::int64_t most_written = 1 << 17;  // of a process

constexpr std::array<const char*, step_count> step_names{
#define COLLIO_STEP(key, meaning) #key,
#include "observe/report.def"
};

std::string host_name() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return host.data();
}

/// Of one process. Never destroyed: programs may call from exit handlers.
class Trace {
 public:
  Trace(const char* prefix, int rank) : rank_(rank), host_(host_name()) {
    path_ = std::string(prefix) + "." + host_ + "." + std::to_string(::getpid());
    using namespace std::chrono;
    to_wall_s_ = duration<double>(system_clock::now().time_since_epoch()).count() - now_s();
    steps_.reserve(most_kept);
  }

  void step(Step step, double begin_s, double end_s) {
    const std::lock_guard lock(mutex_);
    if (!has_room()) return;
    steps_.push_back({step, thread(), begin_s, end_s});
    if (steps_.size() == most_kept) write();
  }

  void call(const TracedCall& call) {
    const std::lock_guard lock(mutex_);
    if (!has_room()) return;
    calls_.push_back({call.operation, call.path, call.file, call.bytes, thread(), wall_us(call.begin_s),
                      wall_us(call.end_s) - wall_us(call.begin_s)});
    if (calls_.size() == most_kept) write();
  }

  void write_rest() {
    if (process_ != ::getpid()) return;  // a copy, whose events are the parent's
    const std::lock_guard lock(mutex_);
    write();
  }

 private:
  struct OfStep {
    Step step;
    int thread;
    double begin_s, end_s;
  };

  /// Number of the calling one, in the order in which they came.
  static int thread() {
    static std::atomic<int> next{0};
    thread_local const int mine = next++;
    return mine;
  }

  [[nodiscard]] std::int64_t wall_us(double at_s) const {
    return static_cast<std::int64_t>(1e6 * (at_s + to_wall_s_));
  }

  /// [step, thread, begin, duration]; by hand, as there are many.
  void add_steps(std::string& line) const {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const OfStep& one = steps_[i];
      const std::int64_t begin_us = wall_us(one.begin_s);
      line += i == 0 ? "[" : ",[";
      line += std::to_string(static_cast<int>(one.step)) + "," + std::to_string(one.thread) + "," +
              std::to_string(begin_us) + "," + std::to_string(wall_us(one.end_s) - begin_us) + "]";
    }
  }

  bool has_room() {
    if (written_ < most_written) return true;
    ++left_out_;
    return false;
  }

  void write() {
    written_ += static_cast<std::int64_t>(steps_.size() + calls_.size());
    const nlohmann::json about = {
        {"rank", rank_}, {"host", host_}, {"left_out", left_out_}, {"names", step_names}, {"calls", calls_}};
    std::string line = about.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    line.back() = ',';  // of the object
    line += "\"steps\":[";
    add_steps(line);
    append(line + "]}\n");
    steps_.clear();
    calls_.clear();
  }

  void append(const std::string& line) const {
    const int fd = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    const bool written =
        fd >= 0 && ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
    if (!written) std::fprintf(stderr, "collio: the trace cannot be written to %s\n", path_.c_str());
    if (fd >= 0) ::close(fd);
  }

  std::mutex mutex_;
  int rank_;
  pid_t process_ = ::getpid();
  std::string host_, path_;
  double to_wall_s_ = 0;
  std::vector<OfStep> steps_;
  std::vector<nlohmann::json> calls_;
  std::int64_t written_ = 0, left_out_ = 0;
};

std::atomic<Trace*> trace{nullptr};

}  // namespace

void start_trace(int rank) noexcept try {
  static std::once_flag once;
  std::call_once(once, [rank] {
    const char* prefix = ::secure_getenv("COLLIO_TRACE");
    if (!prefix || !*prefix || rank >= most_ranks) return;
    trace = new Trace(prefix, rank);
    std::atexit([] {
      try {
        trace.load()->write_rest();
      } catch (const std::bad_alloc&) {  // what was written stays
      }
    });
    traced = true;
  });
} catch (const std::bad_alloc&) {  // there is no trace
}

void trace_step(Step step, double begin_s, double end_s) noexcept try {
  if (Trace* const to = trace.load(std::memory_order_acquire)) to->step(step, begin_s, end_s);
} catch (const std::bad_alloc&) {  // this part is left out
}

void trace_call(const TracedCall& call) noexcept try {
  if (Trace* const to = trace.load(std::memory_order_acquire)) to->call(call);
} catch (const std::bad_alloc&) {  // this call is left out
}

}  // namespace collio::observe
