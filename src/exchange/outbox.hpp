// The sending side: this rank's pieces on their way to the aggregators.
//
// One lane per aggregator this rank has pieces for. A lane has at most one message under way, sent
// synchronously, so no rank runs ahead of an aggregator by more than a round and memory stays bounded.
// The first message of every lane is for round 0, empty if need be: it tells the aggregator when to expect more.
#pragma once

#include <vector>

#include "access/access.hpp"
#include "exchange/domain_source.hpp"
#include "exchange/link.hpp"

namespace collio::exchange {

/// What a message carries besides its description.
enum class Payload { data, request };

class Outbox {
 public:
  /// Lanes to every aggregator but this rank's own. `access` and `domains` outlive the outbox.
  Outbox(Link link, const access::FileAccess& access, const policy::Domains& domains);
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// Adds 1 for every aggregator this rank sends to.
  void count_lanes(std::vector<std::int32_t>& senders) const;
  /// Starts what can start and retires what is done. True when anything happened.
  /// Write: `memory` is where the data comes from. Read: the lane's reply is received into it.
  bool advance(const access::MemoryAccess& memory, Payload payload);
  [[nodiscard]] bool done() const noexcept { return open_lanes_ == 0; }
  /// Data bytes received so far in replies (read).
  [[nodiscard]] std::int64_t replied_bytes() const noexcept { return replied_bytes_; }

 private:
  struct Lane {
    explicit Lane(DomainSource from) : source(std::move(from)) {}

    DomainSource source;
    bool greeted = false;
    MPI_Request send = MPI_REQUEST_NULL;
    Buffer message;
    std::int64_t message_bytes = 0;
    // Read: the reply to the last request.
    MPI_Request reply = MPI_REQUEST_NULL;
    Buffer staging;
    std::int64_t stream_begin = 0;
    std::int64_t reply_bytes = 0;

    [[nodiscard]] bool idle() const noexcept { return send == MPI_REQUEST_NULL && reply == MPI_REQUEST_NULL; }
    [[nodiscard]] bool finished() const noexcept {
      return idle() && greeted && source.next_round() == no_round;
    }
  };

  bool retire(Lane& lane, const access::MemoryAccess& memory);
  void finish_reply(Lane& lane, const access::MemoryAccess& memory, const MPI_Status& status);
  bool start(Lane& lane, const access::MemoryAccess& memory, Payload payload);
  void fill(Lane& lane, const access::MemoryAccess& memory, Payload payload);
  void expect_reply(Lane& lane, const access::MemoryAccess& memory);

  Link link_;
  std::vector<Lane> lanes_;
  Description description_;
  std::size_t open_lanes_ = 0;
  std::int64_t under_way_bytes_ = 0;
  std::int64_t replied_bytes_ = 0;
};

}  // namespace collio::exchange
