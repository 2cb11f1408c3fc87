// See estimates.hpp.
#include "policy/plan/estimates.hpp"

#include <algorithm>
#include <bit>

namespace collio::policy {

namespace {

// Measured on two cores that run all ranks, with `collio bench`.
constexpr double shared_core_message_s =
    30e-6;  // one message, with the wait for a rank that has no core at the time
constexpr double copy_bytes_per_s = 1.5e9;       // packing, moving and placing, per core
constexpr double piece_s = 12e-9;                // describing and placing one piece
constexpr double direct_copy_bytes_per_s = 5e9;  // straight into a window in shared memory, per core
constexpr double direct_piece_s = 5e-9;
constexpr double relayed_piece_s =
    20e-9;  // marking, describing, gathering and placing it again on another node
constexpr double agreement_s = 10e-6;

// Classes of networks. A message's time is that of osu_latency for short messages (1 to 2 us over InfiniBand,
// Slingshot and Omni-Path, 15 to 25 us over TCP on 10 Gbit/s Ethernet), and what describing, matching and
// waiting add. A link whose rate the kernel does not tell has 100 and 10 Gbit/s.
constexpr double rdma_message_s = 5e-6, tcp_message_s = 30e-6;
constexpr double rdma_link_bytes_per_s = 12.5e9, tcp_link_bytes_per_s = 1.25e9;
constexpr double node_copy_bytes_per_s =
    100e9;  // a node's memory, of which STREAM gets 200 GB/s and more; a copy reads and writes

// Storage behind a network.
constexpr double writer_bytes_per_s =
    1.5e9;  // one process on one file: Lustre's and NFS's clients copy with the core that calls
constexpr double calls_at_once = 8;  // of a node: Lustre's max_rpcs_in_flight for each of its targets
constexpr double server_call_s =
    20e-6;  // a server's part of a call: IO500 has some 50,000 small ones a second and server
constexpr double usual_servers = 8;  // that a file lies on; striping is 1 to 8 where nobody asked for more
constexpr double calls_to_move_a_lock =
    2;  // the server calls the holder back, which writes what it has, then asks again

/// What the parts of a call are limited by, on several nodes or on storage behind a network.
struct Limits {
  double nodes = 1, ranks = 1, cores = 1;
  double message_s = shared_core_message_s;
  /// of a node; 0: memory
  double link_bytes_per_s = 0;
};

Limits limits_of(const machine::Machine& m) {
  Limits l{static_cast<double>(m.nodes.size()), static_cast<double>(m.ranks()),
           static_cast<double>(m.parallelism())};
  for (const machine::Node& node : m.nodes) {  // the slowest one counts: all wait for it
    if (node.fabric == machine::Fabric::same_host) continue;
    const bool tcp = node.fabric == machine::Fabric::tcp;
    const double link = node.link_bytes_per_s > 0 ? node.link_bytes_per_s
                        : tcp                     ? tcp_link_bytes_per_s
                                                  : rdma_link_bytes_per_s;
    const bool first = l.link_bytes_per_s == 0;
    const double message_s = tcp ? tcp_message_s : rdma_message_s;
    l.message_s = first ? message_s : std::max(l.message_s, message_s);
    l.link_bytes_per_s = first ? link : std::min(l.link_bytes_per_s, link);
  }
  return l;
}

double per_piece_and_byte(const Digest& d, double a_piece_s, double bytes_per_s) {
  return static_cast<double>(d.bytes) / bytes_per_s + static_cast<double>(d.pieces) * a_piece_s;
}

/// All pieces described and copied once, by all cores.
double handled_s(const Digest& d, const Limits& l, double a_piece_s, double bytes_per_s) {
  return std::max(per_piece_and_byte(d, a_piece_s, bytes_per_s) / l.cores,
                  static_cast<double>(d.bytes) / (l.nodes * node_copy_bytes_per_s));
}

/// What nodes have for each other, through their links.
double sent_s(const Digest& d, const Limits& l) {
  return l.link_bytes_per_s > 0
             ? (1 - 1 / l.nodes) * static_cast<double>(d.bytes) / (l.nodes * l.link_bytes_per_s)
             : 0;
}

/// Messages in all rounds, one after the other: an aggregator's from `senders`, or a sender's to all
/// aggregators.
double messages_in_a_row(const Prospect& c, const machine::Machine& m, double senders) {
  const double rounds =
      1 + static_cast<double>(c.digest.span()) / (static_cast<double>(m.storage.window_bytes) * c.serving);
  return rounds * (senders + c.serving);
}

double servers_of(const machine::Machine& m) {
  return m.storage.layout.dealt() ? m.storage.layout.count : usual_servers;
}

/// Bytes of one node to storage behind a network.
double node_storage_bytes_per_s(const Limits& l) {
  return l.link_bytes_per_s > 0 ? l.link_bytes_per_s : rdma_link_bytes_per_s;
}

/// Aggregators on storage behind a network, each with its own share.
double aggregators_storage_s(const Prospect& c, const machine::Machine& m, const Limits& l) {
  const auto bytes = static_cast<double>(c.digest.bytes);
  const double windows =
      1 + static_cast<double>(c.digest.span()) / static_cast<double>(m.storage.window_bytes);
  const double bytes_s =
      std::max(bytes / (c.serving * writer_bytes_per_s), bytes / (l.nodes * node_storage_bytes_per_s(l)));
  return bytes_s + windows * (m.storage.operation_s / std::min<double>(windows, c.serving) +
                              server_call_s / std::min(windows, servers_of(m)));
}

/// Every rank's own calls on storage behind a network. Ranks near each other in the file wait for each other:
/// their pieces lie in one block that the file system locks, on one server.
double ranks_storage_s(const Prospect& c, const machine::Machine& m, const Limits& l) {
  const Digest& d = c.digest;
  const auto active = static_cast<double>(std::max<std::int64_t>(1, d.active_ranks));
  const auto pieces = static_cast<double>(std::max<std::int64_t>(1, d.pieces)),
             most_pieces = static_cast<double>(d.most_pieces);
  const auto block = static_cast<double>(m.storage.block_bytes), bytes = static_cast<double>(d.bytes);
  const double reach = d.interleaved() ? bytes / pieces : bytes / active;  // of a rank at a time
  const double blocks = std::clamp(active * reach / block, 1.0, active);   // that ranks are in at a time
  const double at_once = std::min(blocks, l.nodes * calls_at_once);
  const double calls_s = std::max(pieces / at_once, most_pieces) * m.storage.operation_s +
                         pieces * server_call_s / std::min(blocks, servers_of(m));
  const double bytes_s = std::max(static_cast<double>(d.most_bytes) / writer_bytes_per_s,
                                  bytes / (l.nodes * node_storage_bytes_per_s(l)));
  const bool apart = (d.offset_bits & (m.storage.block_bytes - 1)) == 0;
  if (!c.write || l.nodes < 2 || (apart && !d.interleaved())) return calls_s + bytes_s;
  const double moves =
      active / blocks * (d.interleaved() ? most_pieces : 1);  // of one lock, one after the other
  return calls_s + bytes_s + moves * calls_to_move_a_lock * m.storage.operation_s;
}

/// Calls on a file of one kernel, which has one lock on it for all that write; reads of what is in memory
/// need none.
double ranks_local_s(const Prospect& c, const machine::Machine& m) {
  const double at_once = m.storage.in_memory && !c.write ? m.parallelism() : 1;
  return std::max(static_cast<double>(c.digest.pieces) / at_once, static_cast<double>(c.digest.most_pieces)) *
         m.storage.operation_s;
}

/// One node, and storage whose time all paths share.
Estimates on_one_node(const Prospect& c, const machine::Machine& m) {
  const double parallel = m.parallelism();
  const int ranks = m.ranks();
  const double messages = ranks > 1 ? 2.0 * ranks * c.aggregators / parallel : 0;
  const double agreements = ranks > 1 ? 3.0 * std::bit_width(static_cast<unsigned>(ranks)) : 0;
  Estimates e;
  e.two_layer_s =
      2 * agreement_s + per_piece_and_byte(c.digest, direct_piece_s, direct_copy_bytes_per_s) / parallel;
  e.two_phase_s = (agreements + messages) * shared_core_message_s +
                  per_piece_and_byte(c.digest, piece_s, copy_bytes_per_s) / parallel;
  e.independent_s = ranks_local_s(c, m);
  return e;
}

}  // namespace

Estimates estimate(const Prospect& c, const machine::Machine& m) {
  const bool several = m.nodes.size() > 1;
  if (!several && !m.storage.behind_network()) return on_one_node(c, m);
  const Limits l = limits_of(m);
  const double agreements = 3.0 * std::bit_width(static_cast<unsigned>(m.ranks()));
  const double storage_s = m.storage.behind_network() ? aggregators_storage_s(c, m, l) : 0;
  Estimates e;
  e.two_phase_s = (agreements + messages_in_a_row(c, m, l.ranks)) * l.message_s +
                  handled_s(c.digest, l, piece_s, copy_bytes_per_s) + sent_s(c.digest, l) + storage_s;
  e.two_layer_s =
      2 * agreement_s + handled_s(c.digest, l, direct_piece_s, direct_copy_bytes_per_s) + storage_s;
  if (several)
    e.two_layer_s += messages_in_a_row(c, m, l.nodes) * l.message_s +
                     (1 - 1 / l.nodes) * handled_s(c.digest, l, relayed_piece_s, copy_bytes_per_s) +
                     sent_s(c.digest, l);
  e.independent_s = m.storage.behind_network() ? ranks_storage_s(c, m, l) : ranks_local_s(c, m);
  return e;
}

}  // namespace collio::policy
