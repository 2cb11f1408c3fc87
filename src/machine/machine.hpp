// What decisions need to know of the machine that a collective call runs on. Plain data: made from a
// communicator at open (engine/discover), or by hand in tests and in the simulator.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "core/shared.hpp"
#include "machine/layout.hpp"
#include "machine/network.hpp"

namespace collio::machine {

/// What carries messages between nodes.
enum class Fabric { same_host, rdma, tcp };

/// One compute node of the job.
struct Node {
  /// host name
  std::string name;
  /// ranks of the communicator on it
  int ranks = 1;
  /// cores these ranks may run on
  int cores = 1;
  /// its number in the machine's network; -1: unknown
  int network_node = -1;
  /// memory domains with processors of its ranks, dealt to in blocks of consecutive ranks
  int numas = 1;
  /// network adapters that are up, the fastest ones; dealt to in the same way
  int nics = 1;
  /// to other nodes
  Fabric fabric = Fabric::same_host;
  /// of these adapters together; 0: not known
  double link_bytes_per_s = 0;
  friend bool operator==(const Node&, const Node&) = default;
};

/// Constants of the storage a file lives on; what the cost model calculates with.
struct StorageModel {
  std::string name = "local";
  /// alignment of file domains and windows
  std::int64_t block_bytes = 4096;
  /// the same without the file's layout; 0: block_bytes
  std::int64_t plain_block_bytes = 0;
  /// best length of a window: fits a core's cache where calls are cheap
  std::int64_t window_bytes = 1 << 20;
  /// windows in a node's shared memory, together; 0: 2 MiB a core, 4..32
  std::int64_t node_buffer_bytes = 0;
  /// a call is a copy in memory, and nothing goes on after it
  bool in_memory = false;
  /// whether it is shared: local, as long as a job has one node
  bool unknown = false;
  /// calls go on while their caller does something else
  bool overlaps = false;
  /// 0: as few as keep a network busy
  int aggregators_per_core = 4;
  /// one read or write call, apart from its bytes
  double operation_s = 4e-6;
  /// of one node
  double bandwidth_bytes_per_s = 2e9;
  /// of the file; not known: as if it had no stripes
  Layout layout;

  [[nodiscard]] std::int64_t block_without_layout() const noexcept {
    return plain_block_bytes > 0 ? plain_block_bytes : block_bytes;
  }
  /// Calls are dear there, and go on at the same time; ranks share locks with their neighbours in the file.
  [[nodiscard]] bool behind_network() const noexcept { return aggregators_per_core == 0; }
};

/// References to the numbers of a StorageModel that plans rest on. A member that is missing here does not
/// compile.
template <class Model>
[[nodiscard]] auto numbers_of(Model& model) {
  auto& [name, block, plain_block, window, node_buffer, in_memory, unknown, overlaps, for_each_core,
         operation, bandwidth, layout] = model;
  return std::tie(block, plain_block, window, node_buffer, in_memory, unknown, for_each_core, operation,
                  bandwidth, layout.unit_bytes, layout.count);
}

struct Machine {
  core::SharedList<Node> nodes;
  StorageModel storage;
  /// null: unknown; else every node has its network_node
  std::shared_ptr<const Network> network;
  /// why a network that was asked for is unknown
  std::string network_unknown;

  [[nodiscard]] int ranks() const noexcept {
    int sum = 0;
    for (const Node& n : nodes) sum += n.ranks;
    return sum;
  }
  /// Ranks that can compute at the same time.
  [[nodiscard]] int parallelism() const noexcept {
    int sum = 0;
    for (const Node& n : nodes) sum += n.ranks < n.cores ? n.ranks : n.cores;
    return sum > 0 ? sum : 1;
  }
};

}  // namespace collio::machine
