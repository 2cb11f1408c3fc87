// See discover_network.hpp.
//
// A program may open thousands of files, each on its own communicator: what rank 0 read and what a text means
// is kept. Whether all ranks of a communicator have a text already, no rank can know alone, so they agree on
// it. A text is known by its length and a 64-bit hash.
#include "engine/open/discover_network.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/content_hash.hpp"
#include "core/index.hpp"
#include "engine/open/pooled.hpp"
#include "machine/locate_nodes.hpp"
#include "machine/packed_network.hpp"
#include "machine/read_graph.hpp"
#include "transport/node_memory/shared_memory.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::engine {

namespace {

constexpr std::int64_t most_bytes = 256 << 20;

enum class TextIs { graph, error };

NetworkText network_text(std::string text, TextIs what) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const std::uint64_t hash = core::content_hash({bytes, text.size()});
  return {{static_cast<std::int64_t>(text.size()), static_cast<std::int64_t>(hash), what == TextIs::error},
          std::move(text)};
}

/// What a text means.
struct TextNetwork {
  NetworkKey key;
  /// null: `unknown` says why
  std::shared_ptr<const machine::Network> network;
  std::string unknown;
  /// ranks of this node that have it in common
  int sharers = 0;

  static TextNetwork of(const NetworkText& text) {
    if (text.key.is_error) return {text.key, nullptr, text.text, 0};
    auto read = machine::read_graph(text.text);
    if (!read) return {text.key, nullptr, read.error().message, 0};
    return {text.key, std::make_shared<const machine::Network>(std::move(read.value())), "", 0};
  }
};

/// A file's state: another one means another text.
struct Stamp {
  std::string path;
  /// device, inode, length, time of change in s and ns
  std::array<std::int64_t, 5> numbers{};
  friend bool operator==(const Stamp&, const Stamp&) = default;
};

/// What this process keeps. Files may be opened by several threads; no lock is held while other ranks are
/// waited for.
struct KeptNetwork {
  std::mutex mutex;
  /// of the file that `text` is from
  Stamp stamp;
  std::shared_ptr<const NetworkText> text;
  std::shared_ptr<const TextNetwork> meaning;
  /// given already
  std::set<std::string> warnings;
};

KeptNetwork& kept_network() {
  static KeptNetwork all;
  return all;
}

std::shared_ptr<const NetworkText> error_text(std::string what) {
  return std::make_shared<const NetworkText>(network_text(std::move(what), TextIs::error));
}

