// See prepare_call.hpp.
#include "engine/call/prepare_call.hpp"

#include <new>

namespace collio::engine {

const access::FileAccess no_access;
const core::Error without_memory{core::ErrorClass::no_memory, "no memory"};

access::FileAccess access_of(const File& file, const CallRequest& request) {
  return request.pieces ? *request.pieces
                        : access::file_access(file.view, request.position, request.memory.bytes());
}

Prepared prepare(const File& file, const CallRequest& request, observe::Steps& steps) {
  Prepared p;
  p.error = &request.error;
  try {
    if (request.error.ok() && !request.undescribed) {
      observe::Steps::Scope time(steps, observe::Step::flatten);
      p.access = access_of(file, request);
    }
    p.shape = AccessShape::of(p.access);
  } catch (const std::bad_alloc&) {
    p.access = no_access;
    p.error = &without_memory;
  }
  if (p.error->ok() && !file.unmet.untold.ok()) p.error = &file.unmet.untold;
  return p;
}

policy::Digest digest_of(const File& file, const Prepared& prepared, const CallRequest& request) {
  const access::FileAccess& access = prepared.access;
  policy::Digest d;
  d.error = static_cast<std::int64_t>(prepared.error->kind);
  d.undescribed = request.undescribed ? 1 : 0;
  d.on_fibers = file.settings.hints.transfer != policy::Transfer::two_sided &&
                        request.progress == observe::Progress::fiber
                    ? 1
                    : 0;
  d.in_background = request.form == observe::Form::blocking ? 0 : 1;
  d.went_alone = file.records.times.independent_calls > 0 ? 1 : 0;
  if (access.bytes == 0) return d;
  d.set_access({file.rank, prepared.shape.hash, prepared.shape.offset});
  d.low = access.span.offset;
  d.high = access.span.end();
  d.bytes = d.most_bytes = access.bytes;
  d.pieces = d.most_pieces = access.pieces;
  d.spans = access.span.length;
  d.active_ranks = 1;
  d.offset_bits = access.pattern.low() | access.span.offset | access.span.end() |
                  std::int64_t{1} << access.pattern.shift();
  d.unordered = access.ascending() ? 0 : 1;
  return d;
}

}  // namespace collio::engine
