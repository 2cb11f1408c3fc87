// The kind of network between nodes, found without sending a message: from a node's adapters and from the
// settings in the environment of the libraries below MPI. Opening a file must not wait for a measurement.
// Where ranks share cores, a measurement would show the cores rather than the network.
#pragma once

#include <string>

#include "machine/machine.hpp"
#include "machine/node_reader.hpp"

namespace collio::machine {

/// What the environment asks of libraries that can use several networks; empty: nothing.
struct FabricWords {
  /// FI_PROVIDER, of libfabric
  std::string fi_provider;
  /// UCX_TLS
  std::string ucx_tls;
  /// OMPI_MCA_btl, of Open MPI
  std::string ompi_btl;
};

/// Of the environment of this process.
[[nodiscard]] FabricWords fabric_words();

/// Between this node and others. Pure.
[[nodiscard]] Fabric fabric_of(const NodeParts& parts, const FabricWords& words);

}  // namespace collio::machine
