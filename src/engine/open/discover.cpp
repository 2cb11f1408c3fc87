// See discover.hpp.
#include "engine/open/discover.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>

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
  std::int32_t ranks;
  std::int32_t cores;
  std::int32_t numas;
  std::int32_t nics;
  std::int32_t leader;  ///< the node's first rank
  std::int32_t stride;  ///< from each of its ranks to the next; 0: not the same for all
  std::int32_t fabric;
  std::int64_t shared_bytes;  ///< see Place
  double link_bytes_per_s;
};

/// See NodeRecord. Collective over the node.
int stride_of(MPI_Comm node, int rank, int local_rank) {
  int ends[] = {rank, 0};
  transport::broadcast(&ends[0], 1, MPI_INT, 0, node);
  if (local_rank == 1) ends[1] = rank - ends[0];
  int size = 1;
  MPI_Comm_size(node, &size);
  if (size == 1) return 1;
  transport::broadcast(&ends[1], 1, MPI_INT, 1, node);
  int regular = rank == ends[0] + local_rank * ends[1];
  transport::reduce_to_all(&regular, 1, MPI_INT, MPI_LAND, node);
  return regular ? ends[1] : 0;
}

/// What this process's node has inside: read once.
const machine::NodeParts& parts_of_node() {
  static const machine::NodeParts parts = machine::read_node_parts("/sys");
  return parts;
}

/// Splits `node`, and frees it. Null where there is none, or MPI fails.
MPI_Comm split_and_free(MPI_Comm node, int color, int rank) {
  if (node == MPI_COMM_NULL) return node;
  const MPI_Comm part = transport::split(node, color, rank);
  MPI_Comm_free(&node);
  return part;
}

/// Ranks that share memory, of hosts of one name, at most COLLIO_RANKS_PER_NODE together; null where MPI
/// fails. Collective.
MPI_Comm split_by_node(MPI_Comm comm, int rank) {
  MPI_Comm node = MPI_COMM_NULL;
  if (MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node) != MPI_SUCCESS)
    node = MPI_COMM_NULL;
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(name, &length);
  const std::size_t hash = std::hash<std::string_view>{}({name, static_cast<std::size_t>(length)});
  node = split_and_free(node, static_cast<int>(hash & 0x3fffffff), rank);
  const char* text = std::getenv("COLLIO_RANKS_PER_NODE");
  int most = text ? std::atoi(text) : 0;
  transport::broadcast(&most, 1, MPI_INT, 0, comm);
  if (most <= 0 || node == MPI_COMM_NULL) return node;
  int local_rank = 0;
  MPI_Comm_rank(node, &local_rank);
  return split_and_free(node, local_rank / most, rank);
}

}  // namespace

std::optional<Place> discover(MPI_Comm comm) {
  int rank = 0, local_rank = 0, local_ranks = 0;
  MPI_Comm_rank(comm, &rank);
  const MPI_Comm node = split_by_node(comm, rank);
  if (!transport::all_true(node != MPI_COMM_NULL, comm)) return std::nullopt;
  MPI_Comm_rank(node, &local_rank);
  MPI_Comm_size(node, &local_ranks);
  NodeRecord mine{};
  int length = 0;
  MPI_Get_processor_name(mine.name, &length);
  mine.leader = rank;
  mine.ranks = local_ranks;
  mine.stride = stride_of(node, rank, local_rank);
  const machine::CpuSet processors = processors_of_node(node);
  mine.cores = std::max(1, static_cast<int>(std::count(processors.begin(), processors.end(), true)));
  if (local_rank == 0) {
    mine.numas = machine::count_numas(parts_of_node(), processors);
    mine.shared_bytes = transport::SharedMemory::share_of_free();
    mine.nics = parts_of_node().nics;
    mine.link_bytes_per_s = parts_of_node().link_bytes_per_s;
    mine.fabric = static_cast<std::int32_t>(machine::fabric_of(parts_of_node(), machine::fabric_words()));
  }
  MPI_Comm leaders = transport::split(comm, local_rank == 0 ? 0 : MPI_UNDEFINED, rank);
  if (!transport::all_true(local_rank != 0 || leaders != MPI_COMM_NULL, comm)) return std::nullopt;
  int where[2] = {0, 0};  // this node's index, nodes in all
  std::vector<NodeRecord> records;
  if (local_rank == 0) {
    MPI_Comm_rank(leaders, &where[0]);
    MPI_Comm_size(leaders, &where[1]);
    records.resize(static_cast<std::size_t>(where[1]));
    transport::gather_to_all(&mine, sizeof mine, records.data(), leaders);
    MPI_Comm_free(&leaders);
  }
  transport::broadcast(where, 2, MPI_INT, 0, node);
  records.resize(static_cast<std::size_t>(where[1]));
  transport::broadcast(records.data(), static_cast<int>(records.size() * sizeof(NodeRecord)), MPI_BYTE, 0,
                       node);
  Place place;
  place.node = node;
  // Nodes of one host, as tests make them, talk through its memory.
  const bool one_host = std::ranges::all_of(
      records, [&](const NodeRecord& r) { return std::strcmp(r.name, records[0].name) == 0; });
  for (const NodeRecord& r : records) {
    place.machine.nodes.push_back(
        {.name = r.name,
         .ranks = r.ranks,
         .cores = r.cores,
         .numas = r.numas,
         .nics = r.nics,
         .fabric = one_host ? machine::Fabric::same_host : static_cast<machine::Fabric>(r.fabric),
         .link_bytes_per_s = r.link_bytes_per_s});
    place.leaders.push_back(r.leader);
    place.strides.push_back(r.stride);
  }
  place.shared_bytes = std::ranges::min(records, {}, &NodeRecord::shared_bytes).shared_bytes;
  place.seat = {where[0], local_rank};
  return place;
}

std::vector<int> ranks_of(const transport::Agreement& agreement, const std::vector<policy::Seat>& seats,
                          const policy::Seat& mine, int rank) {
  std::vector<std::int32_t> ranks(seats.size(), -1);
  for (std::size_t i = 0; i < seats.size(); ++i)
    if (seats[i] == mine) ranks[i] = rank;
  agreement.maximum(ranks);
  return {ranks.begin(), ranks.end()};
}

}  // namespace collio::engine
