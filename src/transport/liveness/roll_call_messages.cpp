// The messages of a roll call. Sends are synchronous: when all ranks are in finish() and no rank has a send
// pending, no message is left (Hoefler, Siebert & Lumsdaine, 2010: nonblocking consensus).
#include <cstring>
#include <new>

#include "transport/liveness/roll_call.hpp"

namespace collio::transport {

namespace {

constexpr int tag = 32766;  // above those of windows and answers

}  // namespace

void RollCall::retire_sends() {
  sends_.retire([this](const Sending& s, const MPI_Status&) { sent_to_.erase({s.to, s.kind}); });
}

void RollCall::send(Kind kind, int to, const Heard& what) {
  retire_sends();
  if (sent_to_.contains({to, kind})) return;  // it has not taken the last one yet
  Sending s{{}, to, kind};
  Header header = what.header;
  header.kind = kind;
  const std::size_t more = kind == state ? what.absent.size() * sizeof(Absent) : 0;
  s.message.resize(sizeof header + more);
  std::memcpy(s.message.data(), &header, sizeof header);
  if (more > 0) std::memcpy(s.message.data() + sizeof header, what.absent.data(), more);
  const auto booked = sent_to_.emplace(to, kind).first;
  try {
    sends_.post(std::move(s), [&](const Sending& sent, MPI_Request* started) {
      return MPI_Issend(sent.message.data(), static_cast<int>(sent.message.size()), MPI_BYTE, to, tag,
                        set_.comm, started);
    });
  } catch (const std::bad_alloc&) {  // nothing is under way
    sent_to_.erase(booked);
    throw;
  }
}

/// Of a node's ranks its first counts: it may be the one that tells.
void RollCall::hear(Heard&& h) {
  const auto known = heard_.find(h.header.node);
  const int first = ranks_of(h.header.node).first;
  const bool from_first = known != heard_.end() && known->second.header.speaker == first &&
                          known->second.at_s > h.at_s - set_.patience_s / 2;
  if (h.header.speaker == first || !from_first) heard_[h.header.node] = std::move(h);
}

/// A message that is too long to have come whole takes until its sender looks at messages again, for which
/// this rank does not wait.
void RollCall::listen(double now_s, double waited_s, bool answers) {
  for (;;) {
    int found = 0;
    MPI_Status status;
    must(MPI_Iprobe(MPI_ANY_SOURCE, tag, set_.comm, &found, &status), "MPI_Iprobe");
    if (!found) break;
    Receiving next{std::vector<std::byte>(static_cast<std::size_t>(received_bytes(status))),
                   status.MPI_SOURCE};
    // It is the probed one: messages between two ranks do not overtake each other.
    receives_.post(std::move(next), [&](Receiving& r, MPI_Request* started) {
      return MPI_Irecv(r.message.data(), static_cast<int>(r.message.size()), MPI_BYTE, r.from, tag, set_.comm,
                       started);
    });
  }
  std::vector<Receiving> come;
  come.reserve(receives_.size());  // or where memory fails messages would be lost
  receives_.retire([&](Receiving& r, const MPI_Status&) { come.push_back(std::move(r)); });
  for (const Receiving& r : come) try {
      take(r, now_s, waited_s, answers);
    } catch (const std::bad_alloc&) {  // its rank is asked again; the other messages are not lost
    }
}

void RollCall::take(const Receiving& received, double now_s, double waited_s, bool answers) {
  const std::vector<std::byte>& message = received.message;
  Heard h;
  std::memcpy(&h.header, message.data(), sizeof h.header);
  h.absent.resize((message.size() - sizeof h.header) / sizeof(Absent));
  if (!h.absent.empty())
    std::memcpy(h.absent.data(), message.data() + sizeof h.header, message.size() - sizeof h.header);
  h.at_s = now_s;
  const auto kind = static_cast<Kind>(h.header.kind);
  if (kind == told) told_at_s_ = now_s;
  if (kind == question && answers) send(state, received.from, own_state(now_s, waited_s));
  if (kind == state) hear(std::move(h));
}

void RollCall::finish() {
  if (nodes() == 1) return;
  Lookout* const before = set_lookout(nullptr);
  MPI_Request all = MPI_REQUEST_NULL;
  PoliteWait wait;
  for (int done = 0; !done; wait.idle()) {
    listen(0, 0, false);
    retire_sends();
    if (sends_.empty() && all == MPI_REQUEST_NULL) must(MPI_Ibarrier(set_.comm, &all), "MPI_Ibarrier");
    if (all != MPI_REQUEST_NULL) must(MPI_Test(&all, &done, MPI_STATUS_IGNORE), "MPI_Test");
  }
  receives_.drain();  // of ranks that have left their sends
  set_lookout(before);
}

}  // namespace collio::transport
