// A flow: large messages one way between two ranks for some time, several under way at once, numbered and
// checked.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "patience.hpp"

namespace collio::pingpong {

/// Ranks.
struct Flow {
  int source;
  int destination;
};

struct FlowShape {
  std::int64_t message_bytes;
  int in_flight;   // messages that are posted at once, on both sides
  double seconds;  // how long messages are handed out
};

/// Bytes of a flow's messages and the time from its sender's start until the sender heard that the last one
/// had arrived: one clock, so nodes need not agree on the time. Time between arrivals would not do: libraries
/// interleave what is under way, so that messages arrive in batches.
struct FlowResult {
  double bytes = 0;
  double seconds = 0;
};

/// What both ends of a flow have: a ring of messages, the oldest first.
class Ring {
 public:
  Ring(int peer, int tag, const FlowShape& shape);

 protected:
  /// Whether the oldest message is done; its size in `bytes` where it was received.
  [[nodiscard]] bool oldest_done(int* bytes = nullptr);
  [[nodiscard]] unsigned char* oldest() {
    return buffer_.data() + head_ * static_cast<std::size_t>(shape_.message_bytes);
  }
  [[nodiscard]] MPI_Request& oldest_request() { return requests_[head_]; }
  void next() { head_ = (head_ + 1) % requests_.size(); }

  int peer_;
  int tag_;
  FlowShape shape_;
  std::vector<unsigned char> buffer_;
  std::vector<MPI_Request> requests_;
  std::size_t head_ = 0;
  std::uint64_t number_ = 0;  // of the message that is posted or expected next
  int ended_ = 0;             // empty messages that were posted or received: the last `in_flight` of a flow
};

/// The sending end. `advance` does what can be done without waiting; false when that was nothing.
class Sender : Ring {
 public:
  Sender(int peer, int tag, const FlowShape& shape);
  bool advance();
  [[nodiscard]] bool done() const { return end_ > 0; }
  [[nodiscard]] double seconds() const { return end_ - start_; }

 private:
  void hear_end();

  double start_ = 0;
  double end_ = 0;  // 0: the receiver has not said yet that all arrived
  int drained_ = 0;
  MPI_Request answer_ = MPI_REQUEST_NULL;
};

/// The receiving end. Throws std::runtime_error when a message is not the next one of its flow.
class Receiver : Ring {
 public:
  Receiver(int peer, int tag, const FlowShape& shape);
  bool advance();
  [[nodiscard]] bool done() const { return ended_ == shape_.in_flight; }
  [[nodiscard]] double bytes() const {
    return static_cast<double>(number_) * static_cast<double>(shape_.message_bytes);
  }

 private:
  void post();
  void note(int bytes);
};

/// All flows at the same time; results on rank 0. Ranks without a flow sleep. Collective.
[[nodiscard]] std::vector<FlowResult> run_flows(const std::vector<Flow>& flows, const FlowShape& shape);

}  // namespace collio::pingpong
