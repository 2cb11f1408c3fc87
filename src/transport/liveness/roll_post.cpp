// See roll_post.hpp. Sends are synchronous: when all ranks are in finish() and no rank has a send pending, no
// message is left (Hoefler, Siebert & Lumsdaine, 2010: nonblocking consensus).
#include "transport/liveness/roll_post.hpp"

#include <new>

#include "transport/waiting/communicators.hpp"
#include "transport/waiting/waiting.hpp"

namespace collio::transport {

namespace {

constexpr int tag = 32766;  // above those of windows and answers

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

}  // namespace

RollMessages::RollMessages(MPI_Comm comm) : RollPost(rank_in(comm), size_of(comm)), comm_(comm) {}

void RollMessages::retire_sends() {
  sends_.retire([this](const Sending& s, const MPI_Status&) { sent_to_.erase({s.to, s.kind}); });
}

void RollMessages::send(RollKind kind, int to, std::vector<std::byte> bytes) {
  retire_sends();
  const auto [booked, first] = sent_to_.emplace(to, kind);
  if (!first) return;  // it has not taken the last one yet
  try {
    sends_.post({std::move(bytes), to, kind}, [&](const Sending& sent, MPI_Request* started) {
      return MPI_Issend(sent.message.data(), static_cast<int>(sent.message.size()), MPI_BYTE, to, tag, comm_,
                        started);
    });
  } catch (const std::bad_alloc&) {  // nothing is under way
    sent_to_.erase(booked);
    throw;
  }
}

/// A message that is too long to have come whole takes until its sender looks at messages again, for which
/// this rank does not wait.
std::vector<RollPost::Letter> RollMessages::receive() {
  for (;;) {
    int found = 0;
    MPI_Status status;
    must(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm_, &found, &status), "MPI_Iprobe");
    if (!found) break;
    Letter next{std::vector<std::byte>(static_cast<std::size_t>(received_bytes(status))), status.MPI_SOURCE};
    // It is the probed one: messages between two ranks do not overtake each other.
    receives_.post(std::move(next), [&](Letter& l, MPI_Request* started) {
      return MPI_Irecv(l.bytes.data(), static_cast<int>(l.bytes.size()), MPI_BYTE, l.from, tag, comm_,
                       started);
    });
  }
  std::vector<Letter> come;
  come.reserve(receives_.size());  // or where memory fails messages would be lost
  receives_.retire([&](Letter& l, const MPI_Status&) { come.push_back(std::move(l)); });
  return come;
}

void RollMessages::finish() {
  MPI_Request all = MPI_REQUEST_NULL;
  PoliteWait wait;
  for (int done = 0; !done; wait.idle()) {
    static_cast<void>(receive());
    retire_sends();
    if (sends_.empty() && all == MPI_REQUEST_NULL) must(MPI_Ibarrier(comm_, &all), "MPI_Ibarrier");
    if (all != MPI_REQUEST_NULL) must(MPI_Test(&all, &done, MPI_STATUS_IGNORE), "MPI_Test");
  }
  receives_.drain();  // of ranks that have left their sends
}

}  // namespace collio::transport
