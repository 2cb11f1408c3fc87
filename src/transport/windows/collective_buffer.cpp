// See collective_buffer.hpp.
#include "transport/windows/collective_buffer.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "access/reserve.hpp"
#include "core/batch.hpp"
#include "core/copy.hpp"

namespace collio::transport {

using observe::Step;
using observe::Steps;
using storage::Transfer;

CollectiveBuffer::CollectiveBuffer(MessageLink link, WindowStorage storage, std::int64_t bytes,
                                   std::byte* memory)
    : link_(link), storage_(storage), memory_(memory) {
  if (memory_) return;
  own_ = link.pool->take(static_cast<std::size_t>(bytes));
  memory_ = own_.data();
}

CollectiveBuffer::~CollectiveBuffer() { link_.pool->give_back(std::move(own_)); }

void CollectiveBuffer::open(const core::Extent& extent) {
  extent_ = extent;
  span_ = {};
  sum_ = {};
  pieces_ = 0;
  kept_.clear();
}

bool CollectiveBuffer::keep(const MessageView& message) {
  const MessageHeader& h = message.header;
  try {
    const access::Reserve::Abstain can_be_left_out;
    kept_.push_back({h, {message.extents, message.extents + h.extents_bytes}});
  } catch (const std::bad_alloc&) {
    link_.leave_out();
    return false;
  }
  if (pieces_ == 0) {
    span_ = h.span;
  } else {
    const std::int64_t end = std::max(span_.end(), h.span.end());
    span_.offset = std::min(span_.offset, h.span.offset);
    span_.length = end - span_.offset;
  }
  sum_.add(h.sum);
  pieces_ += h.pieces;
  return true;
}

void CollectiveBuffer::place(const MessageView& message) {
  if (message.header.items == 0) return;
  Steps::Scope time(*link_.steps, Step::place);
  if (!keep(message)) return;
  const std::byte* data = message.data;
  std::byte* base = at(0);
  core::for_each_batch(message.reader(), message.header.items,
                       [&](std::span<const core::Run> runs) { data = core::scatter_runs(base, runs, data); });
}

std::vector<core::SortedList> CollectiveBuffer::lists() const {
  std::vector<core::SortedList> lists;
  lists.reserve(kept_.size());
  for (const KeptMessage& k : kept_)
    lists.push_back({core::PackedReader(k.extents.data(), {k.header.shift, false}, k.header.span.offset),
                     k.header.items});
  return lists;
}

/// None: there is no memory.
std::optional<core::PackedExtents> CollectiveBuffer::all_pieces() const {
  try {
    const access::Reserve::Abstain can_be_left_out;
    core::PackedBuilder builder({});
    core::merge_union(lists(), [&](const core::Extent& e) { builder.add(e); });
    return builder.finish();
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

void CollectiveBuffer::start_write() {
  if (!can_start()) return;
  Steps::Scope time(*link_.steps, Step::write);
  activity_ = Activity::writing;
  const WindowSpan span{span_, at(span_.offset)};
  if (sum_.tiles(span_)) return write_.start(link_, storage_, span);
  const WindowPieces pieces{pieces_, sum_.bytes,
                            [this](const auto& sink) { core::merge_union(lists(), sink); }};
  if (!write_.start(link_, storage_, span, pieces)) activity_ = Activity::no_memory;
}

bool CollectiveBuffer::expect(const MessageView& message) {
  return message.header.items == 0 || keep(message);
}

void CollectiveBuffer::start_read() {
  end_of_file_ = storage_.file ? std::numeric_limits<std::int64_t>::max() : span_.offset;
  if (!can_start()) return;
  Steps::Scope time(*link_.steps, Step::read);
  activity_ = Activity::reading;
  const WindowSpan span{span_, at(span_.offset)};
  const bool whole = pieces_ == 1 || storage_.holes == policy::Holes::sieve || sum_.bytes >= span_.length ||
                     (storage_.holes == policy::Holes::automatic &&
                      storage_.sieve_pays({pieces_, 1, span_.length, sum_.bytes}));
  if (whole) {
    ++(sum_.tiles(span_) ? link_.counters->dense_windows : link_.counters->sieved_windows);
    return read_.start(*storage_.file, ExtentTransfers::read, span);
  }
  ++link_.counters->piecewise_windows;
  if (std::optional<core::PackedExtents> pieces = all_pieces())
    return read_.start(*storage_.file, ExtentTransfers::read, span, std::move(*pieces));
  activity_ = Activity::no_memory;
}

bool CollectiveBuffer::advance() {
  if (activity_ == Activity::none || activity_ == Activity::no_memory) return true;
  Steps::Scope time(*link_.steps, activity_ == Activity::writing ? Step::write : Step::read);
  return activity_ == Activity::writing ? write_.advance() : read_.advance();
}

Transfer CollectiveBuffer::finish() {
  const Activity activity = std::exchange(activity_, Activity::none);
  if (activity == Activity::none) {
    if (pieces_ == 0 || storage_.file) return {};
    return {0, {core::ErrorClass::access, "the file could not be opened"}};
  }
  if (activity == Activity::no_memory) {
    end_of_file_ = span_.offset;
    return {0, {core::ErrorClass::no_memory, "no memory for the pieces of a window"}};
  }
  Steps::Scope time(*link_.steps, activity == Activity::writing ? Step::write : Step::read);
  if (activity == Activity::writing) {
    write_.finish();
    return write_.take();
  }
  read_.finish();
  Transfer t = read_.take();
  if (t.bytes < span_.length) end_of_file_ = span_.offset + t.bytes;
  return t;
}

std::int64_t CollectiveBuffer::available(const MessageView& request) const {
  if (request.header.span.end() <= end_of_file_) return request.header.data_bytes();
  core::PackedReader reader = request.reader();
  std::int64_t bytes = 0;
  for (std::int64_t i = 0; i < request.header.items; ++i) {
    core::Run run = reader.next();
    for (std::int64_t k = 0; k < run.count; ++k, run.offset += run.stride) {
      if (run.offset >= end_of_file_) return bytes;
      bytes += std::min(run.length, end_of_file_ - run.offset);
    }
  }
  return bytes;
}

void CollectiveBuffer::collect(const MessageView& request, std::int64_t bytes, std::byte* out) const {
  Steps::Scope time(*link_.steps, Step::place);
  const std::byte* base = at(0);
  if (bytes == request.header.data_bytes())
    return core::for_each_batch(request.reader(), request.header.items, [&](std::span<const core::Run> runs) {
      out = core::gather_runs(out, base, runs);
    });
  core::PackedReader reader = request.reader();
  std::int64_t left = bytes;
  for (std::int64_t i = 0; left > 0; ++i) {
    core::Run run = reader.next();
    if (run.bytes() <= left) {
      out = core::gather_run(out, base, run);
      left -= run.bytes();
      continue;
    }
    for (; left > 0; run.offset += run.stride) {
      const std::int64_t part = std::min(run.length, left);
      std::memcpy(out, base + run.offset, static_cast<std::size_t>(part));
      out += part;
      left -= part;
    }
  }
}

}  // namespace collio::transport
