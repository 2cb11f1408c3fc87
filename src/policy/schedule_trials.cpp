// See schedule_trials.hpp.
#include "policy/schedule_trials.hpp"

#include <algorithm>
#include <cstdio>

namespace collio::policy {

namespace {

constexpr int wins_needed = 3;     ///< in a row
constexpr int settled_stints = 8;  ///< stints' worth of rounds from one look at the usual time to the next

std::vector<Overlap> candidates_of(const Overlap& first) {
  std::vector<Overlap> all{first};
  for (const Schedule s : {Schedule::dataflow, Schedule::write_communication_2, Schedule::write, Schedule::communication,
                           Schedule::write_communication, Schedule::none}) {
    Overlap candidate = overlap_of(s, first.buffers);
    if (s == first.schedule || (candidate.storage_goes_on && !first.storage_goes_on)) continue;
    candidate.buffers = first.buffers;
    all.push_back(candidate);
  }
  return all;
}

}  // namespace

ScheduleTrials::ScheduleTrials(const Overlap& first) : candidates_(candidates_of(first)), stint_rounds_(4 * first.buffers) {}

/// A stint on trial is broken off when it takes twice as long as usual, so it can lose as much as it usually takes.
bool ScheduleTrials::may_try() const noexcept {
  if (candidate_ >= candidates_.size() || usual_.over < stint_rounds_) return false;
  const double stint_s = usual_.seconds / static_cast<double>(usual_.over) * static_cast<double>(stint_rounds_);
  return lost_s_ + stint_s <= most_lost * total_s_;
}

void ScheduleTrials::take_time(double now_s) noexcept {
  const double seconds = now_s - since_s_;
  since_s_ = now_s;
  total_s_ += seconds;
  stint_.seconds += seconds;
  if (phase_ == Phase::settled) usual_.seconds += seconds;
}

void ScheduleTrials::opened() noexcept {
  ++stint_.opened;
  if (phase_ != Phase::settled && stint_.opened >= stint_rounds_) resting_ = true;
}

void ScheduleTrials::over(std::int64_t bytes, double now_s) noexcept {
  take_time(now_s);
  ++rounds_;
  ++stint_.over;
  stint_.bytes += bytes;
  if (phase_ == Phase::settled) {
    ++usual_.over;
    usual_.bytes += bytes;
    watch();
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
}

void ScheduleTrials::next_phase() {
  switch (phase_) {
    case Phase::settled:
      phase_ = Phase::for_comparison;
      return;
    case Phase::for_comparison:
      lost_s_ += std::max(0.0, stint_.seconds - usual_.seconds_per_byte() * static_cast<double>(stint_.bytes));
      comparison_ = stint_;
      phase_ = Phase::on_trial;
      return;
    case Phase::on_trial:
      lost_s_ += std::max(0.0, stint_.seconds - usual_.seconds_per_byte() * static_cast<double>(stint_.bytes));
      judge();
      phase_ = Phase::settled;
      return;
  }
}

void ScheduleTrials::judge() {
  const bool faster = stint_.over >= stint_rounds_ && stint_.seconds_per_byte() < clearly * comparison_.seconds_per_byte();
  wins_ = faster ? wins_ + 1 : 0;
  if (wins_ > 0 && wins_ < wins_needed) return;  // it may have been luck
  if (wins_ == wins_needed) {
    incumbent_ = candidate_;
    usual_ = {};
    wins_ = 0;
  }
  do ++candidate_;
  while (candidate_ == incumbent_);
  if (candidate_ >= candidates_.size()) usual_ = {};
}

/// When all has been tried: does the pattern still take as long as it did?
void ScheduleTrials::watch() {
  if (candidate_ < candidates_.size() || usual_.over < settled_stints * stint_rounds_) return;
  const double usual = usual_.seconds_per_byte();
  if (usual_before_ == 0) {
    usual_before_ = usual;
  } else if (usual > shifted * usual_before_ || usual * shifted < usual_before_) {
    usual_before_ = 0;
    candidate_ = incumbent_ == 0 ? 1 : 0;
    return;  // what was measured last is what is usual now
  }
  usual_ = {};
}

std::string ScheduleTrials::text() const {
  if (rounds_tried_ == 0) return "";
  char numbers[128];
  std::snprintf(numbers, sizeof numbers, "; %lld of %lld rounds were trials, which took %.1f %% of the time more", static_cast<long long>(rounds_tried_),
                static_cast<long long>(rounds_), total_s_ > 0 ? 100 * lost_s_ / total_s_ : 0.0);
  std::string text(name_of(candidates_[incumbent_].schedule));
  text += incumbent_ == 0 ? " stays, nothing else was clearly faster" : " was found to be faster than " + std::string(name_of(candidates_[0].schedule));
  return text + numbers;
}

}  // namespace collio::policy
