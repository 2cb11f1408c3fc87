// See choose.hpp.
#include "storage/probe/choose.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "storage/probe/cache.hpp"

namespace collio::storage::probe {

namespace {

using Clock = std::chrono::steady_clock;
/// of targets, in a line
constexpr std::size_t names_told = 8;
/// folders that are looked up
constexpr std::size_t asked_at_once = 16;

/// Looks up what every target is called in the cache; empty where it has failed, or the time was over.
std::vector<std::string> identify(const std::vector<Target>& targets, const MeasureLimits& limits,
                                  std::vector<Measurement>& measurements) {
  using Found = std::optional<core::Result<std::string>>;
  std::vector<std::shared_ptr<Found>> found(targets.size());
  std::vector<std::string> identities(targets.size());
  WatchedThreads threads(limits.patience_s);
  const auto end = Clock::now() +
                   std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.most_s));
  std::size_t next = 0;
  const auto start = [&] {
    const auto slot = found[next] = std::make_shared<Found>();
    auto asking = [slot, target = targets[next]](Progress& progress) noexcept {
      progress.mark("looking for the folder");
      try {
        *slot = identity_of(target);
      } catch (const std::exception&) {  // no memory: the slot stays empty
      }
    };
    const core::Error refused{core::ErrorClass::no_memory,
                              "the system gives no thread for its probe (ulimit -u)"};
    if (!threads.start(static_cast<int>(next), std::move(asking)))
      fail(measurements[next], targets[next], refused);
    ++next;
  };
  for (;;) {
    while (next < targets.size() && threads.running() < asked_at_once && Clock::now() < end) start();
    if (threads.running() == 0) return identities;
    const auto ended = threads.next(end);
    const auto i = static_cast<std::size_t>(ended.who);
    const auto slot = std::exchange(found[i], nullptr);
    if (ended.why != WatchedThreads::Given::result)
      give_up(measurements[i], targets[i],
              {ended.why == WatchedThreads::Given::stuck ? limits.patience_s : limits.most_s, ended.doing});
    else if (!slot->has_value())
      fail(measurements[i], targets[i],
           {core::ErrorClass::no_memory, "the process has no memory for its probe"});
    else if (!**slot)
      fail(measurements[i], targets[i], (*slot)->error());
    else
      identities[i] = (*slot)->value();
  }
}

std::string rate_text(double bytes_per_s) {
  char text[40];
  const bool many = bytes_per_s >= 999.5e6;
  std::snprintf(text, sizeof text, "%.3g %s", bytes_per_s / (many ? 1e9 : 1e6), many ? "GB/s" : "MB/s");
  return text;
}

/// "a, b and 4 more", each by `told`; empty: none.
template <class Told>
std::string list_of(const std::vector<std::size_t>& which, Told told) {
  std::string text;
  for (std::size_t i = 0; i < std::min(which.size(), names_told); ++i)
    text += (i > 0 ? ", " : "") + told(which[i]);
  if (which.size() > names_told) text += " and " + std::to_string(which.size() - names_told) + " more";
  return text;
}

/// One choice under way.
class Choosing {
 public:
  Choosing(const std::vector<Target>& targets, const Options& options)
      : targets_(targets),
        options_(options),
        folder_(options.folder.empty() ? cache_folder() : options.folder) {
    choice_.measurements.resize(targets.size());
  }

  Choice run() {
    budget_ = budget_of(options_.amount, static_cast<std::int64_t>(targets_.size()), too_little_);
    const bool caches = options_.caches && !folder_.empty();
    if (options_.caches && folder_.empty())
      choice_.remarks.emplace_back("there is no cache: neither XDG_CACHE_HOME nor HOME names a folder");
    if (caches) {
      identities_ = identify(targets_, options_.limits, choice_.measurements);
      ask_cache();
    }
    if (budget_ || !options_.measures || unknown().empty()) too_little_.clear();
    if (budget_ && options_.measures && !unknown().empty()) probe(caches);
    decide();
    choice_.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    if (choice_.chosen.empty()) choice_.error = nothing_left();
    return std::move(choice_);
  }

