// The sending side: this rank's pieces on their way to the aggregators, and for reads the answers.
//
// One lane per aggregator this rank has pieces for. A lane has at most one message under way, sent
// synchronously, so no rank runs ahead of an aggregator by more than the rounds it has buffers for, and
// memory stays bounded. Answers of an aggregator come in the order of the requests. Where data goes by
// one-sided transfers, the message is the description alone, and no answer but the transfer's grant comes
// (transport/one_sided/remote_transfers.hpp). The first message of every lane is for round 0, empty if need
// be: it tells the aggregator when to expect more.
//
// Why ranks cannot deadlock: a lane starts a message only when no lane of this rank has a message of an
// earlier round to start. So the messages that hold this rank's budget belong to the smallest round not yet
// accepted. The aggregators of that round are in it and accept them. Answers are received in any order.
//
// Lanes to thousands of aggregators cost nothing while nothing comes for them: a step is at those alone that
// may start a message, and at messages under way.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "access/access.hpp"
#include "transport/messages/domain_source.hpp"
#include "transport/messages/in_flight.hpp"
#include "transport/messages/link.hpp"
#include "transport/one_sided/remote_transfers.hpp"

namespace collio::transport {

class Outbox {
 public:
  /// Lanes to every aggregator but this rank's own. All references outlive the outbox. Write: `memory` is
  /// where the data comes from. Read: where the answers go.
  Outbox(MessageLink link, const access::FileAccess& access, const policy::Domains& domains,
         const access::MemoryAccess& memory, Payload payload);
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// Adds 1 for every aggregator this rank sends to.
  void count_lanes(std::vector<std::int32_t>& senders) const;
  /// Starts what can start and retires what is done. True when anything happened.
  bool advance();
  [[nodiscard]] bool done() const noexcept { return open_lanes_ == 0 && transfers_.idle(); }
  /// Data bytes received so far (read).
  [[nodiscard]] std::int64_t answered_bytes() const noexcept {
    return answered_bytes_ + transfers_.bytes_got();
  }

  /// Fences: the first round in which anything is to happen on this rank before the next fence.
  [[nodiscard]] std::int64_t first_round_open() const noexcept;
  /// Fences: the first round in which anything is to happen at all.
  [[nodiscard]] std::int64_t first_round_left() const noexcept {
    return std::min(first_round_open(), transfers_.first_without_room());
  }
  /// Fences, read: begins to get what was granted. Between two fences.
  void get_all() { transfers_.get_all(); }
  /// Fences: what was put or got is there.
  void fenced();

 private:
  /// What comes for a request.
  struct Answer {
    std::size_t lane = 0;
    /// of the bytes asked for
    std::int64_t stream_begin = 0;
    std::int64_t round = 0;
  };
  struct Lane {
    explicit Lane(DomainSource from) : source(from) {}

    DomainSource source;
    bool greeted = false;
    /// its message is under way
    bool sends = false;
    /// in starts_, to start its next one
    bool ready = false;
    Buffer message;
    std::int64_t message_bytes = 0;
    std::int64_t message_round = 0;
    /// of the next message, which found no room
    std::optional<Description> described;
    /// one-sided, under way
    std::size_t transfers = 0;
    /// under way, straight into contiguous memory
    std::size_t answers = 0;
    /// for staging, and not begun to come there
    std::deque<Answer> asked;
    /// on their way into staging
    std::size_t arriving = 0;

    [[nodiscard]] std::size_t waiting() const noexcept {
      return answers + asked.size() + arriving + transfers;
    }
    [[nodiscard]] bool idle() const noexcept { return !sends && waiting() == 0; }
    [[nodiscard]] bool may_start(int requests_ahead) const noexcept {
      return !sends && waiting() < static_cast<std::size_t>(requests_ahead);
    }
    [[nodiscard]] bool finished() const noexcept {
      return idle() && greeted && !described && source.next_round() == no_round;
    }
    /// Round of the next message to start; the greeting's is 0.
    [[nodiscard]] std::int64_t next_round() const noexcept {
      if (described) return described->header.round;
      return greeted ? source.next_round() : 0;
    }
  };
  /// An answer on its way to a staging buffer, for memory that is not contiguous.
  struct Arrival {
    std::size_t lane = 0;
    Buffer staging;
    std::int64_t bytes = 0;
    std::int64_t stream_begin = 0;
    std::int64_t round = 0;
    /// the staging is the call's room
    bool borrowed = false;
  };
  /// An answer that has no staging yet.
  struct Matched {
    MPI_Message message = MPI_MESSAGE_NULL;
    Arrival arrival;
  };

  /// Lanes with a message to start.
  struct Starts {
    std::size_t lanes = 0;
    /// those that may start it now
    std::deque<std::size_t> ready;
  };
  /// The earliest round of which a message is still to start.
  [[nodiscard]] std::int64_t front_round() const noexcept {
    return starts_.empty() ? behind_all_rounds : starts_.begin()->first;
  }
  void enroll(Lane& lane);
  bool start_ready();
  bool retire_sends();
  bool retire_answers();
  bool start(Lane& lane);
  bool describe(Lane& lane);
  bool fill(Lane& lane);
  void transfer_over(std::size_t lane);
  void expect_answer(Lane& lane);
  bool begin_arrivals();
  bool match_arrival();
  bool begin_matched();
  bool finish_arrivals();
  void finish(Arrival& arrival);
  void came_further(Lane& lane);
  [[nodiscard]] std::size_t number_of(const Lane& lane) const noexcept {
    return static_cast<std::size_t>(&lane - lanes_.data());
  }
  [[nodiscard]] int rank_of(const Lane& lane) const noexcept { return link_.rank_of(lane.source.domain()); }

  MessageLink link_;
  const policy::Domains& domains_;
  const access::MemoryAccess& memory_;
  Payload payload_;
  std::vector<Lane> lanes_;
  /// of reads into memory that is not contiguous
  std::unordered_map<int, std::size_t> lane_of_rank_;
  /// by round
  std::map<std::int64_t, Starts> starts_;
  InFlight<Lane*> sends_;
  InFlight<Answer> answers_;
  std::optional<Matched> matched_;
  InFlight<Arrival> arrivals_;
  RemoteTransfers transfers_;
  Description description_;
  std::size_t open_lanes_ = 0;
  std::int64_t under_way_bytes_ = 0;
  std::int64_t arriving_bytes_ = 0;
  std::int64_t answered_bytes_ = 0;
};

}  // namespace collio::transport
