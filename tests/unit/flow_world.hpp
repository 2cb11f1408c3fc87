// A world in which the rules of flow/ run without MPI, memory or time: ranks go through the windows of a call
// in the order that the engine takes, and a scheduler chooses what happens next. It knows nothing of bytes: a
// window is over when all pieces and all messages have come and it is written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "flow/window_order.hpp"
#include "policy/local_aggregators.hpp"

namespace collio::test {

/// A job and its call.
struct FlowJob {
  policy::Layers layers;
  policy::Domains domains;
  std::vector<int> homes;    ///< node of each domain
  std::vector<int> servers;  ///< its rank within the node, which also gets its mail
  int slots = 4;
  bool relays_rotate =
      false;  ///< against the rule: nodes take windows in different orders also where pieces meet on the way

  [[nodiscard]] int nodes() const { return static_cast<int>(layers.teams.size()); }
  [[nodiscard]] const policy::Teams& teams(int node) const {
    return layers.teams[static_cast<std::size_t>(node)];
  }
  [[nodiscard]] int home(int domain) const { return homes[static_cast<std::size_t>(domain)]; }
  [[nodiscard]] bool relays() const { return layers.nodes_per_group > 1; }
  /// A node on the way, on which pieces of a group meet.
  [[nodiscard]] bool meets(int node, int domain) const {
    return relays() && layers.group_of(home(domain)) != layers.group_of(node) &&
           layers.relay(node, domain) == node;
  }
  [[nodiscard]] bool away(int node, int domain) const { return home(domain) != node && !meets(node, domain); }
  [[nodiscard]] flow::OrderRequest order_of(int node) const {
    return {.domains = domains,
            .homes = homes,
            .node = node,
            .slots = slots,
            .transit_slots = nodes() > 1 ? teams(node).count : 0,
            .relays = relays() && !relays_rotate,
            .slots_for = [this, node](int domain) { return away(node, domain) ? teams(node).count : 1; }};
  }
};

/// The job outlives it. A copy goes on by itself.
class FlowWorld {
 public:
  struct Step {
    enum Kind { enter, deliver, write } kind = enter;
    int node = 0, index = 0;  ///< rank; message; window
  };

  explicit FlowWorld(const FlowJob& job) : job_(&job) {
    for (int node = 0; node < job.nodes(); ++node) {
      flow::WindowOrder order(job.order_of(node));
      Node n{order.groups(),
             {},
             std::vector<Rank>(static_cast<std::size_t>(job.teams(node).ranks)),
             {},
             {},
             {},
             {}};
      for (flow::Batch batch; order.next(batch);) n.batches.push_back(batch);
      const auto groups = static_cast<std::size_t>(order.groups().groups());
      n.turn.resize(groups);
      n.finished.resize(groups);
      for (Rank& rank : n.ranks) rank.turn.resize(groups), rank.sent.resize(groups);
      nodes_.push_back(std::move(n));
    }
  }

  /// All that can happen now. None: all is over, or nothing moves any more.
  [[nodiscard]] std::vector<Step> possible() const {
    std::vector<Step> steps;
    for (int n = 0; n < job_->nodes(); ++n) {
      const Node& node = nodes_[at(n)];
      for (int r = 0; r < static_cast<int>(node.ranks.size()); ++r)
        if (may_enter(node, node.ranks[at(r)])) steps.push_back({Step::enter, n, r});
      for (int m = 0; m < static_cast<int>(node.mail.size()); ++m)
        if (may_deliver(n, node.mail[at(m)])) steps.push_back({Step::deliver, n, m});
      for (int w = 0; w < static_cast<int>(node.full.size()); ++w) steps.push_back({Step::write, n, w});
    }
    return steps;
  }

  void take(const Step& step) {
    if (step.kind == Step::enter) return enter(step.node, step.index);
    if (step.kind == Step::deliver) return deliver(step.node, step.index);
    Node& node = nodes_[at(step.node)];
    const Key key = node.full[at(step.index)];
    node.full.erase(node.full.begin() + step.index);
    ++written_[key];
    recycle(step.node, key);
  }

  [[nodiscard]] bool over() const {
    return std::ranges::all_of(nodes_, [](const Node& node) {
      const bool passed = std::ranges::all_of(
          node.ranks, [&](const Rank& rank) { return rank.batch == static_cast<int>(node.batches.size()); });
      return passed && node.mail.empty() && node.full.empty() && node.arrived.empty();
    });
  }

  /// How often each window of the call has been written: by domain and round.
  using Key = std::pair<int, std::int64_t>;
  [[nodiscard]] const std::map<Key, int>& written() const { return written_; }
  /// More than one window was in a slot, or a slot was outside the memory.
  [[nodiscard]] const std::string& broken() const { return broken_; }

  /// What tells this state from others of the same job.
  [[nodiscard]] std::string text() const {
    std::string all;
    const auto add = [&all](std::int64_t value) { all.push_back(static_cast<char>(value)); };
    for (const Node& node : nodes_) {
      for (const Rank& rank : node.ranks) {
        add(rank.batch);
        for (const int sent : rank.sent) add(sent);
      }
      for (const Message& m : node.mail) add(m.window.first), add(m.window.second), add(m.node), add(m.rank);
      add(-1);
      for (const Key& key : node.full) add(key.first), add(key.second);
      add(-1);
      for (const auto& [key, count] : node.arrived)
        add(key.first.first), add(key.first.second), add(key.second), add(count);
      add(-2);
    }
    return all;
  }

