// Messages between nodes: one message has all pieces of a node's ranks for a window that another node serves.
//
// A slot and its mask hold the pieces of all the ranks; the mask yields their union, coalesced and in order,
// which is all that travels besides the bytes. The rank that completes the slot sends. Unless a hint says
// otherwise sends are synchronous, so that no sender runs ahead of its receiver by more than a batch.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "engine/two_layer/node_windows.hpp"
#include "flow/in_transit.hpp"
#include "transport/delivery/inbox.hpp"

namespace collio::engine {

/// The pieces in a slot, as a message says them: one list, or the parts that ranks have packed. Where pieces
/// were left out, as there is no memory for them, there are none, but bytes: a node on the way then knows
/// that its own message is due.
struct SlotMessage {
  transport::MessageHeader header;
  /// offsets from the first piece
  core::PackedExtents extents;
  /// others expect it
  bool due = true;

  /// Data bytes of the pieces.
  [[nodiscard]] std::int64_t moved_bytes() const noexcept {
    return header.items > 0 ? header.data_bytes() : 0;
  }
  /// Bytes that travel.
  [[nodiscard]] std::size_t bytes(bool with_data) const noexcept {
    return transport::message_bytes(header.extents_bytes, with_data && header.parts == 0 ? moved_bytes() : 0);
  }
  [[nodiscard]] bool lacks_pieces() const noexcept { return header.items == 0 && header.data_bytes() > 0; }
  void leave_out() noexcept {
    header.items = header.pieces = header.extents_bytes = header.parts = 0;
    extents = {};
  }
};

/// Describes what a full slot holds, or leaves it out. `next_round`: of this node's own pieces;
/// no_round: none. Not collective. O(window / 64 units + pieces).
[[nodiscard]] SlotMessage describe_slot(const CollectiveCall& call, const NodeWindow& window,
                                        std::int64_t next_round);

/// Has room for a message on its way in, on all ranks that may receive any, or makes an error. False: a rank
/// has no memory; all know. Collective where the file's last call did not have as much.
[[nodiscard]] bool make_mail_room(CollectiveCall& call, PathResult& moved);

/// Messages on their way out.
class Outgoing {
 public:
  Outgoing(CollectiveCall& call, const NodeWindows& windows);
  /// Sends the description, and `with_data` the bytes, to where the window is served or passed on. Leaves the
  /// pieces out where there is no memory for them.
  void send(SlotMessage& message, const NodeWindow& window, bool with_data);
  /// Sends the first `bytes` bytes of `answer` to whoever sent `request`, and waits for it.
  void send_answer(transport::Buffer&& answer, std::int64_t bytes, const NodeWindow& window,
                   const transport::MessageHeader& request);
  /// Retires what has arrived. True when anything had.
  bool advance();
  [[nodiscard]] bool empty() const noexcept { return sent_.empty(); }
  /// Messages of the call's first step are on their way.
  [[nodiscard]] bool sends_first_step() const noexcept { return of_first_step_ > 0; }
  /// Whether this rank may pass all windows of a batch, that is, send any of their messages.
  [[nodiscard]] bool may_send(const NodeBatch& batch) const noexcept;

 private:
  static constexpr int no_domain = -1;
  /// What a request sends.
  struct Sent {
    transport::Buffer buffer;
    /// of pieces or requests; an answer does not hold up further messages
    int domain = no_domain;
    std::int64_t batch = 0, bytes = 0;
    bool first_step = false;
  };

  /// Null: there is no memory.
  [[nodiscard]] transport::Buffer packed(const SlotMessage& message, const NodeWindow& window,
                                         bool with_data);
  void put_pieces(const SlotMessage& message, const NodeWindow& window, bool with_data, std::byte* out);

  CollectiveCall& call_;
  flow::InTransit in_transit_;
  transport::NodeCounts::BytesOut& bytes_out_;
  transport::InFlight<Sent> sent_;
  /// messages of pieces or requests that are on their way
  std::vector<std::uint8_t> of_domain_;
  /// of these
  int of_first_step_ = 0;
};

/// The mailboxes of this rank: messages of other nodes for the windows whose mail it receives.
class NodeMail {
 public:
  /// What is known of a window's mail when all of it is in.
  struct Account {
    /// there was some
    bool any = false;
    /// round for which some is announced; no_round: none
    std::int64_t next = 0;
  };
  /// accept(window, message): a message for a window whose slot is in turn. complete(window, account): all
  /// messages of its round are in.
  struct Handlers {
    std::function<void(const NodeWindow&, transport::Received&&)> accept;
    std::function<void(const NodeWindow&, const Account&)> complete;
  };
  /// Collective where the call's plan has not been gone by.
  NodeMail(CollectiveCall& call, const NodeWindows& windows, Handlers handlers);
  NodeMail(const NodeMail&) = delete;
  NodeMail& operator=(const NodeMail&) = delete;

  /// The batch's slots are in turn: its mail may come.
  void open(const NodeBatch& batch);
  /// Receives. True when anything happened.
  bool advance();
  /// True when every window opened has all its mail.
  [[nodiscard]] bool idle() const noexcept;
  /// True when this rank receives mail at all.
  [[nodiscard]] bool any() const noexcept { return !boxes_.empty(); }

 private:
  struct Box {
    Box(NodeMail& mail, int of_domain, int senders)
        : domain(of_domain), inbox(mail.call_.link, of_domain, senders, mail.early_) {}
    int domain;
    transport::Inbox inbox;
    /// by round
    std::deque<NodeWindow> open;
  };
  bool advance(Box& box);

  CollectiveCall& call_;
  Handlers handlers_;
  transport::EarlyMessages early_;
  std::deque<Box> boxes_;
};

}  // namespace collio::engine
