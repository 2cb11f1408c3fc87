// See plan.hpp. The cost model compares what the two paths do not share: storage calls for every piece
// against messages and copies. Its constants are orders of magnitude, not fits; the benchmarks check
// that the choice is right where it matters.
#include "policy/plan.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>

namespace collio::policy {

namespace {

constexpr double message_s = 30e-6;        // one message, with the wait for a busy peer
constexpr double copy_bytes_per_s = 1.5e9; // packing, moving and placing, per core
constexpr double piece_s = 12e-9;          // describing and placing one piece
constexpr std::int64_t smallest_domain_bytes = 1 << 20;

double two_phase_s(const PlanRequest& r, const machine::Machine& m) {
  const double parallel = m.parallelism();
  const int ranks = m.ranks();
  const double agreements = 3.0 * std::bit_width(static_cast<unsigned>(ranks));
  const double messages = ranks > 1 ? agreements + 2.0 * ranks * r.aggregators / parallel : 0;
  return messages * message_s + static_cast<double>(r.digest.bytes) / copy_bytes_per_s / parallel +
         static_cast<double>(r.digest.pieces) * piece_s / parallel;
}

double independent_s(const PlanRequest& r, const machine::Machine& m) {
  // Calls on one file serialise inside a node; across nodes they do not.
  const double nodes = static_cast<double>(std::max<std::size_t>(1, m.nodes.size()));
  const double calls = std::max(static_cast<double>(r.digest.pieces) / nodes,
                                static_cast<double>(r.digest.most_pieces));
  return calls * m.storage.operation_s;
}

std::int64_t window_bytes(const machine::Machine& machine, const Hints& hints) {
  return std::min(hints.buffer_bytes, hints.window_bytes > 0 ? hints.window_bytes : machine.storage.window_bytes);
}

void choose_path(Plan& plan, const PlanRequest& r, Path asked) {
  const Digest& d = r.digest;
  if (d.undescribed > 0) {
    plan.path = Path::native;
    plan.reason = "a datatype or view on " + std::to_string(d.undescribed) + " ranks cannot be described by collio";
    return;
  }
  if (d.unordered > 0) {
    plan.path = Path::independent;
    plan.reason = "file pieces of " + std::to_string(d.unordered) + " ranks are not in ascending order";
    return;
  }
  if (asked != Path::automatic) {
    plan.path = asked;
    plan.reason = "asked for by hint";
    return;
  }
  plan.path = plan.estimate_independent_s < plan.estimate_two_phase_s ? Path::independent : Path::two_phase;
  char text[160];
  std::snprintf(text, sizeof text, "%lld pieces of %lld B on average: %.2g s of storage calls one by one, %.2g s to exchange",
                static_cast<long long>(d.pieces), static_cast<long long>(d.bytes / std::max<std::int64_t>(1, d.pieces)),
                plan.estimate_independent_s, plan.estimate_two_phase_s);
  plan.reason = text;
}

}  // namespace

Plan make_plan(const PlanRequest& r, const machine::Machine& machine, const Hints& hints) {
  const bool write = r.direction == Direction::write;
  Plan plan;
  plan.direction = r.direction;
  plan.holes = write ? hints.write_holes : hints.read_holes;
  plan.estimate_two_phase_s = two_phase_s(r, machine);
  plan.estimate_independent_s = independent_s(r, machine);
  choose_path(plan, r, write ? hints.write_path : hints.read_path);
  if (r.digest.bytes == 0) {
    plan.reason = "no bytes to move";
    return plan;
  }
  CutRequest cut{{r.digest.low, r.digest.span()}, r.aggregators, machine.storage.block_bytes, window_bytes(machine, hints)};
  if (hints.alignment_bytes > 0) cut.alignment_bytes = hints.alignment_bytes;
  if (hints.alignment_bytes == 0 && hints.aggregators == 0) {  // few bytes need few aggregators
    const std::int64_t most = r.digest.span() / smallest_domain_bytes + 1;
    cut.aggregators = static_cast<int>(std::min<std::int64_t>(cut.aggregators, most));
  }
  plan.domains = cut_evenly(cut);
  return plan;
}

}  // namespace collio::policy