 private:
  [[nodiscard]] std::vector<std::size_t> in_state(State state) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < targets_.size(); ++i)
      if (choice_.measurements[i].state == state) found.push_back(i);
    return found;
  }
  [[nodiscard]] std::vector<std::size_t> unknown() const { return in_state(State::unknown); }

  void remark(std::string text) {
    if (!text.empty() && std::ranges::find(choice_.remarks, text) == choice_.remarks.end())
      choice_.remarks.push_back(std::move(text));
  }

  void ask_cache() {
    CacheContent content = read_cache(folder_);
    remark(std::move(content.remark));
    std::map<std::string_view, const CacheEntry*> by_identity;
    for (const CacheEntry& entry : content.entries) by_identity[entry.identity] = &entry;
    const double now = seconds_since_1970();
    for (const std::size_t i : unknown()) {
      const auto entry = by_identity.find(identities_[i]);
      if (entry == by_identity.end() || !serves(entry->second->terms)) continue;
      const double age_s = now - entry->second->measured_at_s;
      if (age_s < 0 || age_s > options_.most_age_s) continue;
      choice_.measurements[i] = entry->second->measurement;
      choice_.measurements[i].age_s = age_s;
    }
  }

  /// How targets would be measured now.
  [[nodiscard]] Terms terms() const {
    return {options_.limits.direct, budget_ ? budget_->samples : 0, budget_ ? budget_->size.bytes : 0};
  }
  /// Whether rates that were measured so can be compared with those measured now.
  [[nodiscard]] bool serves(const Terms& was) const {
    return was.direct == options_.limits.direct &&
           (!budget_ || (was.sample_bytes == budget_->size.bytes && was.samples >= budget_->samples));
  }

  /// Measures what is not known yet.
  void probe(bool caches) {
    std::optional<CacheLock> lock;
    if (caches) {
      lock.emplace(folder_, options_.wait_s);
      remark(lock->remark());
      ask_cache();  // another job may have probed meanwhile
    }
    const std::vector<std::size_t> which = unknown();
    if (which.empty()) return;
    std::vector<Target> targets;
    for (const std::size_t i : which) targets.push_back(targets_[i]);
    auto found = measure(targets, *budget_, options_.amount.at_once, options_.limits);
    choice_.sample_bytes = budget_->size.bytes;
    std::vector<CacheEntry> entries;
    for (std::size_t i = 0; i < which.size(); ++i) {
      choice_.bytes += found[i].bytes;
      if (caches && found[i].state == State::measured)
        entries.push_back({identities_[which[i]], seconds_since_1970(), terms(), found[i]});
      choice_.measurements[which[i]] = std::move(found[i]);
    }
    if (lock && lock->remark().empty()) remark(add_to_cache(folder_, entries));
  }

  void decide() {
    std::vector<policy::TargetRate> rates;
    for (const Measurement& one : choice_.measurements)
      rates.push_back(one.state == State::measured
                          ? policy::TargetRate{one.bytes_per_s, one.error_bytes_per_s}
                          : policy::TargetRate{});
    choice_.decision = policy::choose_targets(rates, options_.most_loss);
    choice_.chosen = choice_.decision.chosen;
    for (const std::size_t i : unknown()) choice_.chosen.push_back(static_cast<int>(i));
    std::ranges::sort(choice_.chosen);
    choice_.why = why();
  }

  [[nodiscard]] std::string why() const {
    const auto& decision = choice_.decision;
    const auto name = [this](std::size_t i) { return targets_[i].name; };
    std::string text =
        std::to_string(choice_.chosen.size()) + " of " + std::to_string(targets_.size()) + " targets";
    if (!decision.chosen.empty())
      text += ": " + std::to_string(decision.chosen.size()) + " write " +
              rate_text(decision.expected_bytes_per_s) + " together";
    std::vector<std::size_t> slow;
    for (const int i : decision.order)
      if (decision.verdicts[static_cast<std::size_t>(i)] == policy::TargetVerdict::slow)
        slow.push_back(static_cast<std::size_t>(i));
    if (!slow.empty())
      text += ", all " + std::to_string(decision.order.size()) + " would write " +
              rate_text(decision.together.back()) + "; slow: " + list_of(slow, [&](std::size_t i) {
                return name(i) + " (" + rate_text(choice_.measurements[i].bytes_per_s) + ")";
              });
    for (const State state : {State::stuck, State::full, State::failed})
      if (const auto which = in_state(state); !which.empty())
        text += "; " + std::string(word_of(state)) + ": " + list_of(which, name);
    if (const auto which = unknown(); !which.empty())
      text += "; taken without a measurement: " + list_of(which, name);
    return too_little_.empty() ? text : text + "; " + too_little_;
  }

  [[nodiscard]] core::Error nothing_left() const {
    core::Error error{core::ErrorClass::other, ""};
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      which.push_back(i);
      if (choice_.measurements[i].error.kind > error.kind) error.kind = choice_.measurements[i].error.kind;
    }
    error.message = targets_.empty() ? "no target is named; name at least one folder"
                                     : "no target can be used: " + list_of(which, [this](std::size_t i) {
                                         return choice_.measurements[i].error.message;
                                       });
    return error;
  }

  const std::vector<Target>& targets_;
  const Options& options_;
  std::string folder_, too_little_;
  /// of all targets, so that rates from the cache are like those found now
  std::optional<Budget> budget_;
  std::vector<std::string> identities_;
  Choice choice_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace

Choice choose(const std::vector<Target>& targets, const Options& options) {
  return Choosing(targets, options).run();
}

std::vector<std::string> left_out(const std::vector<Target>& targets, const Choice& choice) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (std::ranges::binary_search(choice.chosen, static_cast<int>(i))) continue;
    const Measurement& one = choice.measurements[i];
    texts.push_back(one.error.ok() ? targets[i].name + ": slow, " + rate_text(one.bytes_per_s)
                                   : one.error.message);
  }
  return texts;
}

}  // namespace collio::storage::probe
