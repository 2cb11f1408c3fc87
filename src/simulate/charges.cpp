// See charges.hpp.
#include "simulate/charges.hpp"

#include <algorithm>
#include <cmath>

#include "core/index.hpp"
#include "policy/placement/assign_by_node.hpp"
#include "policy/placement/place_domains.hpp"
#include "simulate/late_reduction.hpp"

namespace collio::simulate {

namespace {

using core::at;

// What rank 0 does to place domains, by collio_bench_policy (bench/policy/place.cpp) on a core of 2.6 GHz.
/// a node or aggregator in sums: bound/10000/40000 takes 0.33 ms
constexpr double sums_s = 6.5e-9;
/// a node's bytes in a domain, where most nodes have some in most: place/random/1000/4000 takes 24.2 ms
constexpr double dense_entry_s = 6e-9;
/// the same, where domains are exchanged: place/scattered/10000/40000 takes 118 ms for 998,712 of them
constexpr double sparse_entry_s = 120e-9;
/// the same, where they are assigned exactly: place/rows/128/2048 takes 5.3 ms for 21,840
constexpr double exact_entry_s = 250e-9;
/// NodeCosts::compare_s of that core
constexpr double measured_compare_s = 5e-9;

// Memory, as docs/design/memory.md has it. An open file takes 9,159 to 10,446 bytes on 4 and on 16 nodes with
// both MPI libraries, by tests/mpi/open_files_memory.cpp.
constexpr std::int64_t bytes_of_node = 100, bytes_of_aggregator = 12, bytes_of_process = 7 << 10;
constexpr std::int64_t bytes_of_file = 10 << 10;
constexpr std::int64_t bytes_sent_to_node = 16;
// Of a process, a communicator that MPI_Comm_idup makes: 9,541 bytes of malloc() with 16 ranks of Open MPI
// 4.1, 10,513 with 48. With MPICH 4.0 they do not grow with the ranks.
constexpr std::int64_t bytes_of_communicator = 9 << 10, bytes_of_rank_in_communicator = 30;

// As transport/node_memory has them.
constexpr std::int64_t meeting_bytes = 1152, board_channels = 3, cache_line = 64, board_note_bytes = 64;
constexpr std::int64_t most_numbers_on_board = 1024;
/// What a node says of itself (engine/open/discover.cpp; a name has 256 letters with Open MPI, 128 with
/// MPICH), and what of it goes in a first broadcast; what MPI_Comm_split gathers of a rank; the words of an
/// open.
constexpr std::int64_t node_record_bytes = 320, first_text_bytes = 1008, split_bytes = 12,
                       open_words_bytes = 4096;

double log2_of(double n) { return std::ceil(std::log2(std::max(1.0, n))); }

/// The operations that ranks make together.
class Together {
 public:
  explicit Together(const CallSetting& s) : s_(s) {}

  [[nodiscard]] int nodes() const { return s_.job.nodes(); }
  [[nodiscard]] std::int64_t ranks() const { return s_.job.ranks; }
  [[nodiscard]] std::int64_t ranks_of_node() const { return s_.job.ranks_on(0); }
  /// Of a message's both ends.
  [[nodiscard]] double ends_s() const { return 2 * s_.slowdown(0) * s_.model.node.message_s; }
  [[nodiscard]] double copy_s(double bytes) const {
    return s_.slowdown(0) * bytes / s_.model.node.copy_bytes_per_s;
  }
  /// Times of work on a core, measured on one that compares in measured_compare_s.
  [[nodiscard]] double work_s(double measured_s) const {
    return s_.slowdown(0) * measured_s * s_.model.node.compare_s / measured_compare_s;
  }
  [[nodiscard]] machine::Reach reach(int node) const {
    return machine::reach(s_.topology, s_.trip(0, std::min(node, nodes() - 1)));
  }

