// See unmet_calls.hpp.
#include "engine/file/unmet_calls.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "core/content_hash.hpp"
#include "engine/file/file.hpp"

namespace collio::engine {

namespace {

constexpr std::int64_t kind_of_telling = 3;  // whatever calls ranks are in

policy::Digest digest_of(const UnmetCalls::OneWay& unmet) {
  policy::Digest digest;
  if (unmet.span.length == 0) return digest;
  digest.low = unmet.span.offset;
  digest.high = unmet.span.end();
  digest.bytes = unmet.record.counters.bytes;
  digest.pieces = unmet.record.all_pieces;
  return digest;
}

/// Without memory for it, the report lacks these calls.
void log_calls(observe::CallLog& log, const observe::CallRecord& record) noexcept try {
  log.add(record, [] { return std::string("hint: each rank for itself, without waiting for others"); });
} catch (const std::bad_alloc&) {}

/// hear_of_unmet() for one way. `others`: whether this rank has calls of the other way to tell of; then
/// whether any rank has.
core::Error hear_of(const UnmetRank& rank, policy::Direction direction, std::string_view call, bool& others) {
  UnmetCalls::OneWay unmet = std::exchange(rank.unmet.of(direction), {});
  const core::Error mine{static_cast<core::ErrorClass>(unmet.outcome.error), unmet.message};
  const bool was_told = unmet.outcome.error != 0;
  policy::Digest digest = digest_of(unmet);
  const std::uint64_t kind = core::text_hash(call) | 1U;
  digest.shapes = kind;               // of all ranks the same, or not
  digest.unmoved = was_told ? 0 : 1;  // here: ranks that have not been told
  digest.undescribed = others ? 1 : 0;
  const transport::CallHere here = rank.agreement.here();
  transport::CallHere telling = here;
  telling.kind = kind_of_telling;
  rank.agreement.come_to(telling);
  core::Error different = rank.agreement.digest(digest, unmet.outcome);
  rank.agreement.come_to(here);
  others = different.ok() && digest.undescribed > 0;
  if (!different.ok()) {
    core::keep_worst(rank.unmet.untold, mine);
    return different;
  }
  observe::CallRecord& record = unmet.record;
  record.counts.unmet = record.repeats = unmet.made;
  record.all_bytes = digest.bytes;
  record.all_pieces = digest.pieces;
  record.span_bytes = digest.span();
  record.error = unmet.outcome.error == 0 ? "" : "failed";
  if (unmet.made > 0) log_calls(rank.log, record);
  if (unmet.outcome.error == 0) return {};
  const std::string words = rank.agreement.words_of(unmet.outcome.failed_rank, std::move(unmet.message));
  const bool all_are_here = digest.shapes == kind * static_cast<std::uint64_t>(rank.size);
  if (was_told && (!all_are_here || digest.unmoved == 0)) return {};
  const bool write = direction == policy::Direction::write;
  return {static_cast<core::ErrorClass>(unmet.outcome.error),
          words + (write ? " (in a write or sync" : " (in a read or sync") +
              " that each rank made for itself, as romio_cb_" + (write ? "write" : "read") +
              "=disable asks)"};
}

}  // namespace

void UnmetCalls::OneWay::note_span(const core::Extent& accessed) noexcept {
  if (accessed.length == 0) return;
  const std::int64_t low = span.length > 0 ? std::min(span.offset, accessed.offset) : accessed.offset;
  span = {low, std::max(span.end(), accessed.end()) - low};
}

void UnmetCalls::OneWay::note(int rank, const core::Extent& accessed, const core::Error& error) {
  note_span(accessed);
  const auto kind = static_cast<std::int64_t>(error.kind);
  if (kind <= outcome.error) return;
  outcome.error = kind;
  outcome.failed_rank = rank;
  try {
    message = error.message;
  } catch (const std::bad_alloc&) {
    message.clear();
  }
}

bool may_go_unmet(const File& file, policy::Direction direction) noexcept {
  const bool asked =
      direction == policy::Direction::write ? file.settings.hints.own_writes : file.settings.hints.own_reads;
  return asked && file.settings.hints.check == policy::Check::none && !file.stored.subfiles &&
         file.owns_line();
}

// Whether ranks meet here does not depend on how many calls each made: one that has left a loop at an error
// has made fewer.
core::Error hear_of_unmet(const UnmetRank& here, const UnmetWays& ways, std::string_view call) {
  using policy::Direction;
  if (!ways.writes && !ways.reads) return {};
  UnmetCalls& unmet = here.unmet;
  unmet.of(ways.writes ? Direction::write : Direction::read)
      .note(here.rank, {}, std::exchange(unmet.untold, {}));
  core::Error error;
  bool others = ways.reads && unmet.reads.made > 0;
  if (ways.writes) error = hear_of(here, Direction::write, call, others);
  if (!ways.writes || others) core::keep_worst(error, hear_of(here, Direction::read, call, others));
  return error;
}

core::Error hear_of_unmet(const Ranks& ranks, std::string_view call) {
  File& file = ranks.file;
  return hear_of_unmet(
      UnmetRank{ranks.agreement, file.unmet, file.records.log, file.rank, file.size},
      {may_go_unmet(file, policy::Direction::write), may_go_unmet(file, policy::Direction::read)}, call);
}

}  // namespace collio::engine