 private:
  struct Rank {
    int batch = 0;          ///< to enter next
    std::vector<int> turn;  ///< batches of each group entered
    std::vector<int> sent;  ///< messages of each group that have not arrived
  };
  struct Message {
    Key window;
    int node = 0, rank = 0, group = 0;  ///< of the sender
  };
  struct Node {
    flow::SlotGroups groups;
    std::vector<flow::Batch> batches;
    std::vector<Rank> ranks;
    std::vector<int> turn, finished;             ///< of each group
    std::vector<Message> mail;                   ///< sent here, not yet received
    std::vector<Key> full;                       ///< windows to write
    std::map<std::pair<Key, int>, int> arrived;  ///< parties that have come, by window and team
  };

  [[nodiscard]] static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  [[nodiscard]] static bool may_enter(const Node& node, const Rank& rank) {
    if (rank.batch == static_cast<int>(node.batches.size())) return false;
    const auto group = at(node.batches[at(rank.batch)].group);
    return node.turn[group] == rank.turn[group] && rank.sent[group] == 0;
  }

  /// The rank that gets the mail has come to the window, and all mail of the domain's earlier rounds is in.
  [[nodiscard]] bool may_deliver(int n, const Message& m) const {
    const Node& node = nodes_[at(n)];
    const Rank& receiver =
        node.ranks[at(job_->home(m.window.first) == n ? job_->servers[at(m.window.first)] : 0)];
    if (batch_of(node, m.window) >= receiver.batch) return false;
    return std::ranges::none_of(node.mail, [&](const Message& other) {
      return other.window.first == m.window.first && other.window.second < m.window.second;
    });
  }

  [[nodiscard]] static int batch_of(const Node& node, const Key& key) {
    const auto found = std::ranges::find_if(node.batches, [&](const flow::Batch& batch) {
      return std::ranges::any_of(batch.windows, [&](const auto& w) { return Key(w.domain, w.round) == key; });
    });
    return static_cast<int>(found - node.batches.begin());
  }

  void enter(int n, int r) {
    Node& node = nodes_[at(n)];
    Rank& rank = node.ranks[at(r)];
    const flow::Batch& batch = node.batches[at(rank.batch)];
    ++rank.batch;
    ++rank.turn[at(batch.group)];
    for (const auto& window : batch.windows) {
      check_slot(node, batch, window, n);
      arrive(n, r, {window.domain, window.round});
    }
  }

  void check_slot(const Node& node, const flow::Batch& batch, const flow::Batch::Window& window, int n) {
    const int slots = job_->away(n, window.domain) ? job_->teams(n).count : 1;
    if (window.slot < 0 || window.slot + slots > job_->slots) broken_ = "a slot outside the memory";
    if (node.groups.group_of(window.slot) != batch.group ||
        node.groups.group_of(window.slot + slots - 1) != batch.group)
      broken_ = "a slot of another group";
  }

  /// A rank is done with a window of its own node's; the last one makes it full.
  void arrive(int n, int r, const Key& key) {
    Node& node = nodes_[at(n)];
    const bool away = job_->away(n, key.first);
    const policy::Teams& teams = job_->teams(n);
    const int team = away ? teams.team_of(r) : 0;
    const bool mail = !away && job_->layers.senders_to(n, key.first, job_->home(key.first)) > 0;
    const int parties = (away ? teams.size(team) : teams.ranks) + (mail ? 1 : 0);
    int& count = node.arrived[{key, team}];
    if (++count < parties) return;
    node.arrived.erase({key, team});
    if (job_->home(key.first) == n)
      node.full.push_back(key);
    else
      forward(n, r, key);
  }

  void forward(int n, int r, const Key& key) {
    Node& node = nodes_[at(n)];
    const int group = node.batches[at(batch_of(node, key))].group;
    nodes_[at(job_->layers.next_hop(n, key.first, job_->home(key.first)))].mail.push_back({key, n, r, group});
    ++node.ranks[at(r)].sent[at(group)];
    recycle(n, key);
  }

  void deliver(int n, int index) {
    Node& node = nodes_[at(n)];
    const Message m = node.mail[at(index)];
    node.mail.erase(node.mail.begin() + index);
    --nodes_[at(m.node)].ranks[at(m.rank)].sent[at(m.group)];
    const int home = job_->home(m.window.first);
    int& received = received_[{n, m.window}];
    if (++received < job_->layers.senders_to(n, m.window.first, home)) return;
    received_.erase({n, m.window});
    arrive(n, home == n ? job_->servers[at(m.window.first)] : 0, m.window);
  }

  /// A slot is free again; the group's last one ends its turn.
  void recycle(int n, const Key& key) {
    Node& node = nodes_[at(n)];
    const flow::Batch& batch = node.batches[at(batch_of(node, key))];
    if (++node.finished[at(batch.group)] < batch.slots) return;
    node.finished[at(batch.group)] = 0;
    ++node.turn[at(batch.group)];
  }

  const FlowJob* job_;
  std::vector<Node> nodes_;
  std::map<std::pair<int, Key>, int> received_;  ///< messages, by node and window
  std::map<Key, int> written_;
  std::string broken_;
};

}  // namespace collio::test
