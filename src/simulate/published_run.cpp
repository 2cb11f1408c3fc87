// See published_run.hpp.
#include "simulate/published_run.hpp"

#include <cmath>
#include <utility>

#include "core/index.hpp"
#include "policy/aggregators/local_aggregators.hpp"
#include "policy/aggregators/select_aggregators.hpp"
#include "policy/domains/file_cuts.hpp"
#include "simulate/clocks.hpp"

namespace collio::simulate {

namespace {

using core::at;

constexpr std::int64_t pair_bytes = 16;  // an offset and a length

int count_aggregators(const CallSetting& s, const Published& p) {
  const int wanted = p.aggregators > 0 ? p.aggregators : s.reads ? s.job.nodes() : s.model.storage.targets;
  return std::min(wanted, s.job.ranks);
}

/// Writes: stripes dealt in turn, one a round (Lustre). Reads, and writes if a hint says so (GPFS):
/// contiguous domains, cb_buffer_size a round.
policy::Domains cut(const CallSetting& s, const policy::Digest& digest, int aggregators) {
  const core::Extent span{digest.low, digest.span()};
  const std::int64_t stripe = s.model.storage.stripe_bytes;
  if (s.reads || s.hints.cut == policy::Cut::aligned)
    return policy::cut_by(policy::Cut::aligned, {span, aggregators, stripe, s.hints.buffer_bytes}, 0);
  return policy::cut_by(policy::Cut::group_cyclic, {span, aggregators, stripe, stripe},
                        s.model.storage.targets);
}

class PublishedRun {
 public:
  PublishedRun(const CallSetting& setting, const policy::Digest& digest, const Published& published)
      : s_(setting),
        machine_(machine_of(setting)),
        teams_(teams_of(published)),
        domains_(cut(setting, digest, count_aggregators(setting, published))),
        seats_(seats()),
        links_(setting.topology),
        targets_(setting.model.storage, setting.job.nodes()),
        shares_(make_shares(published)),
        pieces_(static_cast<double>(digest.pieces)),
        bytes_(static_cast<double>(digest.bytes)),
        receiving_s_(at(domains_.count)) {}

  Outcome go() {
    const double gather_s = teams_.empty() ? 0 : gather();
    const double metadata_s = describe();
    double exchange_s = 0, storage_s = 0, time_s = gather_s + metadata_s;
    for (std::size_t round = 0; round < shares_.rounds().size(); ++round) {
      const double begin_s = time_s;
      time_s += counts_s();
      if (s_.reads) {
        const double there_s = access(round, time_s);
        storage_s += there_s - time_s;
        time_s = deliver(round, there_s);
        exchange_s += time_s - begin_s - (there_s - begin_s);
      } else {
        const double all_s = collect(round, time_s);
        exchange_s += all_s - begin_s;
        time_s = access(round, all_s);
        storage_s += time_s - all_s;
      }
    }
    Outcome out = finish();
    const double scale = out.extend_counts();
    out.phases = {{"gather on nodes", gather_s},
                  {"describe", metadata_s},
                  {"exchange", exchange_s * scale},
                  {"storage", storage_s * scale}};
    out.seconds = gather_s + metadata_s + (exchange_s + storage_s) * scale;
    return out;
  }

 private:
  [[nodiscard]] std::vector<policy::Teams> teams_of(const Published& p) const {
    if (p.local_aggregators == 0 || p.local_aggregators >= s_.job.ranks) return {};
    policy::Hints hints;
    hints.local_aggregators = p.local_aggregators;
    return policy::make_layers(machine_, hints).teams;
  }

  /// On as many nodes as there are, in turn, as Cray's MPI takes them.
  [[nodiscard]] std::vector<policy::Seat> seats() const {
    policy::Hints hints;
    hints.aggregators = domains_.count;
    return policy::select_aggregators(policy::Selection::round_robin,
                                      {machine_, hints, policy::Counting::hint, s_.model.storage.targets});
  }

  [[nodiscard]] int node_of(int party) const {
    if (teams_.empty()) return s_.job.node_of(party);
    return static_cast<int>(std::upper_bound(first_team_.begin(), first_team_.end(), party) -
                            first_team_.begin()) -
           1;
  }
  [[nodiscard]] int parties() const { return teams_.empty() ? s_.job.ranks : first_team_.back(); }
  [[nodiscard]] int ranks_of_party() const {
    return teams_.empty() ? 1 : std::max(1, s_.job.ranks / parties());
  }

