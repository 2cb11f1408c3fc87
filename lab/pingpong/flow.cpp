#include "flow.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>

#include "patience.hpp"

namespace collio::pingpong {
namespace {

constexpr int kAnswerTag = 16384;  // and the flow's place: the receiver's one message, when all has arrived

/// Ends of flows at this rank, driven until all are done.
template <class End>
[[nodiscard]] bool advance_all(std::map<std::size_t, End>& ends, bool& all_done) {
  bool progress = false;
  for (auto& [flow, end] : ends) {
    if (end.done()) continue;
    progress |= end.advance();
    all_done &= end.done();
  }
  return progress;
}

}  // namespace

Ring::Ring(int peer, int tag, const FlowShape& shape)
    : peer_(peer),
      tag_(tag),
      shape_(shape),
      requests_(static_cast<std::size_t>(shape.in_flight), MPI_REQUEST_NULL) {
  buffer_.resize(static_cast<std::size_t>(shape.message_bytes) * requests_.size());
}

bool Ring::oldest_done(int* bytes) {
  int done = 0;
  MPI_Status status;
  MPI_Test(&requests_[head_], &done, &status);
  if (done != 0 && bytes != nullptr) MPI_Get_count(&status, MPI_BYTE, bytes);
  return done != 0;
}

Sender::Sender(int peer, int tag, const FlowShape& shape) : Ring(peer, tag, shape) {
  MPI_Irecv(nullptr, 0, MPI_BYTE, peer_, kAnswerTag + tag_, MPI_COMM_WORLD, &answer_);
  start_ = now_s();
}

void Sender::hear_end() {
  int heard = 0;
  MPI_Test(&answer_, &heard, MPI_STATUS_IGNORE);
  if (heard != 0) end_ = now_s();
}

bool Sender::advance() {
  bool progress = false;
  while (drained_ < shape_.in_flight && oldest_done()) {
    progress = true;
    if (ended_ == shape_.in_flight) {  // that was one of the empty messages
      ++drained_;
    } else if (ended_ > 0 || now_s() >= start_ + shape_.seconds) {
      ++ended_;
      MPI_Isend(oldest(), 0, MPI_BYTE, peer_, tag_, MPI_COMM_WORLD, &oldest_request());
    } else {
      std::memcpy(oldest(), &number_, sizeof number_);
      ++number_;
      MPI_Isend(oldest(), static_cast<int>(shape_.message_bytes), MPI_BYTE, peer_, tag_, MPI_COMM_WORLD,
                &oldest_request());
    }
    next();
  }
  if (drained_ == shape_.in_flight) hear_end();
  return progress || done();
}

Receiver::Receiver(int peer, int tag, const FlowShape& shape) : Ring(peer, tag, shape) {
  for (int k = 0; k < shape.in_flight; ++k) {
    post();
    next();
  }
}

void Receiver::post() {
  MPI_Irecv(oldest(), static_cast<int>(shape_.message_bytes), MPI_BYTE, peer_, tag_, MPI_COMM_WORLD,
            &oldest_request());
}

bool Receiver::advance() {
  bool progress = false;
  int bytes = 0;
  while (!done() && oldest_done(&bytes)) {
    progress = true;
    if (bytes == 0) {
      ++ended_;
    } else {
      note(bytes);
      post();
    }
    next();
  }
  if (done()) MPI_Send(nullptr, 0, MPI_BYTE, peer_, kAnswerTag + tag_, MPI_COMM_WORLD);
  return progress;
}

void Receiver::note(int bytes) {
  std::uint64_t number = 0;
  std::memcpy(&number, oldest(), sizeof number);
  if (number != number_ || bytes != shape_.message_bytes)
    throw std::runtime_error("message " + std::to_string(number_) + " from rank " + std::to_string(peer_) +
                             " is number " + std::to_string(number) + " of " + std::to_string(bytes) +
                             " bytes");
  ++number_;
}

std::vector<FlowResult> run_flows(const std::vector<Flow>& flows, const FlowShape& shape) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  barrier();
  std::map<std::size_t, Sender> senders;  // by the flow's place, which is also its tag
  std::map<std::size_t, Receiver> receivers;
  for (std::size_t k = 0; k < flows.size(); ++k) {
    if (flows[k].destination == rank) receivers.try_emplace(k, flows[k].source, static_cast<int>(k), shape);
    if (flows[k].source == rank) senders.try_emplace(k, flows[k].destination, static_cast<int>(k), shape);
  }
  for (bool all_done = false; !all_done;) {
    all_done = true;
    bool progress = advance_all(receivers, all_done);
    progress |= advance_all(senders, all_done);
    if (!progress && !all_done) nap();
  }
  barrier();
  std::vector<double> numbers(2 * flows.size(), 0.0);
  for (const auto& [flow, end] : senders) numbers[2 * flow + 1] = end.seconds();
  for (const auto& [flow, end] : receivers) numbers[2 * flow] = end.bytes();
  sum_on_first(numbers);
  std::vector<FlowResult> results;
  for (std::size_t k = 0; k < numbers.size(); k += 2)
    results.push_back({.bytes = numbers[k], .seconds = numbers[k + 1]});
  return results;
}

}  // namespace collio::pingpong