  /// A reduction or broadcast along a tree of nodes: their first ranks.
  [[nodiscard]] double over_nodes_s(double bytes) const {
    double seconds = 0;
    for (std::int64_t node = 1; node < nodes(); node <<= 1)
      seconds += ends_s() + copy_s(bytes) + reach(static_cast<int>(node)).transfer_s(bytes);
    return seconds;
  }
  /// The same along a tree of all ranks.
  [[nodiscard]] double over_ranks_s(double bytes) const {
    return over_nodes_s(bytes) + log2_of(static_cast<double>(ranks_of_node())) * (ends_s() + copy_s(bytes));
  }
  /// Inside a node, at its board: each rank passes once, and one wakes the others.
  [[nodiscard]] double at_board_s() const {
    return static_cast<double>(ranks_of_node()) * s_.model.node.pass_s + ends_s();
  }
  /// Digest or outcome.
  [[nodiscard]] double agree_s() const { return at_board_s() + over_nodes_s(meeting_bytes); }
  /// MPI_Comm_split: all ranks' colours and keys, sorted.
  [[nodiscard]] double split_s() const {
    const auto n = static_cast<double>(ranks());
    return over_ranks_s(0) + copy_s(n * split_bytes) + n * split_bytes / reach(1).rate_bytes_per_s +
           s_.slowdown(0) * n * log2_of(n) * s_.model.node.compare_s;
  }
  [[nodiscard]] bool one_rank_nodes() const { return ranks_of_node() == 1; }
  /// Collectives inside a node, where it has several ranks.
  [[nodiscard]] std::int64_t in_node(std::int64_t count) const { return one_rank_nodes() ? 0 : count; }
  /// Reductions of an agreement that are MPI's: where nodes have boards, their first ranks send messages.
  [[nodiscard]] std::int64_t among_nodes(std::int64_t count) const {
    return one_rank_nodes() && nodes() > 1 ? count : 0;
  }

 private:
  const CallSetting& s_;
};

LateReduction late_digest(const CallSetting& s, double late_s) {
  const Together all(s);
  const double ranks = s.job.ranks_on(0);
  const double per_core =
      s.model.node.processors > 0 ? ranks * all.nodes() / s.model.node.processors : ranks / s.parallel(0);
  const double step_s =
      all.ends_s() + all.copy_s(meeting_bytes) + all.reach(all.nodes() - 1).transfer_s(meeting_bytes);
  return {all.nodes(), step_s, late_s, {.ranks_per_core = per_core, .reduces = true}};
}

class Charging {
 public:
  Charging(const CallSetting& setting, const PlannedCall& call)
      : s_(setting),
        call_(call),
        all_(setting),
        few_servers_(policy::few_servers(call.machine, setting.hints)) {}

  [[nodiscard]] std::vector<ChargedCall> calls() const {
    return {first_open(), later_open(), first_call(), later_call(), close()};
  }

 private:
  [[nodiscard]] std::int64_t aggregators() const { return static_cast<std::int64_t>(call_.seats.size()); }
  [[nodiscard]] std::int64_t domains() const { return call_.plan.domains.count; }
  [[nodiscard]] bool moves_by(policy::Path path) const { return call_.plan.path == path; }

  [[nodiscard]] ChargedCall first_open() const {
    const double nodes = all_.nodes(), wide_s = all_.over_ranks_s(open_words_bytes);
    const std::int64_t ranks_here = all_.ranks_of_node(), ranks = all_.ranks();
    const std::int64_t longest = std::max(meeting_bytes, 4 * std::min(ranks + 1, most_numbers_on_board));
    const std::int64_t board =
        board_channels * (2 * cache_line + longest * (ranks_here + 1)) + board_note_bytes * ranks_here;
    return {
        "first open",
        {{"communicators", all_.over_ranks_s(8) + 2 * all_.split_s(), 3,
          ranks_here * (bytes_of_communicator + bytes_of_rank_in_communicator * ranks)},
         // an invitation, words, who the ranks are, a ticket, and three times whether all of them are well
         {"reductions", 7 * wide_s + all_.agree_s(), 7 + all_.among_nodes(1), 0},
         {"nodes",
          all_.over_nodes_s(0) + all_.copy_s(nodes * node_record_bytes) +
              log2_of(static_cast<double>(ranks_here)) *
                  (all_.ends_s() + all_.copy_s(nodes * node_record_bytes)),
          all_.in_node(node_record_bytes * all_.nodes() > first_text_bytes ? 3 : 2) +
              (all_.nodes() > 1 ? 1 : 0),
          ranks_here *
              (bytes_of_node * all_.nodes() + bytes_of_aggregator * aggregators() + bytes_of_process)},
         {"boards", 2 * log2_of(static_cast<double>(ranks_here)) * all_.ends_s(), all_.in_node(2),
          all_.one_rank_nodes() ? 0 : board},
         holder()}};
  }

