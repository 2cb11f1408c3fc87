// What a plan needs of an open file: handles on all ranks, windows for one-sided transfers, slots in the
// nodes' shared memory. See plan() in file.hpp.
#include <algorithm>
#include <cassert>

#include "engine/file/file.hpp"

namespace collio::engine {

policy::Plan File::plan(policy::PlanRequest request) {
  for (;;) {
    request.lacking = lacking_;
    policy::Plan plan = policy::make_plan(request, machine, hints);
    if (prepare(plan)) return plan;
    // Beyond this point the file lacks one thing more, and the next plan does without it.
  }
}

bool File::prepare(const policy::Plan& plan) {
  return have_handles(plan) && have_remote(plan) && have_slots(plan);
}

bool File::have_handles(const policy::Plan& plan) {
  if (plan.path != policy::Path::independent || all_hold_) return true;
  core::Error mine;
  static_cast<void>(storage(&mine));
  const core::Error failed = agreement->worst(mine, "cannot open " + path);
  all_hold_ = failed.ok();
  if (all_hold_) return true;
  lacking_.handles = true;
  warnings.push_back(std::string(policy::lack_text(policy::Lack::handles)) + ": " + failed.message);
  return false;
}

bool File::have_remote(const policy::Plan& plan) {
  if (plan.path != policy::Path::two_phase || plan.transfers.by == policy::Transfer::two_sided) return true;
  if (lacking_.windows != policy::NoWindow::no) return false;
  const std::int64_t bytes =
      plan.overlap.buffers * transport::RemoteBuffers::stride(plan.domains.window_bytes);
  const bool by_fences = plan.transfers.by == policy::Transfer::fence;
  if (remote && remote->bytes() >= bytes && remote->by_fences() == by_fences) return true;
  const std::int64_t before = remote ? remote->bytes() : 0;
  remote.reset();
  const auto ends_by =
      by_fences ? transport::RemoteBuffers::EndsBy::fence : transport::RemoteBuffers::EndsBy::lock;
  const std::int64_t with_room =
      std::max(bytes, std::min(2 * before, hints.buffer_bytes));  // sizes that grow do not mean a window each
  remote = transport::RemoteBuffers::make({comm, ends_by, with_room, servers.mine >= 0}, *agreement,
                                          lacking_.refusal);
  if (remote) return true;
  lacking_.windows = policy::NoWindow::refused;
  warnings.push_back("collio_transfer=" + std::string(policy::name_of(plan.transfers.by)) + ": " +
                     lacking_.refusal);
  return false;
}

/// Past the page cache the kernel looks up the pages of a buffer for each call; these live as long as the
/// file is open. What cannot be announced moves all the same: the storage's remarks say so.
void File::announce_slots() {
  if (!hints.direct || !storage_.file) return;
  const std::span<std::byte> windows{slots->data(0), slots->bytes()};
  static_cast<void>(storage_.file->register_buffers({&windows, 1}));
}

/// What a call uses of the node's shared memory. All of it where ranks of several nodes put windows into
/// groups of their own, where the storage knows the windows, and where the plan's domains will be cut anew.
transport::NodeSlots::Room File::room_for(const policy::Plan& plan) const {
  using Room = transport::NodeSlots::Room;
  if (plan.several_nodes || hints.direct || hints.cut == policy::Cut::balanced) return Room::all();
  const policy::Domains& d = plan.domains;
  const std::int64_t windows = std::min<std::int64_t>(plan.node_slots, d.count * d.most_rounds());
  // A write may have to be made once more, with masks.
  const bool write = plan.direction == policy::Direction::write;
  return transport::NodeSlots::room_for(windows, d.window_bytes, write ? plan.mask_shift : -1);
}

std::unique_ptr<transport::NodeSlots> File::new_slots(const transport::NodeSlots::Room& room,
                                                      std::string& why) {
  using Pages = transport::SharedMemory::Pages;
  const Pages pages =
      machine.nodes[static_cast<std::size_t>(node_index)].numas > 1 ? Pages::spread : Pages::anywhere;
  const transport::NodeSlots::Size size{static_cast<std::size_t>(policy::node_memory_bytes(machine, hints)),
                                        machine.nodes.size() > 1};
  return transport::NodeSlots::obtain({node, agreement->board()}, {size, room, pages}, why);
}

core::Error File::worst_of_memory(const std::string& why) {
  const core::Error mine = why.empty() ? core::Error{} : core::Error{core::ErrorClass::no_memory, why};
  return agreement->worst(mine, "has no shared memory");
}

bool File::have_slots(const policy::Plan& plan) {
  if (plan.path != policy::Path::two_layer) return true;
  if (lacking_.node_memory) return false;
  transport::NodeSlots::Room room = room_for(plan);
  if (slots && slots_room_.covers(room)) return true;
  core::Error failed;
  std::string why;
  if (slots) {
    room = room.and_also(slots_room_);
    static_cast<void>(slots->make_room(room, why));
    failed = worst_of_memory(why);
    if (!failed.ok()) slots.reset();
  }
  if (!slots) {  // kept ones make room
    slots = new_slots(room, why);
    failed = worst_of_memory(why);
  }
  lacking_.node_memory = !failed.ok();
  if (lacking_.node_memory) {
    slots.reset();
    slots_name_ = {};
    warnings.push_back(std::string(policy::lack_text(policy::Lack::node_memory)) + ": " + failed.message);
    return false;
  }
  slots->set_room(room);
  slots_room_ = room;
  slots_name_ = slots->name();
  announce_slots();
  return true;
}

}  // namespace collio::engine
