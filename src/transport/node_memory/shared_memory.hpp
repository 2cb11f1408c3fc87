// Memory that the ranks of a node have in common.
//
// POSIX shared memory rather than an MPI window: its pages are there before they are used, so a full /dev/shm
// is reported here instead of raising SIGBUS in mid-call, and it outlives the communicator it was made with.
// A killed job leaves none behind (shared_object.hpp).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "transport/node_memory/shared_object.hpp"

namespace collio::transport {

class NodeBoard;

/// How the ranks of a node come to terms: over a board when they have one already, else by messages.
struct NodeTalk {
  MPI_Comm node = MPI_COMM_NULL;
  NodeBoard* board = nullptr;

  /// The first rank's bytes, on all ranks; as many as a board's record has at most. Collective.
  void broadcast(std::span<std::byte> bytes) const;
  /// True on all ranks when `mine` is true on all. Collective.
  [[nodiscard]] bool all_true(bool mine) const;
};

class SharedMemory {
 public:
  enum class Pages {
    /// where the kernel likes
    anywhere,
    /// over the node's memory domains
    spread,
  };
  struct Need {
    std::size_t bytes = 0;
    /// its first bytes that have pages; more get theirs by make_pages()
    std::size_t at_once = std::numeric_limits<std::size_t>::max();
    Pages pages = Pages::anywhere;
  };
  /// `bytes` zeroed bytes, the same for all ranks of a node. Null on all of them when any cannot have it, or
  /// when that is more than half of what is free; `why` then says what failed, on the rank where it did.
  /// Collective.
  static std::unique_ptr<SharedMemory> share(const NodeTalk& talk, std::size_t bytes, std::string& why);
  /// Names the object while it lives; unlike any other's on this node.
  using Name = ObjectName;
  [[nodiscard]] const Name& name() const noexcept { return name_; }
  /// For ranks that tell each other the name by other means, and agree on whether all have it. Null: `why`
  /// says what failed. The maker closes the door when all have come or will not. Not collective.
  static std::unique_ptr<SharedMemory> create_alone(const Need& need, ObjectDoor& door, std::string& why);
  static std::unique_ptr<SharedMemory> join(const Name& name, std::size_t bytes, std::string& why);

  /// Where such memory is; -1: not known. Not collective.
  [[nodiscard]] static std::int64_t free_bytes();
  /// Whether `bytes` are at most half of those that are free: others need some too. Not collective.
  [[nodiscard]] static bool is_half(std::size_t bytes, std::int64_t free, std::string& why);
  /// Whether the kernel makes the pages of a mapping and says when there are none. Else all are there from
  /// the beginning. Not collective.
  [[nodiscard]] static bool kernel_makes_pages() noexcept;
  /// Gives a part its pages, and maps them in this process. False: there are none, and `why` says so. Ranks
  /// may make parts of their own at the same time. Not collective.
  [[nodiscard]] bool make_pages(std::size_t begin, std::size_t bytes, std::string& why) noexcept;
  /// Maps pages that are there in this process, as a page fault for each takes longer. `fresh`: no other
  /// process has mapped them yet. Not collective.
  void map_pages(std::size_t begin, std::size_t bytes, bool fresh) noexcept;
  /// Gives the memory back to the node at once, whoever else has it mapped. Whoever reads it then finds
  /// zeros.
  void discard() noexcept;
  /// What a group of ranks may take of the node's shared memory, in bytes: a part of what is free, as MPI
  /// libraries and others need some too, and are ended by SIGBUS where there is none. 0: not known.
  [[nodiscard]] static std::int64_t share_of_free();

  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  SharedMemory(std::byte* data, std::size_t bytes, const Name& name) noexcept
      : data_(data), bytes_(bytes), name_(name) {}
  /// From the begin of the first page.
  [[nodiscard]] std::span<std::byte> pages_of(std::size_t begin, std::size_t bytes) const noexcept;

  std::byte* data_;
  std::size_t bytes_;
  Name name_;
};

}  // namespace collio::transport
