// See node_mail.hpp.
#include "engine/two_layer/node_mail.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "access/reserve.hpp"
#include "core/batch.hpp"
#include "engine/two_layer/first_mail.hpp"
#include "engine/two_layer/packed_parts.hpp"

namespace collio::engine {

using observe::Step;
using observe::Steps;
using transport::no_round;

namespace {

/// of a window's pieces beside its data; with more, they have to be small
constexpr std::int64_t descriptions_bytes = 64 << 10;

/// The tiling sum of a slot's pieces, coalesced. Sums of touching pieces add up to the sum of the whole, so
/// it is what the ranks booked, unless pieces overlap: then the bytes differ.
core::TilingSum sum_of(const core::PackedExtents& pieces, const transport::NodeSlots::Filled& filled) {
  if (pieces.bytes() == filled.sum.bytes) return filled.sum;
  core::TilingSum sum;
  core::for_each_batch(pieces.reader({0, filled.hull.offset, 0}), pieces.items(),
                       [&](std::span<const core::Run> runs) { sum.add(core::tiling_sum(runs)); });
  return sum;
}

/// From the first piece on. Throws std::bad_alloc.
core::PackedExtents pieces_in(const core::ByteMask& mask, const transport::NodeSlots::Filled& filled,
                              const NodeWindow& window, int shift) {
  core::PackedBuilder builder({shift, false});
  const std::int64_t origin = filled.hull.offset - window.extent.offset;
  mask.for_each_extent(filled.hull.end() - window.extent.offset, [&](const core::Extent& e) {
    builder.add(core::Extent{e.offset - origin, e.length});
  });
  return builder.finish();
}

}  // namespace

SlotMessage describe_slot(const CollectiveCall& call, const NodeWindow& window, std::int64_t next_round) {
  Steps::Scope time(call.steps, Step::pack);
  const transport::NodeSlots& slots = call.buffers.slots();
  const transport::NodeSlots::Filled f = slots.books.filled(window.slot);
  SlotMessage m;
  m.header.round = window.round;
  m.header.next_round = f.next_round == no_round || (next_round != no_round && next_round < f.next_round)
                            ? next_round
                            : f.next_round;
  m.header.domain = window.domain;
  m.header.source = call.link.rank;
  m.header.source_node = call.link.node;
  m.header.shift = call.plan.mask_shift;
  m.due = window.anyone || f.due;
  if (f.sum.bytes == 0) return m;
  m.header.span = f.hull;
  m.header.sum = f.sum;
  if (window.packed) {
    PackedParts(slots, window, call.plan.direction == policy::Direction::write).describe(m.header);
    return m;
  }
  try {
    const access::Reserve::Abstain can_be_left_out;
    m.extents = pieces_in(slots.memory.mask(window.slot), f, window, m.header.shift);
  } catch (const std::bad_alloc&) {
    call.link.leave_out();
  }
  if (m.extents.items() == 0) return m;
  m.header.sum = sum_of(m.extents, f);
  m.header.items = m.extents.items();
  m.header.pieces = m.extents.pieces();
  m.header.extents_bytes = static_cast<std::int64_t>(m.extents.code().size()) + core::varint_slack;
  return m;
}

bool make_mail_room(CollectiveCall& call, PathResult& moved) {
  File& file = call.file;
  if (file.place().ranks.size() < 2) return true;
  const std::int64_t bytes = call.plan.domains.window_bytes + descriptions_bytes;
  if (call.buffers.mail_room_bytes >= bytes) return true;
  bool good = true;
  if (file.receives_mail()) {
    call.link.pool->give_back(call.link.shortage->take_room());
    try {
      call.link.shortage->set_room(call.link.pool->take(static_cast<std::size_t>(bytes)));
    } catch (const std::bad_alloc&) {
      moved.note(call.plan.span.offset, {0, no_memory(call)});
      good = false;
    }
  }
  good = call.ranks.agreement.least(good ? 1 : 0) == 1;
  call.buffers.mail_room_bytes = good ? bytes : 0;
  return good;
}

Outgoing::Outgoing(CollectiveCall& call, const NodeWindows& windows)
    : call_(call),
      in_transit_{windows.transit_bytes(), windows.layout().groups.transit_groups},
      bytes_out_(call.buffers.slots().counts.bytes_out()),
      of_domain_(call.plan.several_nodes ? static_cast<std::size_t>(call.plan.domains.count) : 0) {}

bool Outgoing::may_send(const NodeBatch& batch) const noexcept {
  if (batch.windows.front().role == NodeWindow::home) return true;
  const auto few = [this](const NodeWindow& window) {
    return of_domain_[static_cast<std::size_t>(window.domain)] < flow::InTransit::most_of_a_domain;
  };
  return in_transit_.has_room(bytes_out_, batch.number) && std::ranges::all_of(batch.windows, few);
}

transport::Buffer Outgoing::packed(const SlotMessage& m, const NodeWindow& window, bool with_data) {
  Steps::Scope time(call_.steps, Step::pack);
  transport::Buffer buffer;
  try {
    buffer = call_.link.pool->take(m.bytes(with_data));
  } catch (const std::bad_alloc&) {
    return buffer;
  }
  std::memcpy(buffer.data(), &m.header, sizeof m.header);
  if (m.header.items > 0) put_pieces(m, window, with_data, buffer.data() + sizeof m.header);
  return buffer;
}

void Outgoing::put_pieces(const SlotMessage& m, const NodeWindow& window, bool with_data, std::byte* out) {
  const transport::NodeSlots& slots = call_.buffers.slots();
  if (m.header.parts > 0) return PackedParts(slots, window, with_data).copy(out);
  std::memcpy(out, m.extents.code().data(), m.extents.code().size());
  out += m.header.extents_bytes;
  if (!with_data) return;
  const std::byte* base = slots.memory.data(window.slot) + (m.header.span.offset - window.extent.offset);
  core::for_each_batch(m.extents.reader(m.extents.before_stream(0)), m.header.items,
                       [&](std::span<const core::Run> runs) { out = core::gather_runs(out, base, runs); });
}

void Outgoing::send(SlotMessage& m, const NodeWindow& window, bool with_data) {
  transport::Buffer buffer = packed(m, window, with_data);
  if (!buffer) {
    call_.link.leave_out();
    m.leave_out();
    buffer = packed(m, window, with_data);
    if (!buffer) throw std::bad_alloc();
  }
  Steps::Scope time(call_.steps, Step::exchange);
  const std::size_t bytes = m.bytes(with_data);
  const auto start = call_.file.settings.hints.synchronous_sends ? MPI_Issend : MPI_Isend;
  bytes_out_[flow::InTransit::place(window.batch)] += static_cast<std::int64_t>(bytes);
  ++of_domain_[static_cast<std::size_t>(window.domain)];
  of_first_step_ += window.step == 0;
  sent_.post(
      {std::move(buffer), window.domain, window.batch, static_cast<std::int64_t>(bytes), window.step == 0},
      [&](const Sent& message, MPI_Request* started) {
        return start(message.buffer.data(), static_cast<int>(bytes), MPI_BYTE,
                     next_rank(call_, window.domain),
                     transport::tag_of(call_.link, window.domain, window.round), call_.link.comm, started);
      });
  call_.link.note_sent(next_node(call_, window.domain), static_cast<std::int64_t>(bytes));
  ++call_.counters.messages;
  call_.counters.metadata_bytes += static_cast<std::int64_t>(bytes) - (with_data ? m.moved_bytes() : 0);
  if (m.header.parts > 0) ++call_.counters.packed_windows;
}

void Outgoing::send_answer(transport::Buffer&& answer, std::int64_t bytes, const NodeWindow& window,
                           const transport::MessageHeader& request) {
  Steps::Scope time(call_.steps, Step::exchange);
  sent_.post({std::move(answer)}, [&](const Sent& message, MPI_Request* started) {
    return MPI_Isend(message.buffer.data(), static_cast<int>(bytes), MPI_BYTE, request.source,
                     transport::answer_tag_of(call_.link, window.domain, window.round), call_.link.comm,
                     started);
  });
  call_.link.note_sent(request.source_node, bytes);
  ++call_.counters.messages;
}

bool Outgoing::advance() {
  if (sent_.empty()) return false;
  Steps::Scope time(call_.steps, Step::exchange);
  return sent_.retire([this](Sent& message, const MPI_Status&) {
    if (message.domain != no_domain) {
      bytes_out_[flow::InTransit::place(message.batch)] -= message.bytes;
      --of_domain_[static_cast<std::size_t>(message.domain)];
      of_first_step_ -= message.first_step;
    }
    call_.link.pool->give_back(std::move(message.buffer));
  });
}

NodeMail::NodeMail(CollectiveCall& call, const NodeWindows& windows, Handlers handlers)
    : call_(call), handlers_(std::move(handlers)) {
  if (!call.plan.several_nodes) return;
  std::vector<int> domains;
  for (int domain = 0; domain < call.plan.domains.count; ++domain)
    if (receives_mail(call, domain)) domains.push_back(domain);
  const std::span<const int> messages = first_mail(call, windows.tally(), domains);
  for (std::size_t i = 0; i < domains.size(); ++i) boxes_.emplace_back(*this, domains[i], messages[i]);
}

void NodeMail::open(const NodeBatch& batch) {
  for (Box& box : boxes_) {
    const auto begin = static_cast<std::ptrdiff_t>(box.open.size());
    for (const NodeWindow& w : batch.windows)
      if (w.receives && w.domain == box.domain) box.open.push_back(w);
    std::sort(box.open.begin() + begin, box.open.end(),
              [](const NodeWindow& a, const NodeWindow& b) { return a.round < b.round; });
  }
}

bool NodeMail::idle() const noexcept {
  return std::ranges::all_of(boxes_, [](const Box& box) { return box.open.empty(); });
}

bool NodeMail::advance(Box& box) {
  bool anything = false;
  while (!box.open.empty()) {
    const NodeWindow window = box.open.front();
    const bool any = box.inbox.round() == window.round;
    if (any) {
      box.inbox.open(window.round);
      anything = box.inbox.advance([&](transport::Received&& message) {
        handlers_.accept(window, std::move(message));
      }) || anything;
      if (!box.inbox.round_complete()) return anything;
      call_.counters.note_receives(box.inbox.expected());
      box.inbox.next_round();
    }
    box.open.pop_front();
    handlers_.complete(window, {any, box.inbox.round()});
    anything = true;
  }
  return anything;
}

bool NodeMail::advance() {
  bool anything = false;
  for (Box& box : boxes_) anything = advance(box) || anything;
  return anything;
}

}  // namespace collio::engine
