// Reads between nodes: requests for windows that are served elsewhere, and answers to those of other nodes.
#pragma once

#include <vector>

#include "engine/two_layer/node_mail.hpp"

namespace collio::engine {

/// NodeRequests this rank has sent for its node, and the answers, which it puts into the slots.
class NodeRequests {
 public:
  NodeRequests(CollectiveCall& call, Outgoing& outgoing) : call_(call), outgoing_(outgoing) {}
  /// All ranks have marked what they want of the window: asks for it. `next_round`: see describe_slot().
  void ask(const NodeWindow& window, std::int64_t next_round);
  /// Receives answers. True when anything happened.
  bool advance();
  [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }

 private:
  struct Waiting {
    NodeWindow window;
    SlotMessage message;
    /// none: it goes to the slot
    transport::Buffer answer;
  };
  [[nodiscard]] bool have_answer(Waiting& w) const;
  [[nodiscard]] std::byte* answer_of(const Waiting& w) const;
  void finish(const Waiting& w, std::int64_t bytes);
  void finish_packed(const Waiting& w, std::int64_t bytes);
  void unpack(const Waiting& w, std::int64_t bytes);

  CollectiveCall& call_;
  Outgoing& outgoing_;
  transport::InFlight<Waiting> waiting_;
};

/// Other nodes' requests for windows that this rank answers, once the bytes are there.
class NodeAnswers {
 public:
  NodeAnswers(CollectiveCall& call, Outgoing& outgoing) : call_(call), outgoing_(outgoing) {}
  /// False: it is dealt with.
  bool keep(const NodeWindow& window, transport::Received&& request);
  /// No more requests will come for the window.
  void complete(const NodeWindow& window);
  /// NodeAnswers what can be answered. True when anything happened.
  bool advance();
  [[nodiscard]] bool empty() const noexcept { return windows_.empty(); }

 private:
  struct Pending {
    NodeWindow window;
    std::vector<transport::Received> requests;
    bool complete = false;
  };
  Pending& pending(const NodeWindow& window);
  void answer(const NodeWindow& window, const transport::MessageView& request);
  [[nodiscard]] std::int64_t put_answer(const NodeWindow& window, const transport::MessageView& request,
                                        std::byte* out) const;

  CollectiveCall& call_;
  Outgoing& outgoing_;
  std::vector<Pending> windows_;
};

}  // namespace collio::engine
