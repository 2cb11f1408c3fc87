// See unmet_calls.hpp.
#include "engine/file/unmet_calls.hpp"

#include <algorithm>
#include <functional>
#include <new>
#include <utility>

#include "engine/file/file.hpp"

namespace collio::engine {

namespace {

constexpr std::int64_t kind_of_telling = 3;  // whatever calls ranks are in

policy::Digest digest_of(const UnmetCalls& unmet) {
  policy::Digest digest;
  if (unmet.span.length == 0) return digest;
  digest.low = unmet.span.offset;
  digest.high = unmet.span.end();
  digest.bytes = unmet.record.counters.bytes;
  digest.pieces = unmet.record.all_pieces;
  return digest;
}

/// Without memory for it, the report lacks these calls.
void log_calls(File& file, const observe::CallRecord& record) noexcept try {
  file.log.add(record, [] { return std::string("as in the reads before, in which ranks met"); });
} catch (const std::bad_alloc&) {}

}  // namespace

void UnmetCalls::note(int rank, const core::Extent& accessed, const core::Error& error) {
  if (accessed.length > 0) {
    const std::int64_t low = span.length > 0 ? std::min(span.offset, accessed.offset) : accessed.offset;
    span = {low, std::max(span.end(), accessed.end()) - low};
  }
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

core::Error hear_of_unmet(File& file, std::string_view call) {
  file.unmet.left = 0;
  if (file.unmet.made == 0) return {};
  UnmetCalls unmet = std::exchange(file.unmet, {});
  const bool was_told = unmet.outcome.error != 0;
  policy::Digest digest = digest_of(unmet);
  const std::uint64_t kind = std::hash<std::string_view>{}(call) | 1U;
  digest.shapes = kind;               // of all ranks the same, or not
  digest.unmoved = was_told ? 0 : 1;  // here: ranks that have not been told
  const transport::CallHere here = file.agreement->here();
  transport::CallHere telling = here;
  telling.kind = kind_of_telling;
  file.agreement->come_to(telling);
  core::Error different = file.agreement->digest(digest, unmet.outcome);
  file.agreement->come_to(here);
  if (!different.ok()) return different;
  observe::CallRecord& record = unmet.record;
  record.unmet = record.repeats = unmet.made;
  record.all_bytes = digest.bytes;
  record.all_pieces = digest.pieces;
  record.span_bytes = digest.span();
  record.error = unmet.outcome.error == 0 ? "" : "failed";
  log_calls(file, record);
  if (unmet.outcome.error == 0) return {};
  const std::string words = file.agreement->words_of(unmet.outcome.failed_rank, std::move(unmet.message));
  const bool all_are_here = digest.shapes == kind * static_cast<std::uint64_t>(file.size);
  if (was_told && (!all_are_here || digest.unmoved == 0)) return {};
  return {
      static_cast<core::ErrorClass>(unmet.outcome.error),
      words + " (collio_meet_every: in one of " + std::to_string(unmet.made) + " reads without a reduction)"};
}

}  // namespace collio::engine