  /// On a communicator of which no file is open now.
  [[nodiscard]] ChargedCall later_open() const {
    return {"later open",
            {{"reductions", all_.over_ranks_s(open_words_bytes) + all_.agree_s(), 1 + all_.among_nodes(1), 0},
             holder(),
             {"file", 0, 0, all_.ranks_of_node() * bytes_of_file}}};
  }

  /// Ranks that do not serve the file learn of one that does.
  [[nodiscard]] Charge holder() const {
    if (!few_servers_) return {"holder", 0, 0, 0};
    return {"holder",
            all_.over_ranks_s(64) + 2 * log2_of(static_cast<double>(all_.ranks_of_node())) * all_.ends_s(),
            1 + all_.in_node(2), 0};
  }

  /// One agreement at a call's begin, and one at its end.
  [[nodiscard]] std::vector<Charge> agreements() const {
    const LateReduction late = late_digest(s_, usual_delay_s);
    const double naps_s = latency_s(late) - steps_s(late);
    return {{"digest", all_.agree_s(), all_.among_nodes(1), 0},
            {"outcome", all_.agree_s(), all_.among_nodes(1), 0},
            {"naps", 2 * naps_s, 0, 0}};
  }

  [[nodiscard]] ChargedCall first_call() const {
    ChargedCall done{"first call", agreements()};
    const double count = static_cast<double>(domains());
    place(done.charges);
    if (moves_by(policy::Path::two_layer)) {
      const std::int64_t slots = policy::node_memory_bytes(call_.machine, s_.hints);
      done.charges.push_back({"slots",
                              all_.agree_s() + static_cast<double>(slots) / s_.model.node.memory_bytes_per_s,
                              all_.among_nodes(1), slots + slots / 8});
      if (all_.nodes() > 1)  // and whether all have room for mail
        done.charges.push_back({"senders",
                                all_.agree_s() + 2 * all_.over_nodes_s(8 * count) +
                                    log2_of(static_cast<double>(all_.ranks_of_node())) * all_.ends_s(),
                                all_.among_nodes(1) + all_.in_node(1), 0});
    }
    add_tallies(done.charges);
    done.charges.push_back(
        {"bytes sent", 0, 0,
         all_.ranks_of_node() * bytes_sent_to_node * std::min<std::int64_t>(all_.nodes(), domains())});
    return done;
  }

  [[nodiscard]] ChargedCall later_call() const {
    ChargedCall done{"later call", agreements()};
    add_tallies(done.charges);
    return done;
  }

  /// What tells ranks of a call who sends them something.
  void add_tallies(std::vector<Charge>& charges) const {
    if (moves_by(policy::Path::two_layer) && all_.nodes() > 1)
      charges.push_back({"tally", all_.at_board_s(), 0, 0});
    if (moves_by(policy::Path::two_phase))
      charges.push_back({"senders", all_.at_board_s() + all_.over_nodes_s(4 * static_cast<double>(domains())),
                         all_.among_nodes(1), 0});
  }

  void place(std::vector<Charge>& charges) const {
    const policy::Digest digest = digest_of(s_.job);
    if (policy::against_placing(call_.plan, call_.machine, s_.hints, digest.bytes) != policy::InOrder::no)
      return;
    const double count = static_cast<double>(domains()), nodes = all_.nodes();
    const double in_node_s =
        log2_of(static_cast<double>(all_.ranks_of_node())) * (all_.ends_s() + all_.copy_s(8 * count));
    // Each node's sums, and which aggregator serves which domain.
    charges.push_back({"place: sums in nodes", in_node_s + all_.at_board_s() + all_.over_nodes_s(4 * count),
                       all_.in_node(1) + all_.among_nodes(1), 0});
    const Rows rows = look_at_rows();
    if (rows.sums_first) {
      const double numbers = 2 * nodes + count;
      charges.push_back({"place: sums over nodes",
                         all_.over_nodes_s(8 * numbers) + all_.over_nodes_s(8 * count) +
                             all_.over_nodes_s(8) + all_.work_s(sums_s * (nodes + count)),
                         0, 0});
    }
    if (rows.ruled_out) return;
    const std::int64_t kept = std::min(rows.entries, policy::most_entries);
    charges.push_back({"place: rows on rank 0",
                       nodes * all_.ends_s() / 2 + all_.copy_s(16 * static_cast<double>(kept)) +
                           16 * static_cast<double>(kept) / all_.reach(1).rate_bytes_per_s +
                           all_.work_s(rows.entry_s * static_cast<double>(kept)),
                       0, 16 * kept});
  }

