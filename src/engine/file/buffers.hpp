// The buffers of a collective call on an open file.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/file/ranks.hpp"
#include "transport/messages/buffer_pool.hpp"
#include "transport/messages/shortage.hpp"
#include "transport/node_memory/node_slots.hpp"
#include "transport/one_sided/remote_buffers.hpp"

namespace collio::engine {

/// Where a file keeps its calls' buffers.
struct Memory {
  /// while a call has them
  std::unique_ptr<transport::NodeSlots> slots;
  /// of the last call's slots
  transport::SharedMemory::Name slots_name;
  /// that all nodes' slots of the last call have
  transport::NodeSlots::Room slots_room;
  /// for one-sided transfers, made when first planned for
  std::unique_ptr<transport::RemoteBuffers> remote;
  /// empty between calls
  transport::BufferPool pool;
  /// of the call under way
  transport::Shortage shortage;
  /// of the last call in two layers between nodes; the same on all ranks. 0: to be agreed
  std::int64_t mail_room_bytes = 0;
  /// between calls too
  bool keeps_buffers = false;
};

/// Has them from construction to destruction: slots and pool are the process's before and after. Not
/// collective.
class Buffers {
 public:
  /// In a visit.
  explicit Buffers(const Ranks& of);
  ~Buffers();
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  /// Whether this rank got the slots of the last call again, and room for its mail. They are of use if all
  /// ranks did; else leave_slots().
  [[nodiscard]] bool have_slots() const noexcept { return memory_.slots != nullptr; }
  void leave_slots();
  /// Windows in the node's shared memory, of a plan that has them.
  [[nodiscard]] transport::NodeSlots& slots() const noexcept { return *memory_.slots; }
  /// For one-sided transfers; null: none were planned for.
  [[nodiscard]] transport::RemoteBuffers* remote() const noexcept { return memory_.remote.get(); }
  /// Collective, in effect.
  void give_up_remote() const { memory_.remote.reset(); }

  const Ranks& ranks;

 private:
  [[nodiscard]] bool have_mail_room() const;
  Memory& memory_;

 public:
  transport::BufferPool& pool;
  transport::Shortage& shortage;
  /// see Memory
  std::int64_t& mail_room_bytes;
};

}  // namespace collio::engine
