// See agreement.hpp.
#include "transport/node_memory/agreement.hpp"

#include <algorithm>
#include <limits>

#include "core/shortened.hpp"

namespace collio::transport {

namespace {

void combine_outcomes(const Outcome& a, Outcome& b) {
  if (a.error > b.error || (a.error == b.error && a.failed_rank > b.failed_rank)) {
    b.error = a.error;
    b.failed_rank = a.failed_rank;
  }
  b.untiled = std::max(a.untiled, b.untiled);
  b.longest_ns = std::max(a.longest_ns, b.longest_ns);
  b.again = std::max(a.again, b.again);
  b.left_out = std::max(a.left_out, b.left_out);
  b.intact_below = std::min(a.intact_below, b.intact_below);
}

}  // namespace

void Agreement::Meeting::combine(const Meeting& other) {
  digest.combine(other.digest);
  combine_outcomes(other.outcome, outcome);
  for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], other.most[i]);
}

core::Error Agreement::meet(Meeting& meeting) const {
  meeting.digest.set_call(here_.kind, here_.form);
  join(meeting);
  return meeting.digest.same_call() ? core::Error{} : different_calls(meeting.digest);
}

/// Of the calls of the greatest and of the least kind, the lowest rank in each.
core::Error Agreement::different_calls(const policy::Digest& all) const {
  constexpr std::int64_t none = std::numeric_limits<std::int32_t>::min();
  std::int64_t ranks[] = {here_.kind == all.call_high ? -rank_ : none,
                          here_.kind == ~all.call_low ? -rank_ : none};
  join_after(ranks);
  std::string text = (here_.file ? *here_.file + ": " : "") + "ranks make different collective calls";
  const char* before = ": ";
  for (const std::int64_t negative : ranks) {
    CallHere there = here_;
    hear_after(there.name, static_cast<int>(-negative));
    text += before + ("rank " + std::to_string(-negative)) + " calls " + there.name;
    before = ", ";
  }
  return {core::ErrorClass::not_same, text};
}

core::Error Agreement::digest(policy::Digest& digest, Outcome& ahead) const {
  Meeting all{digest, ahead};
  core::Error error = meet(all);
  digest = all.digest;
  ahead = all.outcome;
  return error;
}

void Agreement::outcome(Outcome& outcome) const {
  Meeting all{{}, outcome};
  static_cast<void>(meet(all));
  outcome = all.outcome;
}

std::int64_t Agreement::least(std::int64_t mine) const {
  Outcome o;
  o.intact_below = mine;
  outcome(o);
  return o.intact_below;
}

core::Error Agreement::worst(const core::Error& mine, const std::string& what) const {
  return worst(mine, what, {});
}

core::Error Agreement::error_of(std::int64_t kind, std::int64_t rank, const core::Error& mine,
                                const std::string& what) const {
  if (static_cast<core::ErrorClass>(kind) == mine.kind) return mine;
  return {static_cast<core::ErrorClass>(kind), "rank " + std::to_string(rank) + " " + what};
}

core::Error Agreement::worst(const core::Error& mine, const std::string& what,
                             std::span<std::int64_t> more) const {
  Meeting all;
  all.outcome.error = static_cast<std::int64_t>(mine.kind);
  all.outcome.failed_rank = mine.ok() ? -1 : rank_;
  std::ranges::copy(more, all.most.begin());
  if (core::Error error = meet(all); !error.ok()) return error;
  std::copy_n(all.most.begin(), more.size(), more.begin());
  return error_of(all.outcome.error, all.outcome.failed_rank, mine, what);
}

std::string Agreement::words_of(std::int64_t rank, std::string mine) const {
  constexpr std::size_t most = 400;
  mine = core::shortened(mine, most - 1);
  mine.resize(most);
  hear_after(mine, static_cast<int>(rank));
  return "rank " + std::to_string(rank) + ": " + mine.c_str();
}

void Agreement::sum(std::vector<std::int32_t>& counts) const { join(counts, Numbers::sums); }

void Agreement::maximum(std::vector<std::int32_t>& values) const { join(values, Numbers::maxima); }

}  // namespace collio::transport
