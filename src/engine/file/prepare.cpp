// What a plan needs of an open file: handles on all ranks, windows for one-sided transfers, slots in the
// nodes' shared memory. See plan() in file.hpp.
#include <algorithm>
#include <cassert>

#include "core/index.hpp"
#include "engine/file/file.hpp"

namespace collio::engine {

policy::Plan File::plan(const Buffers& buffers, policy::PlanRequest request) {
  for (;;) {
    request.lacking = lacking_;
    policy::Plan plan = policy::make_plan(request, machine, settings.hints);
    if (prepare(buffers, plan)) return plan;
    // Beyond this point the file lacks one thing more, and the next plan does without it.
  }
}

bool File::prepare(const Buffers& buffers, const policy::Plan& plan) {
  const Ranks& ranks = buffers.ranks;
  return have_handles(ranks, plan) && have_remote(ranks, plan) && have_slots(ranks, plan);
}

bool File::have_handles(const Ranks& ranks, const policy::Plan& plan) {
  if (plan.path != policy::Path::independent || stored.all_hold) return true;
  core::Error mine;
  static_cast<void>(stored.handle(&mine));
  const core::Error failed = ranks.agreement.worst(mine, "cannot open " + path);
  stored.all_hold = failed.ok();
  if (stored.all_hold) return true;
  lacking_.handles = true;
  records.warnings.push_back(std::string(policy::lack_text(policy::Lack::handles)) + ": " + failed.message);
  return false;
}

bool File::have_remote(const Ranks& ranks, const policy::Plan& plan) {
  if (plan.path != policy::Path::two_phase || plan.transfers.by == policy::Transfer::two_sided) return true;
  if (lacking_.windows != policy::NoWindow::no) return false;
  const std::int64_t bytes =
      plan.overlap.buffers * transport::RemoteBuffers::stride(plan.domains.window_bytes);
  const bool by_fences = plan.transfers.by == policy::Transfer::fence;
  std::unique_ptr<transport::RemoteBuffers>& remote = buffers_.remote;
  if (remote && remote->bytes() >= bytes && remote->by_fences() == by_fences) return true;
  const std::int64_t before = remote ? remote->bytes() : 0;
  remote.reset();
  const auto ends_by =
      by_fences ? transport::RemoteBuffers::EndsBy::fence : transport::RemoteBuffers::EndsBy::lock;
  const std::int64_t with_room = std::max(
      bytes, std::min(2 * before, settings.hints.buffer_bytes));  // sizes that grow do not mean a window each
  remote = transport::RemoteBuffers::make({ranks.comm, ends_by, with_room, servers.mine >= 0},
                                          ranks.agreement, lacking_.refusal);
  if (remote) return true;
  lacking_.windows = policy::NoWindow::refused;
  records.warnings.push_back("collio_transfer=" + std::string(policy::name_of(plan.transfers.by)) + ": " +
                             lacking_.refusal);
  return false;
}

/// Past the page cache the kernel looks up the pages of a buffer for each call; these live as long as the
/// file is open. What cannot be announced moves all the same: the storage's remarks say so.
void File::announce_slots() {
  if (!settings.hints.direct || !stored.handle_so_far()) return;
  const std::span<std::byte> windows{buffers_.slots->memory.data(0), buffers_.slots->memory.bytes()};
  static_cast<void>(stored.handle_so_far()->register_buffers({&windows, 1}));
}

/// What a call uses of the node's shared memory. All of it where ranks of several nodes put windows into
/// groups of their own, where the storage knows the windows, and where the plan's domains will be cut anew.
transport::NodeSlots::Room File::room_for(const policy::Plan& plan) const {
  using Room = transport::NodeSlots::Room;
  if (plan.several_nodes || settings.hints.direct || settings.hints.cut == policy::Cut::balanced)
    return Room::all();
  const policy::Domains& d = plan.domains;
  const std::int64_t windows = std::min<std::int64_t>(plan.node_slots, d.count * d.most_rounds());
  // A write may have to be made once more, with masks.
  const bool write = plan.direction == policy::Direction::write;
  return transport::SlotMemory::room_for(windows, d.window_bytes, write ? plan.mask_shift : -1);
}

std::unique_ptr<transport::NodeSlots> File::new_slots(const Ranks& ranks,
                                                      const transport::NodeSlots::Room& room,
                                                      std::string& why) {
  using Pages = transport::SharedMemory::Pages;
  const Pages pages = machine.nodes[core::at(place().seat.node)].numas > 1 ? Pages::spread : Pages::anywhere;
  const transport::NodeSlots::Size size{
      static_cast<std::size_t>(policy::node_memory_bytes(machine, settings.hints)), machine.nodes.size() > 1};
  return transport::NodeSlots::obtain({ranks.node, ranks.agreement.board()}, {size, room, pages}, why);
}

core::Error File::worst_of_memory(const Ranks& ranks, const std::string& why) {
  const core::Error mine = why.empty() ? core::Error{} : core::Error{core::ErrorClass::no_memory, why};
  return ranks.agreement.worst(mine, "has no shared memory");
}

bool File::have_slots(const Ranks& ranks, const policy::Plan& plan) {
  if (plan.path != policy::Path::two_layer) return true;
  if (lacking_.node_memory) return false;
  std::unique_ptr<transport::NodeSlots>& slots = buffers_.slots;
  transport::NodeSlots::Room room = room_for(plan);
  if (slots && buffers_.slots_room.covers(room)) return true;
  core::Error failed;
  std::string why;
  if (slots) {
    room = room.and_also(buffers_.slots_room);
    static_cast<void>(slots->memory.make_room(room, why));
    failed = worst_of_memory(ranks, why);
    if (!failed.ok()) slots.reset();
  }
  if (!slots) {  // kept ones make room
    slots = new_slots(ranks, room, why);
    failed = worst_of_memory(ranks, why);
  }
  lacking_.node_memory = !failed.ok();
  if (lacking_.node_memory) {
    slots.reset();
    buffers_.slots_name = {};
    records.warnings.push_back(std::string(policy::lack_text(policy::Lack::node_memory)) + ": " +
                               failed.message);
    return false;
  }
  slots->memory.set_room(room);
  buffers_.slots_room = room;
  buffers_.slots_name = slots->memory.name();
  announce_slots();
  return true;
}

}  // namespace collio::engine
