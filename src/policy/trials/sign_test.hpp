// Whether one of two things wins more often than it would by chance, asked after every comparison.
//
// A test that is looked at again and again finds chance wins in time: three in a row come in one of eight
// trials. So wins are bets, each with a purse of 1. A candidate that wins half of the comparisons or less
// multiplies its purse by n with a probability of at most 1/n, however often it is checked (Ville's
// inequality for the supermartingale; Shafer, "Testing by betting", J. R. Stat. Soc. A 184, 2021). Three
// purses stake different shares: the bold one is quick where wins are nearly certain, the cautious one sees
// small odds.
#pragma once

#include <array>

namespace collio::policy {

class SignTest {
 public:
  void add(bool win) noexcept {
    for (std::size_t i = 0; i < stakes.size(); ++i) purses_[i] *= win ? 1 + stakes[i] : 1 - stakes[i];
  }
  /// With a probability of at most `most_wrong` ever true of one that wins half of the comparisons or less.
  [[nodiscard]] bool wins(double most_wrong) const noexcept {
    double sum = 0;
    for (const double purse : purses_) sum += purse;
    return sum * most_wrong >= static_cast<double>(purses_.size());
  }

 private:
  static constexpr std::array stakes{0.3, 0.6, 0.9};
  std::array<double, 3> purses_{1, 1, 1};
};

}  // namespace collio::policy
