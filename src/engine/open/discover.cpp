// See discover.hpp.
#include "engine/open/discover.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "access/mpi_life.hpp"
#include "core/content_hash.hpp"
#include "engine/open/pooled.hpp"
#include "engine/open/processors.hpp"
#include "machine/fabric.hpp"
#include "machine/node_reader.hpp"
#include "transport/node_memory/shared_memory.hpp"
#include "transport/waiting/collectives.hpp"
#include "transport/waiting/communicators.hpp"

namespace collio::engine {

namespace {

struct NodeRecord {
  char name[MPI_MAX_PROCESSOR_NAME];
  NodeFacts facts;
  std::int32_t ranks;
  /// the node's first rank
  std::int32_t leader;
  /// from each of its ranks to the next; 0: not the same for all
  std::int32_t stride;
  std::int32_t fabric;
};

int cores_of(const machine::CpuSet& processors) {
  return std::max(1, static_cast<int>(std::count(processors.begin(), processors.end(), true)));
}

machine::Node node_of(const char* name, int ranks, const NodeFacts& facts, machine::Fabric fabric) {
  return {.name = name,
          .ranks = ranks,
          .cores = facts.cores,
          .numas = facts.numas,
          .nics = facts.nics,
          .fabric = fabric,
          .link_bytes_per_s = facts.link_bytes_per_s};
}

/// What a rank tells the others that share memory with it.
struct Neighbour {
  /// its host's name, hashed, and the part of it
  std::uint64_t host;
  std::int32_t rank;
  /// of a node; 0: as many as there are
  std::int32_t most_ranks;
  /// of its processors' mask, without zeros at the end
  std::int32_t words;
  /// the first words
  std::array<std::uint64_t, 16> processors;
};

Neighbour neighbour(int rank, const machine::EmulatedNodes& emulated) {
  Neighbour n{};
  char host[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(host, &length);
  n.host = core::text_hash({host, static_cast<std::size_t>(length)});
  n.host += static_cast<std::uint64_t>(emulated.part_of(rank));
  n.rank = rank;
  n.most_ranks = emulated.most_ranks;
  std::vector<std::uint64_t> mask = own_processors();
  while (!mask.empty() && mask.back() == 0) mask.pop_back();
  n.words = static_cast<std::int32_t>(mask.size());
  std::copy_n(mask.begin(), std::min(mask.size(), n.processors.size()), n.processors.begin());
  return n;
}

/// Ranks that share memory, by the nodes they are on: those of one host, as many as the first of them allows.
std::vector<std::vector<Neighbour>> nodes_among(const std::vector<Neighbour>& near) {
  std::vector<std::vector<Neighbour>> nodes;
  for (const Neighbour& n : near) {
    const auto node = std::find_if(nodes.rbegin(), nodes.rend(),
                                   [&](const auto& one) { return one.front().host == n.host; });
    const int most = near.front().most_ranks;
    if (node == nodes.rend() || (most > 0 && static_cast<int>(node->size()) == most))
      nodes.push_back({n});
    else
      node->push_back(n);
  }
  return nodes;
}

/// See NodeRecord.
int stride_of(const std::vector<Neighbour>& members) {
  if (members.size() == 1) return 1;
  const int stride = members[1].rank - members[0].rank;
  for (std::size_t i = 2; i < members.size(); ++i)
    if (members[i].rank - members[i - 1].rank != stride) return 0;
  return stride;
}

/// Collective over the node where a mask is longer than a Neighbour has room for.
machine::CpuSet processors_of(const std::vector<Neighbour>& members, MPI_Comm node) {
  std::vector<std::uint64_t> mask(members[0].processors.size());
  for (const Neighbour& n : members) {
    if (static_cast<std::size_t>(n.words) > mask.size()) return processors_of_node(node);
    for (std::size_t i = 0; i < mask.size(); ++i) mask[i] |= n.processors[i];
  }
  return cpu_set(mask);
}

/// A rank's node, before it knows of others.
struct OwnNode {
  /// null: MPI failed
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<Neighbour> members;
  int local_rank = 0;
  /// it has all ranks
  bool whole_job = false;
};

/// Collective over `shared`, which it frees or keeps.
OwnNode find_node(MPI_Comm comm, MPI_Comm shared, const Neighbour& mine) {
  int ranks = 0, near_ranks = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_size(shared, &near_ranks);
  std::vector<Neighbour> near(static_cast<std::size_t>(near_ranks));
  transport::gather_to_all(&mine, sizeof mine, near.data(), shared);
  const auto nodes = nodes_among(near);
  OwnNode own{.comm = shared};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto me = std::ranges::find(nodes[i], mine.rank, &Neighbour::rank);
    if (me == nodes[i].end()) continue;
    own.members = nodes[i];
    own.local_rank = static_cast<int>(me - nodes[i].begin());
    if (nodes.size() == 1) continue;
    own.comm = transport::split(shared, static_cast<int>(i), mine.rank);
    MPI_Comm_free(&shared);
  }
  own.whole_job = nodes.size() == 1 && near_ranks == ranks;
  return own;
}

NodeRecord record_of(const OwnNode& node) {
  NodeRecord r{};
  int length = 0;
  MPI_Get_processor_name(r.name, &length);
  r.leader = node.members.front().rank;
  r.ranks = static_cast<std::int32_t>(node.members.size());
  r.stride = stride_of(node.members);
  const machine::CpuSet processors = processors_of(node.members, node.comm);
  r.facts.cores = cores_of(processors);
  if (node.local_rank != 0) return r;
  r.facts = facts_of_node(processors);
  r.fabric = static_cast<std::int32_t>(machine::fabric_of(parts_of_node(), machine::fabric_words()));
  return r;
}

/// The records of all nodes, in order; empty where MPI failed. `index`: of this one. Collective.
std::vector<NodeRecord> records_of_all(MPI_Comm comm, const OwnNode& node, int& index) {
  std::vector<NodeRecord> records;
  if (node.comm != MPI_COMM_NULL) records.push_back(record_of(node));
  index = 0;
  if (!node.whole_job) {
    const bool leads = node.comm != MPI_COMM_NULL && node.local_rank == 0;
    MPI_Comm leaders = transport::split(comm, leads ? 0 : MPI_UNDEFINED, 0);
    const bool mine = node.comm != MPI_COMM_NULL && (!leads || leaders != MPI_COMM_NULL);
    if (!transport::all_true(mine, comm)) return {};
    if (leads) {
      const NodeRecord own = records.front();
      int nodes = 0;
      MPI_Comm_rank(leaders, &index);
      MPI_Comm_size(leaders, &nodes);
      records.resize(static_cast<std::size_t>(nodes));
      transport::gather_to_all(&own, sizeof own, records.data(), leaders);
      MPI_Comm_free(&leaders);
    }
  }
  std::string text(reinterpret_cast<const char*>(&index), sizeof index);
  text.append(reinterpret_cast<const char*>(records.data()), records.size() * sizeof(NodeRecord));
  transport::broadcast_text(text, 0, node.comm);
  text.copy(reinterpret_cast<char*>(&index), sizeof index);
  records.resize((text.size() - sizeof index) / sizeof(NodeRecord));
  text.copy(reinterpret_cast<char*>(records.data()), text.size() - sizeof index, sizeof index);
  return records;
}

}  // namespace

MPI_Comm ranks_that_share_memory(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm shared = MPI_COMM_NULL;
  const int code = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &shared);
  return code == MPI_SUCCESS ? shared : MPI_COMM_NULL;
}

