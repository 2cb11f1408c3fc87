// See piece_write.hpp.
#include "storage/piece_write.hpp"

#include "core/copy.hpp"

namespace collio::storage {

void PieceWrite::copy_to(std::byte* to) const noexcept {
  core::PackedReader reader = pieces.reader(pieces.before_stream(0));
  for (std::int64_t i = 0; i < pieces.items(); ++i) {
    core::Run run = reader.next();
    run.offset -= span.offset;
    core::copy_run(to, data, run);
  }
}

}  // namespace collio::storage
