// See contest.hpp.
#include "policy/trials/contest.hpp"

#include <algorithm>
#include <cstdio>

namespace collio::policy {

/// When all has been tried: does it still take as long as it did, and is it still faster than what it took
/// over from?
void Contest::settled(double amount, double seconds) noexcept {
  usual_.add(amount, seconds);
  if (has_candidate() || usual_.times < looked_after_) return;
  const double usual = usual_.per_amount();
  if (usual_before_ == 0) {
    usual_before_ = usual;
  } else if (usual > shifted * usual_before_ || usual * shifted < usual_before_) {
    usual_before_ = 0;
    candidate_ = in_force_ == 0 ? 1 : 0;
    return;  // what was measured last is what is usual now
  }
  if (taken_over_ && ++looks_ >= review_after_) {
    looks_ = 0;
    review_after_ *= 2;
    candidate_ = before_;
    reviewing_ = true;
    return;
  }
  usual_ = {};
}

void Contest::lose(const Pace& trial) noexcept {
  lost_s_ += std::max(0.0, trial.seconds - usual_.per_amount() * trial.amount);
}

void Contest::judge(double times_as_long) noexcept {
  const bool faster = times_as_long < clearly;
  test_.add(faster);
  behind_ += faster ? -1 : times_as_long > hopeless ? 2 : 1;
  if (test_.wins(most_wrong / static_cast<double>(tests_ * (tests_ + 1)))) {
    before_ = in_force_;
    in_force_ = candidate_;
    taken_over_ = true;
    usual_ = {};
    usual_before_ = 0;
  } else if (behind_ < most_behind) {
    return;
  }
  drop();
}

void Contest::drop() noexcept {
  test_ = {};
  behind_ = 0;
  ++tests_;
  if (reviewing_)
    candidate_ = ways_;
  else
    do ++candidate_;
    while (candidate_ == in_force_);
  reviewing_ = false;
  if (!has_candidate()) usual_ = {};
}

std::string Contest::text(const std::string& first, const std::string& in_force, const Count& count) const {
  if (count.tried == 0) return "";
  char numbers[128];
  std::snprintf(
      numbers, sizeof numbers, "; %lld of %lld %.*s were trials, which took %.1f %% of the time more",
      static_cast<long long>(count.tried), static_cast<long long>(count.all),
      static_cast<int>(count.what.size()), count.what.data(), spent_s_ > 0 ? 100 * lost_s_ / spent_s_ : 0.0);
  return in_force +
         (in_force_ == 0 ? " stays, nothing else was clearly faster"
                         : " was found to be faster than " + first) +
         numbers;
}

}  // namespace collio::policy
