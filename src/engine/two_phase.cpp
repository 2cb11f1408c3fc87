// See two_phase.hpp.
#include "engine/two_phase.hpp"

namespace collio::engine {

OwnPieces::OwnPieces(Call& call) : call_(call) {
  if (call.access.bytes > 0) source_.emplace(call.access, call.plan.domains, call.link.my_domain);
}

exchange::MessageView OwnPieces::describe() {
  observe::Steps::Scope time(call_.steps, observe::Step::pack);
  source_->describe(description_);
  call_.counters.pieces += description_.header.pieces;
  return {description_.header, description_.extents.data(), nullptr};
}

}  // namespace collio::engine
