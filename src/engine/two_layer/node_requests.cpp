// See node_requests.hpp.
#include "engine/two_layer/node_requests.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "core/batch.hpp"
#include "flow/packed_room.hpp"
#include "transport/messages/message_parts.hpp"

namespace collio::engine {

using observe::Step;
using observe::Steps;

namespace {

constexpr std::int64_t whole = std::numeric_limits<std::int64_t>::max();

/// The pieces of a request that lie below `limit`: each(run, or part of one).
template <class Each>
void for_each_below(core::PackedReader reader, std::int64_t items, std::int64_t limit, Each&& each) {
  for (std::int64_t i = 0; i < items; ++i) {
    core::Run run = reader.next();
    if (run.end() <= limit) {
      each(run);
      continue;
    }
    for (std::int64_t k = 0; k < run.count && run.offset < limit; ++k, run.offset += run.stride)
      each(core::Run{run.offset, std::min(run.length, limit - run.offset), 0, 1});
  }
}

/// Of an answer: packed pieces are followed by where the file ends.
std::int64_t answer_bytes(const transport::MessageHeader& request) noexcept {
  return request.data_bytes() + (request.parts > 0 ? flow::parts_tail_bytes : 0);
}

}  // namespace

void NodeRequests::ask(const NodeWindow& window, std::int64_t next_round) {
  transport::NodeSlots& slots = call_.buffers.slots();
  Waiting w{window, describe_slot(call_, window, next_round), {}};
  const transport::MessageHeader& h = w.message.header;
  slots.books.await_departures(window.slot);
  if (h.items > 0 && !have_answer(w)) {
    call_.link.leave_out();
    w.message.leave_out();
  }
  if (w.message.due) outgoing_.send(w.message, window, false);
  if (h.items == 0) {  // nobody wants anything, or nobody gets anything
    slots.loads.finish_loading(window.slot, w.message.lacks_pieces() ? window.extent.offset : whole);
    return;
  }
  waiting_.post(std::move(w), [&](Waiting& one, MPI_Request* started) {
    return MPI_Irecv(answer_of(one), static_cast<int>(answer_bytes(one.message.header)), MPI_BYTE,
                     next_rank(call_, window.domain),
                     transport::answer_tag_of(call_.link, window.domain, window.round), call_.link.comm,
                     started);
  });
}

/// What was packed has been sent: the answer takes its place.
std::byte* NodeRequests::answer_of(const Waiting& w) const {
  return w.message.header.parts > 0 ? call_.buffers.slots().memory.data(w.window.slot) : w.answer.data();
}

/// Room for the answer. False: there is no memory.
bool NodeRequests::have_answer(Waiting& w) const {
  if (w.message.header.parts > 0) return true;
  try {
    w.answer = call_.link.pool->take(static_cast<std::size_t>(w.message.header.data_bytes()));
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

void NodeRequests::finish(const Waiting& w, std::int64_t bytes) {
  if (w.message.header.parts > 0) return finish_packed(w, bytes);
  unpack(w, bytes);
}

void NodeRequests::finish_packed(const Waiting& w, std::int64_t bytes) {
  std::int64_t end_of_file = w.window.extent.offset;  // where the other side has no memory for an answer
  if (bytes > 0) std::memcpy(&end_of_file, answer_of(w) + w.message.header.data_bytes(), sizeof end_of_file);
  call_.buffers.slots().loads.finish_loading(w.window.slot, end_of_file);
}

void NodeRequests::unpack(const Waiting& w, std::int64_t bytes) {
  Steps::Scope time(call_.steps, Step::place);
  transport::NodeSlots& slots = call_.buffers.slots();
  const transport::MessageHeader& h = w.message.header;
  std::byte* base = slots.memory.data(w.window.slot) + (h.span.offset - w.window.extent.offset);
  const std::byte* from = w.answer.data();
  core::PackedReader reader = w.message.extents.reader(w.message.extents.before_stream(0));
  std::int64_t left = bytes, end_of_file = bytes == h.data_bytes() ? whole : h.span.offset;
  for (std::int64_t i = 0; i < h.items && left > 0; ++i) {
    core::Run run = reader.next();
    if (run.bytes() <= left) {
      from = core::scatter_runs(base, {&run, 1}, from);
      left -= run.bytes();
      if (end_of_file != whole) end_of_file = h.span.offset + run.end();
      continue;
    }
    for (; left > 0; run.offset += run.stride) {
      const core::Run part{run.offset, std::min(run.length, left), 0, 1};
      from = core::scatter_runs(base, {&part, 1}, from);
      left -= part.length;
      end_of_file = h.span.offset + part.end();
    }
  }
  slots.loads.finish_loading(w.window.slot, end_of_file);
}

bool NodeRequests::advance() {
  if (waiting_.empty()) return false;
  Steps::Scope time(call_.steps, Step::exchange);
  return waiting_.retire([this](Waiting& w, const MPI_Status& status) {
    finish(w, transport::received_bytes(status));
    call_.link.pool->give_back(std::move(w.answer));
  });
}

NodeAnswers::Pending& NodeAnswers::pending(const NodeWindow& window) {
  for (Pending& p : windows_)
    if (p.window.domain == window.domain && p.window.round == window.round) return p;
  windows_.push_back({window, {}, false});
  return windows_.back();
}

bool NodeAnswers::keep(const NodeWindow& window, transport::Received&& request) {
  if (request.view.header.items == 0) {
    call_.link.pool->give_back(std::move(request.buffer));
    return false;
  }
  if (request.keep(*call_.link.pool)) {
    pending(window).requests.push_back(std::move(request));
    return true;
  }
  call_.link.leave_out();
  outgoing_.send_answer({}, 0, window, request.view.header);
  return false;
}

void NodeAnswers::complete(const NodeWindow& window) { pending(window).complete = true; }

void NodeAnswers::answer(const NodeWindow& window, const transport::MessageView& request) {
  const transport::MessageHeader& h = request.header;
  transport::Buffer buffer;
  try {
    buffer = call_.link.pool->take(static_cast<std::size_t>(answer_bytes(h)));
  } catch (const std::bad_alloc&) {
    call_.link.leave_out();
    return outgoing_.send_answer({}, 0, window, h);
  }
  const std::int64_t bytes = put_answer(window, request, buffer.data());
  call_.counters.metadata_bytes += answer_bytes(h) - h.data_bytes();
  outgoing_.send_answer(std::move(buffer), bytes, window, h);
}

std::int64_t NodeAnswers::put_answer(const NodeWindow& window, const transport::MessageView& request,
                                     std::byte* out) const {
  Steps::Scope time(call_.steps, Step::place);
  const transport::NodeSlots& slots = call_.buffers.slots();
  const std::byte* base = slots.memory.data(window.slot) - window.extent.offset;
  const std::int64_t end_of_file = slots.loads.end_of_file(window.slot);
  std::byte* at = out;
  for_each_part(request, window.extent.offset, false, [&](const transport::MessagePart& part) {
    at = out + part.answer_at;
    for_each_below(part.reader, part.items, end_of_file,
                   [&](const core::Run& run) { at = core::gather_runs(at, base, {&run, 1}); });
  });
  if (request.header.parts == 0) return at - out;
  std::memcpy(out + request.header.data_bytes(), &end_of_file, sizeof end_of_file);
  return answer_bytes(request.header);
}

// A request does not wait for those of other nodes: they may come only after this one's slot is free again.
bool NodeAnswers::advance() {
  transport::NodeSlots& slots = call_.buffers.slots();
  bool anything = false;
  std::erase_if(windows_, [&](Pending& p) {
    // Nobody reads a window of this node's that nobody has asked for. All others are waited for: the slot
    // must not be another window's before this one has been read. Where pieces meet, departures come after
    // all marks, when the answer is here.
    const bool unwanted =
        p.window.role == NodeWindow::home && !p.window.anyone && p.complete && p.requests.empty();
    if (!unwanted && !slots.loads.loaded(p.window.slot)) return false;
    anything = anything || !p.requests.empty() || p.complete;
    for (transport::Received& request : p.requests) {
      answer(p.window, request.view);
      call_.link.pool->give_back(std::move(request.buffer));
    }
    p.requests.clear();
    if (p.complete) slots.depart(p.window.slot, p.window.entry);
    return p.complete;
  });
  return anything;
}

}  // namespace collio::engine
