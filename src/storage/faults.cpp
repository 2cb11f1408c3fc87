// See faults.hpp.
#include "storage/faults.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <thread>
#include <utility>

#include "storage/operation.hpp"

namespace collio::storage {

namespace {

/// Empty where there is no such file: no faults now.
std::string content_of(const std::string& path) {
  std::string text;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  char part[4096];
  ssize_t n = 0;
  while (fd >= 0 && (n = ::read(fd, part, sizeof part)) > 0) text.append(part, static_cast<std::size_t>(n));
  if (fd >= 0) ::close(fd);
  return text;
}

}  // namespace

void Injection::apply(SystemCall& call, std::int64_t moved) {
  if (wait_s_ > 0) {
    call.wait_s = std::exchange(wait_s_, 0);
    call.outcome = -EINTR;
  } else if (effect_.interruptions > 0) {
    --effect_.interruptions;
    call.outcome = -EINTR;
  } else if (effect_.short_bytes && moved < *effect_.short_bytes) {
    call.cut(*effect_.short_bytes - moved);
  } else if (effect_.error) {
    call.outcome = -*effect_.error;
  }
}

int Injection::instead() {
  if (wait_s_ > 0) std::this_thread::sleep_for(std::chrono::duration<double>(std::exchange(wait_s_, 0)));
  if (effect_.interruptions > 0) return --effect_.interruptions, EINTR;
  return effect_.error.value_or(0);
}

std::shared_ptr<FaultDrill> FaultDrill::make(const std::string& text, int rank) {
  auto rules = policy::parse_faults(text);
  if (!rules || (rules.value().rules.empty() && rules.value().file.empty())) return nullptr;
  return std::make_shared<FaultDrill>(std::move(rules.value()), rank);
}

FaultDrill::FaultDrill(policy::FaultRules rules, int rank) : file_(std::move(rules.file)), rank_(rank) {
  put_in_force(std::move(rules.rules));
}

void FaultDrill::set_aggregator(int number) {
  const std::lock_guard lock(mutex_);
  aggregator_ = number;
}

void FaultDrill::put_in_force(std::vector<policy::FaultRule> rules) {
  rules_.clear();
  for (policy::FaultRule& rule : rules) rules_.push_back({std::move(rule), 0, {}});
}

/// Rules that are not allowed leave those before in force: the file may be half written.
void FaultDrill::look_at_file() {
  if (file_.empty()) return;
  std::string content = content_of(file_);
  if (content == content_) return;
  content_ = std::move(content);
  auto rules = policy::parse_fault_file(content_);
  if (rules)
    put_in_force(std::move(rules.value().rules));
  else
    std::fprintf(stderr, "collio: rank %d: faults in %s: %s; those before stay in force\n", rank_,
                 file_.c_str(), rules.error().message.c_str());
}

Injection FaultDrill::draw(policy::FaultPoint where) {
  const std::lock_guard lock(mutex_);
  look_at_file();
  const Drawn* met = nullptr;
  for (Drawn& one : rules_) {
    if (one.rule.where != where || !one.rule.concerns(rank_, aggregator_)) continue;
    if (!one.rule.which.has(++one.seen) || met) continue;
    if (!one.first) one.first = Clock::now();
    met = &one;
  }
  if (!met) return {};
  ++injected_;
  const policy::FaultEffect& effect = met->rule.effect;
  const double since_s = std::chrono::duration<double>(Clock::now() - *met->first).count();
  return {effect, effect.delay_s + std::max(0.0, effect.stuck_s - since_s)};
}

std::string FaultDrill::remarks() const {
  const std::lock_guard lock(mutex_);
  return injected_ == 0 ? ""
                        : "faults were injected into " + std::to_string(injected_) + " calls of rank " +
                              std::to_string(rank_);
}

}  // namespace collio::storage
