// See ranks.hpp.
#include "engine/file/ranks.hpp"

#include "core/content_hash.hpp"
#include "engine/file/file.hpp"

namespace collio::engine {

Ranks::Ranks(File& of)
    : took_line_(of.take_line()),
      file(of),
      comm(of.line_->comm),
      node(of.line_->node),
      agreement(*of.line_->agreement),
      roll(*of.roll_) {}

Ranks::~Ranks() {
  if (took_line_) file.leave_line();
}

Visit::Visit(File& of, const std::string& call, std::optional<policy::Direction> moves)
    : Ranks(of), visit_(roll, call), before_(agreement.here()) {
  transport::CallHere here{.file = &file.path};
  here.name[call.copy(here.name, sizeof here.name - 1)] = 0;
  here.form = static_cast<std::int64_t>(core::text_hash(here.name) >> 2);
  here.kind = file.settings.hints.check != policy::Check::none || !moves ? here.form
              : *moves == policy::Direction::write                       ? 1
                                                                         : 2;
  agreement.come_to(here);
}

Visit::~Visit() { agreement.come_to(before_); }

}  // namespace collio::engine