std::optional<Place> discover(MPI_Comm comm, MPI_Comm shared, const machine::EmulatedNodes& emulated) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const OwnNode own = find_node(comm, shared, neighbour(rank, emulated));
  Place place;
  place.node = own.comm;
  place.seat.local_rank = own.local_rank;
  const std::vector<NodeRecord> records = records_of_all(comm, own, place.seat.node);
  if (records.empty()) return std::nullopt;
  // Nodes of one host, as tests make them, talk through its memory.
  const bool one_host = std::ranges::all_of(
      records, [&](const NodeRecord& r) { return std::strcmp(r.name, records[0].name) == 0; });
  for (const NodeRecord& r : records) {
    const machine::Fabric fabric =
        one_host ? machine::Fabric::same_host : static_cast<machine::Fabric>(r.fabric);
    place.machine.nodes.edit().push_back(node_of(r.name, r.ranks, r.facts, fabric));
    place.ranks.edit().push_back({r.leader, r.ranks, r.stride});
  }
  pool(place.machine.nodes);
  pool(place.ranks);
  place.shared_bytes = std::ranges::min(records, {}, [](const NodeRecord& r) {
                         return r.facts.shared_bytes;
                       }).facts.shared_bytes;
  return place;
}

std::vector<int> Place::leaders() const {
  std::vector<int> leaders;
  for (const transport::NodeRanks& one : ranks) leaders.push_back(one.first);
  return leaders;
}

bool Place::even() const noexcept {
  return std::ranges::none_of(ranks, [](const transport::NodeRanks& node) { return node.stride == 0; });
}

const machine::NodeParts& parts_of_node() {
  static const machine::NodeParts parts = machine::read_node_parts("/sys");
  return parts;
}

void look_at_node_early() noexcept try {
  if (access::rank_in_world(-1) == 0) static_cast<void>(parts_of_node());
} catch (const std::bad_alloc&) {  // an open will look again
}

NodeFacts facts_of_node(const machine::CpuSet& processors) {
  const machine::NodeParts& parts = parts_of_node();
  return {cores_of(processors), machine::count_numas(parts, processors), parts.nics,
          transport::SharedMemory::share_of_free(), parts.link_bytes_per_s};
}

Place place_on_one_node(const NodeFacts& facts, int rank, int ranks) {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(name, &length);
  Place place;
  place.machine.nodes = {node_of(name, ranks, facts, machine::Fabric::same_host)};
  place.seat.local_rank = rank;
  place.ranks = {{0, ranks, 1}};
  place.shared_bytes = facts.shared_bytes;
  return place;
}

std::vector<int> ranks_of(const transport::Agreement& agreement, const std::vector<policy::Seat>& seats,
                          const Place& place, int rank) {
  std::vector<std::int32_t> ranks(seats.size(), -1);
  const bool even = place.even();
  for (std::size_t i = 0; i < seats.size(); ++i) {
    const transport::NodeRanks& node = place.ranks[core::at(seats[i].node)];
    if (even)
      ranks[i] = node.first + seats[i].local_rank * node.stride;
    else if (seats[i] == place.seat)
      ranks[i] = rank;
  }
  if (!even) agreement.maximum(ranks);
  return {ranks.begin(), ranks.end()};
}

}  // namespace collio::engine
