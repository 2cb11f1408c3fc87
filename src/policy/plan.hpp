// The plan: everything a collective call will do, decided before a byte moves.
//
// Made from the digest, the machine and the hints alone, so every rank makes the same one.
#pragma once

#include <string>

#include "machine/machine.hpp"
#include "policy/digest.hpp"
#include "policy/domains.hpp"
#include "policy/hints.hpp"

namespace collio::policy {

enum class Direction { write, read };

struct Plan {
  Direction direction = Direction::write;
  Path path = Path::two_phase;
  std::string reason;
  Domains domains;
  Holes holes = Holes::automatic;
  double estimate_two_phase_s = 0;    ///< beyond the storage time both paths share
  double estimate_independent_s = 0;
};

struct PlanRequest {
  Direction direction = Direction::write;
  Digest digest;
  int aggregators = 1;
};

/// Pure. O(nodes).
[[nodiscard]] Plan make_plan(const PlanRequest& request, const machine::Machine& machine, const Hints& hints);

}  // namespace collio::policy
