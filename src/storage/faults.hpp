// Faults where collio calls the file system: a call that meets a rule of policy/hints/faults.hpp is not made
// as asked, or waits.
//
// Faults act below storage/operation.hpp: the code that handles the kernel's short counts, interruptions and
// errors handles injected ones too, with every backend. Without a drill this costs one look at a null
// pointer.
#pragma once

#include <sys/types.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "policy/hints/faults.hpp"

namespace collio::storage {

struct SystemCall;

/// What is still to happen to one call on the file.
class Injection {
 public:
  Injection() = default;
  Injection(const policy::FaultEffect& effect, double wait_s) : effect_(effect), wait_s_(wait_s) {}
  /// Makes `call`, the next of a transfer that has moved `moved` bytes, what it is to be.
  void apply(SystemCall& call, std::int64_t moved);
  /// For calls that move no bytes: waits; then what happens instead of the next one: EINTR or another errno;
  /// 0: it is made.
  [[nodiscard]] int instead();

 private:
  policy::FaultEffect effect_;
  double wait_s_ = 0;
};

/// The rules for one rank's calls on one file, and how often each was met. Thread-safe.
class FaultDrill {
 public:
  /// `text` as policy::parse_faults() takes it. Null where it is "none", or not allowed.
  [[nodiscard]] static std::shared_ptr<FaultDrill> make(const std::string& text, int rank);
  FaultDrill(policy::FaultRules rules, int rank);

  /// Number of this rank among the aggregators; -1: none, as long as not told.
  void set_aggregator(int number);
  /// A call begins.
  [[nodiscard]] Injection draw(policy::FaultPoint where);
  /// How many calls met a rule; empty: none.
  [[nodiscard]] std::string remarks() const;

 private:
  using Clock = std::chrono::steady_clock;
  /// A rule, how many calls it has seen, and since when it is met.
  struct Drawn {
    policy::FaultRule rule;
    std::int64_t seen = 0;
    std::optional<Clock::time_point> first;
  };

  void look_at_file();
  void put_in_force(std::vector<policy::FaultRule> rules);

  mutable std::mutex mutex_;
  /// rules are in it; empty: they stay
  std::string file_;
  /// of the file, when last looked at
  std::string content_;
  std::vector<Drawn> rules_;
  int rank_ = 0, aggregator_ = -1;
  std::int64_t injected_ = 0;
};

/// Makes a call that moves no bytes, again when it was interrupted: 0 or errno. `call()` returns 0 or errno.
/// `drill` may be null.
template <class Call>
int make_call(FaultDrill* drill, policy::FaultPoint where, Call&& call) {
  Injection injection = drill ? drill->draw(where) : Injection{};
  for (;;) {
    const int instead = drill ? injection.instead() : 0;
    const int outcome = instead != 0 ? instead : call();
    if (outcome != EINTR) return outcome;
  }
}

}  // namespace collio::storage
