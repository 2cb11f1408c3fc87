// A machine in numbers: what ranks, messages and storage cost. The network itself is a machine::Topology.
#pragma once

#include <cstdint>

#include "machine/machine.hpp"

namespace collio::simulate {

/// Of a node and its ranks. The defaults are those of policy/estimates.
struct NodeCosts {
  /// ranks that work at the same time; 0: all. Less than 1: nodes share a core
  double cores = 0;
  /// cores that all nodes share, as in the lab, instead of `cores`; 0: none
  int processors = 0;
  /// a core's copies straight into a window in shared memory
  double place_bytes_per_s = 5e9;
  /// a core's copies into and out of messages
  double copy_bytes_per_s = 1.5e9;
  /// all copies of a node together
  double memory_bytes_per_s = 100e9;
  /// one of `processors`, for bytes between nodes; 0: they need none
  double carry_bytes_per_s = 0;
  /// a piece straight into a window
  double place_piece_s = 5e-9;
  /// a piece described for a message, or placed from one
  double describe_piece_s = 12e-9;
  /// a piece marked, described and gathered with those of other ranks
  double merge_piece_s = 20e-9;
  /// a comparison of two offsets, where lists are merged
  double compare_s = 5e-9;
  /// a rank that passes a window
  double pass_s = 0.1e-6;
  /// o_r: a message's cost for its sender, and for its receiver
  double message_s = 5e-6;
  /// t_m: for each message that the receiver expects besides, or that waits to be received
  double match_s = 10e-9;
  /// longest message that the MPI library sends before its receiver asks for it. Assumed: the default of
  /// libfabric's cxi provider (FI_CXI_RDZV_THRESHOLD); those of UCX and Open MPI are 4 to 64 KiB
  std::int64_t eager_bytes = 16 << 10;
};

/// What collio takes a file system for: behind a network, or in one kernel, on its disk or in its memory.
enum class FileSystem { network, local, memory };

/// Of the file's storage.
struct StorageCosts {
  FileSystem file_system = FileSystem::network;
  int targets = 1;
  std::int64_t stripe_bytes = 1 << 20;
  /// a call's way to the targets and back
  double call_s = 200e-6;
  /// a target's part of a call
  double target_call_s = 20e-6;
  double target_bytes_per_s = 1e9;
  /// one process
  double writer_bytes_per_s = 1.5e9;
  /// all processes of a node
  double node_bytes_per_s = 10e9;
  /// a lock of an object, or a part of it, goes from one node to another
  double lock_s = 400e-6;
  /// calls go on while their caller does something else
  bool asynchronous = true;

  /// A call is a copy by its caller, and needs a core.
  [[nodiscard]] bool in_processors() const { return file_system == FileSystem::memory; }
};

struct Model {
  NodeCosts node;
  StorageCosts storage;
  machine::Fabric fabric = machine::Fabric::rdma;
  /// domains go to aggregators by the network, as where collio knows it; else in order
  bool placed = false;
};

}  // namespace collio::simulate
