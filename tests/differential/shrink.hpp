// Simpler variants of a failing case, and the loop that keeps those that still fail.
#pragma once

#include <vector>

#include "case.hpp"

namespace collio::differential {

/// Cases one step simpler than `subject`, boldest step first. Pure, so all ranks see the same list.
[[nodiscard]] std::vector<Case> simpler(const Case& subject);

/// Greedy descent: the simplest case reached for which `fails` still holds. Collective when `fails` is.
template <class Fails>
[[nodiscard]] Case shrink(Case subject, int most_attempts, Fails fails) {
  bool progress = true;
  while (progress) {
    progress = false;
    for (const Case& candidate : simpler(subject)) {
      if (most_attempts-- <= 0) return subject;
      if (!fails(candidate)) continue;
      subject = candidate;
      progress = true;
      break;
    }
  }
  return subject;
}

}  // namespace collio::differential