  Shares make_shares(const Published& p) {
    if (!teams_.empty()) first_team_.push_back(0);
    for (const policy::Teams& teams : teams_) first_team_.push_back(first_team_.back() + teams.count);
    const PartyOf party = [&](int rank) { return party_of(rank); };
    Shares shares = shares_of(s_.job, domains_, sample_rounds(domains_, s_.job.ranks, p.most_pairs), party);
    if (!teams_.empty()) kept_ = coalescing(s_.job, domains_, shares, party);
    return shares;
  }

  [[nodiscard]] int party_of(int rank) const {
    if (teams_.empty()) return rank;
    const int n = s_.job.node_of(rank);
    return first_team_[at(n)] + teams_[at(n)].team_of(rank - n * s_.job.ranks_per_node);
  }

  /// Parties that have bytes in a domain, by domain. Dealt stripes are all over the span: all parties are
  /// taken to have some.
  [[nodiscard]] std::vector<std::vector<int>> partners() const {
    std::vector<std::vector<int>> found(at(domains_.count));
    if (domains_.dealt()) {
      for (std::vector<int>& all : found)
        for (int party = 0; party < parties(); ++party) all.push_back(party);
      return found;
    }
    policy::Domains whole = domains_;
    whole.window_bytes = whole.high - whole.low;
    const Shares shares = shares_of(s_.job, whole, {0}, [&](int rank) { return party_of(rank); });
    for (int d = 0; d < domains_.count; ++d)
      for (const Share& share : shares.of(d, 0)) found[at(d)].push_back(share.party);
    return found;
  }

  [[nodiscard]] const policy::Seat& seat(int domain) const { return seats_[at(domain)]; }
  [[nodiscard]] double slow() const { return s_.slowdown(0); }

  /// Of a round, until all know how much goes where: an all-to-all of one number, in log2 p steps (Bruck).
  [[nodiscard]] double counts_s() const {
    const double p = parties();
    return std::ceil(std::log2(std::max(2.0, p))) *
           (2 * s_.model.node.message_s + p * 2 / s_.model.node.copy_bytes_per_s) * slow();
  }

  /// Local aggregators get the lists and the data of their ranks, merge the lists and put the data in order.
  double gather() {
    const NodeCosts& c = s_.model.node;
    const double ranks = ranks_of_party(), pieces = pieces_ / parties(), bytes = bytes_ / parties();
    std::vector<Arrival> arrivals(at(ranks_of_party() - 1), Arrival{});
    const double lists_s = receive_burst(arrivals, c, 0);
    return slow() * (2 * lists_s + pieces * c.describe_piece_s +
                     pieces * std::log2(std::max(2.0, ranks)) * c.compare_s + 2 * bytes / c.copy_bytes_per_s);
  }

  /// All lists of offsets and lengths go to their aggregators before the first round, once all know whose.
  double describe() {
    const NodeCosts& c = s_.model.node;
    const double kept = pieces_ * kept_, own_s = counts_s() + slow() * kept / parties() * c.describe_piece_s;
    double done_s = own_s;
    std::size_t most = 0;
    const std::vector<std::vector<int>> partners_of = partners();
    for (int d = 0; d < domains_.count; ++d) {
      const std::vector<int>& partners = partners_of[at(d)];
      const double of_each =
          kept / domains_.count / static_cast<double>(std::max<std::size_t>(1, partners.size()));
      const auto bytes = static_cast<std::int64_t>(of_each * static_cast<double>(pair_bytes));
      std::vector<Arrival> arrivals;
      for (const int party : partners)
        arrivals.push_back({transfer(node_of(party), seat(d).node, bytes, own_s), 0});
      out_.messages += static_cast<std::int64_t>(partners.size());
      most = std::max(most, partners.size());
      done_s = std::max(done_s, receive_burst(arrivals, c, own_s));
    }
    if (s_.reads) return done_s;  // sieved: read as a whole, so that no order is needed
    const double ways = std::log2(std::max(2.0, static_cast<double>(most)));
    return done_s + slow() * kept / domains_.count * ways * c.compare_s;
  }

  double transfer(int from, int to, std::int64_t bytes, double ready_s) {
    return from == to ? ready_s : links_.send(s_.trip(from, to), bytes, ready_s);
  }

  [[nodiscard]] double handle_s(const Share& share) const {
    const NodeCosts& c = s_.model.node;
    return slow() * (static_cast<double>(share.bytes) / c.copy_bytes_per_s +
                     static_cast<double>(share.pieces) * kept_ * c.describe_piece_s);
  }

  struct Letter {
    double ready_s;
    int from, domain;
    const Share* share;
  };