  /// What rank 0 has to look at.
  struct Rows {
    std::int64_t entries = 0;
    double entry_s = 0;
    bool sums_first = false, ruled_out = false;
  };
  [[nodiscard]] Rows look_at_rows() const {
    std::vector<int> homes;
    for (const policy::Seat& seat : call_.seats) homes.push_back(seat.node);
    const machine::Topology topology = policy::topology_of(call_.machine);
    const policy::PlacementProblem problem{topology, std::vector<int>(at(all_.nodes())),
                                           policy::NodeBytes(static_cast<int>(domains())), homes};
    const std::vector<int> room = policy::room_of_nodes(problem);
    policy::SwitchSums sums(all_.nodes(), static_cast<int>(domains()));
    Rows rows;
    rows.sums_first = !s_.model.placed && policy::sums_first(call_.plan, call_.machine, s_.hints, homes);
    const CutFile cut(call_.plan.domains);
    for (int node = 0; node < all_.nodes(); ++node) {
      const std::vector<policy::DomainBytes> row = row_of(cut, node);
      rows.entries += std::ssize(row);
      if (rows.sums_first) sums.add_row(problem, node, row, room[at(node)]);
    }
    rows.ruled_out = rows.sums_first &&
                     policy::placed_by_sums(call_.plan, call_.machine, s_.hints, homes, sums).has_value();
    const bool dense = 2 * rows.entries > all_.nodes() * domains();
    rows.entry_s = policy::few_enough_for_exact(problem) ? exact_entry_s
                   : dense                               ? dense_entry_s
                                                         : sparse_entry_s;
    return rows;
  }

  [[nodiscard]] std::vector<policy::DomainBytes> row_of(const CutFile& cut, int node) const {
    std::vector<std::int64_t> bytes(at(cut.domains()));
    const int first = node * s_.job.ranks_per_node;
    for (int rank = first; rank < first + s_.job.ranks_on(node); ++rank)
      for (const core::Pattern& pattern : s_.job.access(rank))
        walk(cut, pattern, [&](const WindowPart& w, std::int64_t more) { bytes[at(w.domain)] += more; });
    std::vector<policy::DomainBytes> row;
    for (std::size_t d = 0; d < bytes.size(); ++d)
      if (bytes[d] > 0) row.push_back({static_cast<std::int64_t>(d), bytes[d]});
    return row;
  }

  [[nodiscard]] ChargedCall close() const {
    const double numbers = 2. * all_.nodes() + (s_.model.placed ? s_.topology.links() : 0);
    ChargedCall done{"close", {{"reductions", all_.agree_s(), all_.among_nodes(1), 0}}};
    if (few_servers_) done.charges.push_back({"holder", all_.agree_s(), all_.among_nodes(1), 0});
    done.charges.push_back(
        {"report, if asked for", all_.over_ranks_s(8 * numbers), 0, static_cast<std::int64_t>(8 * numbers)});
    return done;
  }

  const CallSetting& s_;
  const PlannedCall& call_;
  Together all_;
  bool few_servers_;
};

}  // namespace

Charge ChargedCall::sum() const {
  Charge all{name};
  for (const Charge& one : charges) {
    all.seconds += one.seconds;
    all.collectives += one.collectives;
    all.node_bytes += one.node_bytes;
  }
  return all;
}

std::vector<ChargedCall> charged_calls(const CallSetting& setting, const PlannedCall& call) {
  return Charging(setting, call).calls();
}

double digest_latency_s(const CallSetting& setting, double late_s) {
  return latency_s(late_digest(setting, late_s));
}

}  // namespace collio::simulate
