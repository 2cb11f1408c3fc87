// Fuzz target: machine files (machine/read_graph.hpp). Whatever is accepted has routes that arrive.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "machine/read_graph.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = collio::machine::read_graph({reinterpret_cast<const char*>(data), size});
  if (!read) {
    if (read.error().message.empty()) std::abort();
    return 0;
  }
  const collio::machine::Network& network = read.value();
  for (int from = 0; from < network.nodes; ++from)
    for (int to = 0; to < network.nodes; ++to)
      if (collio::machine::hops(network, {from, to}) < (from == to ? 0 : 1)) std::abort();
  return 0;
}
