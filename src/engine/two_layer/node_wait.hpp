// How a rank waits in a two-layer call: asleep until the others of its node have moved, or, when messages may
// come for it, politely polling.
#pragma once

#include "engine/two_layer/node_windows.hpp"
#include "transport/waiting/waiting.hpp"

namespace collio::engine {

/// Calls help() until done(); help() says whether it did anything. `group`: what to sleep for. talks():
/// messages of this rank may be under way, or something else that no other rank would wake it for.
template <class Help, class Done, class Talks>
void wait_until(CollectiveCall& call, int group, Help&& help, Done&& done, Talks&& talks) {
  if (done()) return;
  const transport::NodeSlots& slots = call.buffers.slots();
  observe::Steps::Scope time(call.steps, observe::Step::wait);
  transport::WordWait asleep(call.link.comm);
  transport::PoliteWait polling;
  for (;;) {
    const std::uint32_t seen = slots.turns.watch(group);
    if (done()) return;
    if (help()) {
      asleep.progressed();
      polling.progressed();
    } else if (talks()) {
      polling.idle();
    } else {
      slots.turns.idle(group, seen, asleep);
    }
  }
}

}  // namespace collio::engine
