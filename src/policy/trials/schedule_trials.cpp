// See schedule_trials.hpp.
#include "policy/trials/schedule_trials.hpp"

namespace collio::policy {

namespace {

/// stints' worth of rounds from one look at the usual time to the next
constexpr int settled_stints = 8;

std::vector<Overlap> candidates_of(const Overlap& first) {
  std::vector<Overlap> all{first};
  for (const Schedule s : {Schedule::dataflow, Schedule::write_communication_2, Schedule::write,
                           Schedule::communication, Schedule::write_communication, Schedule::none}) {
    Overlap candidate = overlap_of(s, first.buffers);
    if (s == first.schedule || (candidate.storage_goes_on && !first.storage_goes_on)) continue;
    candidate.buffers = first.buffers;
    all.push_back(candidate);
  }
  return all;
}

}  // namespace

ScheduleTrials::ScheduleTrials(const Overlap& first)
    : candidates_(candidates_of(first)),
      stint_rounds_(std::int64_t{4} * first.buffers),
      contest_(candidates_.size(), settled_stints * stint_rounds_) {}

/// A stint on trial is broken off when it takes twice as long as usual, so it can lose as much as it usually
/// takes.
bool ScheduleTrials::may_try() const noexcept {
  const Pace& usual = contest_.usual();
  if (usual.times < stint_rounds_) return false;
  return contest_.may_lose(usual.seconds / static_cast<double>(usual.times) *
                           static_cast<double>(stint_rounds_));
}

void ScheduleTrials::take_time(double now_s) noexcept {
  const double seconds = now_s - since_s_;
  since_s_ = now_s;
  contest_.spend(seconds);
  stint_.seconds += seconds;
  if (phase_ == Phase::settled) contest_.add_usual_time(seconds);
}

void ScheduleTrials::opened() noexcept {
  ++opened_;
  if (phase_ != Phase::settled && opened_ >= stint_rounds_) resting_ = true;
}

void ScheduleTrials::over(std::int64_t bytes, double now_s) noexcept {
  take_time(now_s);
  ++rounds_;
  const auto amount = static_cast<double>(bytes);
  stint_.add(amount, 0);
  if (phase_ == Phase::settled) {
    contest_.settled(amount, 0);
    if (may_try()) resting_ = true;
    return;
  }
  ++rounds_tried_;
  if (phase_ == Phase::on_trial && stint_.seconds > 2 * comparison_.seconds) resting_ = true;
}

void ScheduleTrials::idle(double now_s) {
  if (!resting_) return;
  take_time(now_s);
  resting_ = false;
  next_phase();
  stint_ = {};
  opened_ = 0;
}

void ScheduleTrials::next_phase() noexcept {
  if (phase_ == Phase::settled) {
    phase_ = Phase::for_comparison;
    return;
  }
  contest_.lose(stint_);
  if (phase_ == Phase::for_comparison) {
    comparison_ = stint_;
    phase_ = Phase::on_trial;
    return;
  }
  constexpr double broken_off = 2;  // it took that long at least
  contest_.judge(stint_.times >= stint_rounds_ ? stint_.per_amount() / comparison_.per_amount() : broken_off);
  phase_ = Phase::settled;
}

std::string ScheduleTrials::text() const {
  return contest_.text(std::string(name_of(candidates_[0].schedule)),
                       std::string(name_of(candidates_[contest_.in_force()].schedule)),
                       {"rounds", rounds_tried_, rounds_});
}

}  // namespace collio::policy
