// See run_two_phase.hpp.
#include "engine/two_phase/run_two_phase.hpp"

#include <algorithm>
#include <new>

namespace collio::engine {

OwnPieces::OwnPieces(CollectiveCall& call) : call_(call) {
  if (call.access.bytes > 0) source_.emplace(call.access, call.plan.domains, call.link.my_domain);
}

bool make_room(CollectiveCall& call) {
  const int mine = call.link.my_domain;
  const bool aggregates = mine >= 0 && mine < call.plan.domains.count;
  const bool own_windows = aggregates && !call.link.remote;  // else they lie in the MPI window
  const std::int64_t windows =
      own_windows ? std::clamp<std::int64_t>(call.plan.domains.rounds(mine), 1, call.plan.overlap.buffers)
                  : 0;
  transport::BufferPool& pool = *call.link.pool;
  pool.give_back(call.link.shortage->take_room());
  std::vector<transport::Buffer> held;
  bool good = true;
  try {
    for (std::int64_t i = 0; i < windows; ++i)
      held.push_back(pool.take(static_cast<std::size_t>(call.plan.domains.window_bytes)));
    const auto budget = static_cast<std::size_t>(std::min(call.link.budget_bytes, call.plan.span.length)) +
                        core::varint_slack;
    if (call.access.bytes > 0) held.push_back(pool.take(budget));
    if (aggregates || (call.access.bytes > 0 && !call.memory.direct()))
      call.link.shortage->set_room(pool.take(budget));
  } catch (const std::bad_alloc&) {
    good = false;
  }
  for (transport::Buffer& buffer : held) pool.give_back(std::move(buffer));
  return good;
}

transport::MessageView OwnPieces::describe() {
  observe::Steps::Scope time(call_.steps, observe::Step::pack);
  if (!source_->describe(description_)) call_.link.leave_out();
  call_.counters.pieces += description_.header.pieces;
  return {description_.header, description_.extents.data(), nullptr};
}

}  // namespace collio::engine