  /// A write's data.
  double collect(std::size_t round, double begin_s) {
    std::vector<double> free_s(at(parties()), begin_s);
    std::vector<Letter> letters;
    for (int d = 0; d < domains_.count; ++d)
      for (const Share& share : shares_.of(d, round)) {
        double& own_s = free_s[at(share.party)];
        own_s += slow() * s_.model.node.message_s + handle_s(share);
        letters.push_back({own_s, node_of(share.party), d, &share});
      }
    std::sort(letters.begin(), letters.end(),
              [](const Letter& a, const Letter& b) { return a.ready_s < b.ready_s; });
    std::vector<std::vector<Arrival>> arrivals(at(domains_.count));
    for (const Letter& letter : letters)
      arrivals[at(letter.domain)].push_back(
          {transfer(letter.from, seat(letter.domain).node, letter.share->bytes, letter.ready_s),
           handle_s(*letter.share)});
    double done_s = begin_s;
    for (int d = 0; d < domains_.count; ++d) {
      const auto count = static_cast<std::int64_t>(arrivals[at(d)].size());
      out_.messages += count;
      out_.most_receives = std::max(out_.most_receives, count);
      const double received_s = receive_burst(arrivals[at(d)], s_.model.node, begin_s);
      receiving_s_[at(d)] += received_s - begin_s;
      done_s = std::max(done_s, received_s);
    }
    return done_s;
  }

  /// A read's data. Each rank expects one message of every aggregator.
  double deliver(std::size_t round, double begin_s) {
    std::vector<std::vector<Arrival>> arrivals(at(parties()));
    for (int d = 0; d < domains_.count; ++d) {
      double free_s = begin_s;
      for (const Share& share : shares_.of(d, round)) {
        free_s += slow() * s_.model.node.message_s + handle_s(share);
        arrivals[at(share.party)].push_back(
            {transfer(seat(d).node, node_of(share.party), share.bytes, free_s), handle_s(share)});
        ++out_.messages;
      }
      receiving_s_[at(d)] += free_s - begin_s;
      out_.most_receives =
          std::max(out_.most_receives, static_cast<std::int64_t>(shares_.of(d, round).size()));
    }
    double done_s = begin_s;
    for (std::vector<Arrival>& own : arrivals)
      done_s = std::max(done_s, receive_burst(own, s_.model.node, begin_s));
    return done_s;
  }

  double access(std::size_t round, double begin_s) {
    double done_s = begin_s;
    int busy = 0;
    for (int d = 0; d < domains_.count; ++d) {
      if (shares_.of(d, round).empty()) continue;
      const core::Extent window = domains_.window(d, shares_.rounds()[round]);
      done_s = std::max(done_s, targets_.access(seat(d).node, window, s_.reads, begin_s));
      ++busy;
    }
    out_.most_windows = std::max(out_.most_windows, busy);
    return done_s;
  }

  Outcome finish() {
    out_.link = links_.busiest();
    out_.target = targets_.busiest(), out_.target_s = targets_.busy_s(out_.target);
    out_.receiver =
        static_cast<int>(std::max_element(receiving_s_.begin(), receiving_s_.end()) - receiving_s_.begin());
    out_.receiver_s = receiving_s_[at(out_.receiver)];
    out_.aggregators = domains_.count;
    out_.local_aggregators = teams_.empty() ? 0 : parties();
    out_.window_bytes = domains_.window_bytes;
    out_.rounds = domains_.most_rounds();
    out_.rounds_simulated = static_cast<std::int64_t>(shares_.rounds().size());
    out_.mean_windows = out_.most_windows;
    const double team_bytes = teams_.empty() ? 0 : bytes_ / s_.job.nodes();
    out_.node_memory_bytes = static_cast<std::int64_t>(team_bytes) +
                             domains_.window_bytes * ((domains_.count + s_.job.nodes() - 1) / s_.job.nodes());
    out_.locks_moved = targets_.locks_moved();
    return std::move(out_);
  }

  const CallSetting& s_;
  machine::Machine machine_;
  /// per node; none: ranks send themselves
  std::vector<policy::Teams> teams_;
  std::vector<int> first_team_;
  /// of a party's pieces, when joined
  double kept_ = 1;
  policy::Domains domains_;
  std::vector<policy::Seat> seats_;
  LinkClocks links_;
  TargetClocks targets_;
  Shares shares_;
  double pieces_, bytes_;
  std::vector<double> receiving_s_;
  Outcome out_;
};

}  // namespace

Outcome run_published(const CallSetting& setting, const policy::Digest& digest, const Published& published) {
  CallSetting own = setting;
  if (const int shared = std::exchange(own.model.node.processors, 0); shared > 0)
    own.model.node.cores = static_cast<double>(shared) / own.job.nodes();  // all are at work all the time
  return PublishedRun(own, digest, published).go();
}

}  // namespace collio::simulate
