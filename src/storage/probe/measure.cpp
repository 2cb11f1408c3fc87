// See measure.hpp.
#include "storage/probe/measure.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace collio::storage::probe {

namespace {

using Clock = std::chrono::steady_clock;
/// a sample that takes this many times the usual time ends early
constexpr double slow_by = 4;
/// but not before this: short times scatter
constexpr double shortest_end_s = 0.05;
/// that the usual time is taken of
constexpr std::size_t most_times = 255;

Clock::time_point in(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

class Probe {
 public:
  Probe(const std::vector<Target>& targets, const Budget& budget, int at_once, const MeasureLimits& limits)
      : targets_(targets),
        limits_(limits),
        at_once_(static_cast<std::size_t>(std::max(at_once, 1))),
        end_(in(limits.most_s)),
        last_begin_(in(limits.most_s - std::min(limits.patience_s, limits.most_s / 2))),
        work_(prepare_samples(budget.size, limits.direct)),
        threads_(limits.patience_s),
        found_(targets.size()),
        taken_(targets.size()),
        busy_(targets.size(), false) {
    work_->end = last_begin_;
    for (int round = 0; round < budget.samples; ++round)
      for (int i = 0; i < static_cast<int>(targets.size()); ++i) pending_.push_back(i);
  }

  std::vector<Measurement> run() {
    for (;;) {
      while (threads_.running() < at_once_ && start_next()) {}
      if (threads_.running() == 0) break;
      book(threads_.next(end_));
    }
    for (Measurement& one : found_)
      if (!one.samples.empty() && one.error.ok()) one.state = State::measured;
    for (Measurement& one : found_) summarise(one);
    return std::move(found_);
  }

 private:
  using Slot = std::shared_ptr<std::optional<Sample>>;

  Measurement& found(int target) { return found_[static_cast<std::size_t>(target)]; }

  /// No further sample is worth its time: the target cannot be written, or all that were taken ended early.
  [[nodiscard]] bool is_settled(int target) {
    const Measurement& one = found(target);
    return !one.error.ok() || one.ended_early >= least_samples;
  }

  /// The next sample of a target that works and is not being written. False: there is none, or the time is
  /// over.
  bool start_next() {
    if (Clock::now() > last_begin_) return false;
    while (!pending_.empty() && is_settled(pending_.front())) pending_.pop_front();
    const auto next = std::ranges::find_if(pending_, [this](int target) {
      return !busy_[static_cast<std::size_t>(target)] && !is_settled(target);
    });
    if (next == pending_.end()) return false;
    const int target = *next;
    pending_.erase(next);
    const auto index = static_cast<std::size_t>(target);
    const Slot slot = taken_[index] = std::make_shared<std::optional<Sample>>();
    auto sampling = [slot, work = work_, named = targets_[index]](Progress& progress) noexcept {
      try {
        *slot = take_sample(named, *work, progress);
      } catch (const std::exception&) {  // no memory: the slot stays empty
      }
    };
    busy_[index] = threads_.start(target, std::move(sampling));
    if (!busy_[index])
      fail(found(target), targets_[index],
           {core::ErrorClass::no_memory, "the system gives no thread for its probe (ulimit -u)"});
    return true;
  }

  void book(const WatchedThreads::Ended& ended) {
    const auto index = static_cast<std::size_t>(ended.who);
    busy_[index] = false;
    const Slot slot = std::move(taken_[index]);
    const Target& target = targets_[index];
    if (ended.why == WatchedThreads::Given::late && found_[index].samples.empty())
      give_up_late(found_[index], target, {limits_.most_s, ended.doing});
    else if (ended.why == WatchedThreads::Given::stuck)
      give_up(found_[index], target, {limits_.patience_s, ended.doing});
    else if (ended.why == WatchedThreads::Given::late)
      return;  // the samples before count
    else if (!slot->has_value())
      fail(found_[index], target, {core::ErrorClass::no_memory, "the process has no memory for its probe"});
    else
      add(ended.who, **slot);
  }

  void add(int target, const Sample& sample) {
    Measurement& one = found(target);
    one.bytes += sample.bytes;
    if (!sample.error.ok()) return fail(one, targets_[static_cast<std::size_t>(target)], sample.error);
    one.samples.push_back(sample.bytes_per_s);
    one.way = sample.way;
    one.no_direct = sample.no_direct;
    one.ended_early += sample.whole ? 0 : 1;
    if (!sample.whole || times_.size() >= most_times) return;
    times_.insert(std::ranges::upper_bound(times_, sample.seconds), sample.seconds);
    work_->enough_s = std::max(shortest_end_s, slow_by * times_[times_.size() / 2]);
  }

  const std::vector<Target>& targets_;
  MeasureLimits limits_;
  std::size_t at_once_;
  /// of the probe, and for samples to begin
  Clock::time_point end_, last_begin_;
  std::shared_ptr<SampleWork> work_;
  WatchedThreads threads_;
  std::vector<Measurement> found_;
  std::vector<Slot> taken_;
  std::vector<bool> busy_;
  /// a target for each sample to be taken
  std::deque<int> pending_;
  /// of whole samples, sorted
  std::vector<double> times_;
};

}  // namespace

std::vector<Measurement> measure(const std::vector<Target>& targets, const Budget& budget, int at_once,
                                 const MeasureLimits& limits) {
  return Probe(targets, budget, at_once, limits).run();
}

}  // namespace collio::storage::probe