/// An open file descriptor.
struct Descriptor {
  int fd = -1;
  explicit Descriptor(const char* path) : fd(::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
};

std::shared_ptr<const NetworkText> read_text(const Descriptor& file, std::int64_t length) {
  if (length > most_bytes)
    return error_text("the file has " + std::to_string(length) +
                      " bytes; allowed: " + std::to_string(most_bytes));
  std::string text(static_cast<std::size_t>(length), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t got = ::read(file.fd, text.data() + have, text.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return error_text(std::strerror(errno));
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  text.resize(have);
  return std::make_shared<const NetworkText>(network_text(std::move(text), TextIs::graph));
}

/// The text of the file, from memory if it has not changed. On rank 0.
std::shared_ptr<const NetworkText> current_text(const std::string& path) {
  const Descriptor file(path.c_str());
  struct stat about {};
  if (file.fd < 0 || ::fstat(file.fd, &about) != 0) return error_text(std::strerror(errno));
  if (!S_ISREG(about.st_mode)) return error_text("it is no ordinary file");
  const Stamp stamp{path,
                    {static_cast<std::int64_t>(about.st_dev), static_cast<std::int64_t>(about.st_ino),
                     about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec}};
  KeptNetwork& k = kept_network();
  const std::lock_guard lock(k.mutex);
  if (k.text && k.stamp == stamp) return k.text;
  auto text = read_text(file, about.st_size);
  if (text->key.is_error) return text;
  k.stamp = stamp;
  return k.text = std::move(text);
}

std::shared_ptr<const TextNetwork> known_network(const NetworkKey& key) {
  KeptNetwork& k = kept_network();
  const std::lock_guard lock(k.mutex);
  return k.meaning && k.meaning->key == key ? k.meaning : nullptr;
}

void keep(std::shared_ptr<const TextNetwork> meaning) {
  KeptNetwork& k = kept_network();
  const std::lock_guard lock(k.mutex);
  k.meaning = std::move(meaning);
}

/// `count` entries of which the nodes' first ranks get rank 0's, in a node's shared memory where there is
/// some. Collective.
machine::Routes share_routes(const Line& line, const Place& place, const machine::Routes& of_first,
                             std::size_t count) {
  using Entry = std::int32_t;
  std::string why;
  std::shared_ptr<void> owner;
  std::span<Entry> table;
  const transport::NodeTalk node{line.node, line.agreement->board()};
  const bool is_shared = [&] {
    std::shared_ptr memory = transport::SharedMemory::share(node, count * sizeof(Entry), why);
    if (!memory) return false;
    table = {reinterpret_cast<Entry*>(memory->data()), count};
    owner = std::move(memory);
    return true;
  }();
  if (!is_shared) {
    auto own = std::make_shared<std::vector<Entry>>(count);
    table = *own;
    owner = std::move(own);
  }
  std::ranges::copy(of_first.table(), table.begin());
  if (place.seat.local_rank == 0)
    transport::broadcast_among({line.comm, place.leaders(), place.seat.node}, std::as_writable_bytes(table));
  if (is_shared)
    static_cast<void>(node.all_true(true));  // its first rank has written them
  else
    transport::broadcast(table.data(), static_cast<int>(count), MPI_INT32_T, 0, line.node);
  return {std::move(owner), table};
}

/// What rank 0's text means. `text` is null but on rank 0. Collective.
std::shared_ptr<const TextNetwork> share_network(const Line& line, const Place& place, const NetworkKey& key,
                                                 const std::shared_ptr<const NetworkText>& text) {
  auto meaning = known_network(key);
  const int sharers = place.machine.nodes[core::at(place.seat.node)].ranks;
  int all_know = meaning && meaning->sharers >= sharers ? 1 : 0;  // ranks may have opened a file each before
  transport::reduce_to_all(&all_know, 1, MPI_INT, MPI_MIN, line.comm);
  if (all_know) return meaning;
  if (!meaning && text) meaning = std::make_shared<const TextNetwork>(TextNetwork::of(*text));
  std::string bytes;  // why it is unknown, or the network
  if (text) bytes = meaning->network ? 'n' + machine::packed(*meaning->network) : '?' + meaning->unknown;
  transport::broadcast_text(bytes, 0, line.comm);
  TextNetwork shared{key, nullptr, bytes.substr(1), sharers};
  if (bytes[0] == 'n') {
    machine::Network network = machine::unpacked(std::exchange(shared.unknown, {}));
    network.next = share_routes(line, place, text ? meaning->network->next : machine::Routes(),
                                network.vertices.size() * static_cast<std::size_t>(network.nodes));
    shared.network = std::make_shared<const machine::Network>(std::move(network));
  }
  meaning = std::make_shared<const TextNetwork>(std::move(shared));
  keep(meaning);
  return meaning;
}

}  // namespace

std::shared_ptr<const NetworkText> find_network() {
  const char* path = ::secure_getenv("COLLIO_MACHINE");
  return path && *path ? current_text(path) : nullptr;
}

void discover_network(const Line& line, const Place& place, machine::Machine& machine, const NetworkKey& key,
                      const std::shared_ptr<const NetworkText>& text) {
  if (key.length < 0) return;
  const auto meaning = share_network(line, place, key, text);
  // Beyond this point every rank knows the same text.
  if (meaning->network) {
    const core::Error error = machine::locate_nodes(machine, meaning->network);
    machine.network_unknown = error.message;
    pool(machine.nodes);
  } else {
    machine.network_unknown = meaning->unknown;
  }
}

std::string why_unknown(const machine::Machine& machine) {
  if (machine.network_unknown.empty()) return {};
  const char* path = ::secure_getenv("COLLIO_MACHINE");
  return std::string("COLLIO_MACHINE=") + (path ? path : "") + ": " + machine.network_unknown;
}

std::string network_warning(const machine::Machine& machine) {
  const std::string why = why_unknown(machine);
  KeptNetwork& k = kept_network();
  const std::lock_guard lock(k.mutex);
  if (why.empty() || !k.warnings.insert(why).second) return {};
  return why + "; the network is taken as unknown";
}

}  // namespace collio::engine
