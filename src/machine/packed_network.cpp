// See packed_network.hpp. Names have no zeros (machine/read_graph), so each ends with one.
#include "machine/packed_network.hpp"

#include <cstddef>
#include <cstring>

namespace collio::machine {

namespace {

struct Head {
  std::int32_t nodes = 0, storage = -1;
  std::size_t links = 0;
};

}  // namespace

std::string packed(const Network& network) {
  const Head head{network.nodes, network.storage, network.links.size()};
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
  bytes.append(reinterpret_cast<const char*>(network.links.data()), head.links * sizeof(Link));
  bytes += network.name + '\0';
  for (const std::string& name : network.vertices) bytes += name + '\0';
  return bytes;
}

Network unpacked(std::string_view bytes) {
  Network network;
  Head head;
  const auto take = [&](void* to, std::size_t length) {
    if (length > 0) std::memcpy(to, bytes.data(), length);
    bytes.remove_prefix(length);
  };
  take(&head, sizeof head);
  network.nodes = head.nodes;
  network.storage = head.storage;
  network.links.resize(head.links);
  take(network.links.data(), head.links * sizeof(Link));
  const auto take_name = [&] {
    std::string name(bytes.substr(0, bytes.find('\0')));
    bytes.remove_prefix(name.size() + 1);
    return name;
  };
  network.name = take_name();
  while (!bytes.empty()) network.vertices.push_back(take_name());
  return network;
}

}  // namespace collio::machine
