// See tally.hpp.
#include "flow/tally.hpp"

#include <algorithm>
#include <cassert>

namespace collio::flow {

namespace {

constexpr int rank_bits = 16;

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

Tally::Tally(const policy::Domains& domains, int teams, std::span<Counter> counters) noexcept
    : domains_(domains), counters_(counters), rounds_(domains.most_rounds()), teams_(teams) {
  assert(static_cast<std::size_t>(teams) <= counters.size());
  const std::int64_t count = std::max(1, domains.count);
  const auto most = std::max<std::int64_t>(1, static_cast<std::int64_t>(counters.size()) / teams);
  domains_per_place_ = divide_up(count, most);
  rounds_per_place_ =
      std::max<std::int64_t>(1, domains_per_place_ > 1 ? rounds_ : divide_up(rounds_, most / count));
  places_of_domain_ = std::max<std::int64_t>(1, divide_up(rounds_, rounds_per_place_));
  places_ = divide_up(count, domains_per_place_) * places_of_domain_;
}

void Tally::add(std::int64_t place, int team) noexcept {
  counter(place, team).fetch_add(1, std::memory_order_relaxed);
}

void Tally::need(std::int64_t place, int team, std::int64_t bytes) noexcept {
  counter(place, team).fetch_add(static_cast<std::uint64_t>(bytes) << rank_bits, std::memory_order_relaxed);
}

int Tally::ranks(int domain, std::int64_t round, int team) const noexcept {
  const std::uint64_t both = counter(place(domain, round), team).load(std::memory_order_relaxed);
  return static_cast<int>(both & ((1 << rank_bits) - 1));
}

std::int64_t Tally::needs(int domain, std::int64_t round, int team) const noexcept {
  const std::uint64_t both = counter(place(domain, round), team).load(std::memory_order_relaxed);
  return static_cast<std::int64_t>(both >> rank_bits);
}

int Tally::ranks(int domain, std::int64_t round) const noexcept {
  int sum = 0;
  for (int team = 0; team < teams_; ++team) sum += ranks(domain, round, team);
  return sum;
}

int Tally::teams(int domain, std::int64_t round, int end) const noexcept {
  int sum = 0;
  for (int team = 0; team < end; ++team) sum += ranks(domain, round, team) > 0 ? 1 : 0;
  return sum;
}

std::int64_t Tally::next_round(int domain, std::int64_t round, int first, int end) const noexcept {
  const std::int64_t rounds = domains_.rounds(domain);
  while (++round < rounds)
    for (int team = first; team < end; ++team)
      if (ranks(domain, round, team) > 0) return round;
  return -1;
}

}  // namespace collio::flow
