// See buffers.hpp.
#include "engine/file/buffers.hpp"

#include <new>
#include <utility>

#include "engine/file/file.hpp"

namespace collio::engine {

Buffers::Buffers(const Ranks& of)
    : ranks(of),
      memory_(of.file.buffers_),
      pool(memory_.pool),
      shortage(memory_.shortage),
      mail_room_bytes(memory_.mail_room_bytes) {
  if (!memory_.slots && memory_.slots_name.key != 0)
    memory_.slots = transport::NodeSlots::take_back(memory_.slots_name);
  if (!memory_.keeps_buffers) pool.take_over(transport::spare_buffers());
  shortage.left_out = false;
  if (memory_.slots && !have_mail_room()) leave_slots();
}

bool Buffers::have_mail_room() const {
  if (mail_room_bytes == 0 || !ranks.file.receives_mail()) return true;
  try {
    shortage.set_room(pool.take(static_cast<std::size_t>(mail_room_bytes)));
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

Buffers::~Buffers() {
  pool.give_back(shortage.take_room());
  if (!ranks.file.settings.hints.direct) leave_slots();  // else the storage knows them
  if (!memory_.keeps_buffers) transport::spare_buffers().take_over(pool);
}

void Buffers::leave_slots() { transport::NodeSlots::give_back(std::move(memory_.slots)); }

}  // namespace collio::engine
