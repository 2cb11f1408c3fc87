// A world in which the rules of flow/ run without MPI, memory or time: ranks go through the windows of a call
// in the order that the engine takes, and a scheduler chooses what happens next. It knows nothing of bytes: a
// window is over when all pieces and all messages have come and it is written.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flow/in_transit.hpp"
#include "flow/tally.hpp"
#include "flow/window_order.hpp"
#include "policy/aggregators/local_aggregators.hpp"

namespace collio::test {

/// A job and its call.
struct FlowJob {
  policy::Layers layers;
  policy::Domains domains;
  std::vector<int> homes;    ///< node of each domain
  std::vector<int> servers;  ///< its rank within the node, which also gets its mail
  int slots = 4;             ///< of a node; a window takes `window_slots` where it is placed
  int window_slots = 1;
  /// That a team's pieces of a window take on their way.
  std::function<int(int node, int domain, std::int64_t round)> slots_of = [](int, int, std::int64_t) {
    return 1;
  };
  int counters = 1000;       ///< that a node has for its tally
  std::int64_t room = 1000;  ///< messages of a node's earlier batches on their way
  /// Which ranks have bytes in which window.
  std::function<bool(int node, int rank, int domain, std::int64_t round)> touches =
      [](int, int, int, std::int64_t) { return true; };
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
  [[nodiscard]] bool gets_mail(int node, int domain) const {
    return layers.senders_to(node, domain, home(domain)) > 0;
  }
  [[nodiscard]] flow::OrderRequest order_of(int node, const flow::Tally& tally) const {
    return {.domains = domains,
            .homes = homes,
            .node = node,
            .slots = slots,
            .window_slots = window_slots,
            .several_nodes = nodes() > 1,
            .relays = relays() && !relays_rotate,
            .room_for = [this, node, &tally](int domain, std::int64_t round) {
              return room_for(node, tally, domain, round);
            }};
  }
  [[nodiscard]] flow::Room room_for(int node, const flow::Tally& tally, int domain,
                                    std::int64_t round) const {
    if (away(node, domain)) {
      const int parts = tally.teams(domain, round);
      return {parts * slots_of(node, domain, round), parts};
    }
    if (!gets_mail(node, domain) && tally.ranks(domain, round) == 0) return {};
    return {window_slots, 1};
  }
};

/// What a node's ranks know of each other, as engine/two_layer/node_tally has it.
class FlowTally {
 public:
  FlowTally(const FlowJob& job, int node)
      : counters_(static_cast<std::size_t>(job.counters)),
        tally_(job.domains, job.teams(node).count, counters_) {
    for (int rank = 0; rank < job.teams(node).ranks; ++rank) {
      std::vector<bool> own(static_cast<std::size_t>(tally_.places()));
      for (int d = 0; d < job.domains.count; ++d)
        for (std::int64_t r = 0; r < job.domains.rounds(d); ++r)
          if (job.nodes() == 1 || job.touches(node, rank, d, r))
            for (const std::int64_t part : {r, job.home(d) == node ? r : 0})
              own[static_cast<std::size_t>(tally_.place(d, part))] = true;
      for (std::int64_t place = 0; place < tally_.places(); ++place)
        if (own[static_cast<std::size_t>(place)]) tally_.add(place, job.teams(node).team_of(rank));
      mine_.push_back(std::move(own));
    }
  }
  [[nodiscard]] const flow::Tally& counts() const { return tally_; }
  [[nodiscard]] bool mine(int rank, int domain, std::int64_t round) const {
    return mine_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(tally_.place(domain, round))];
  }

 private:
  std::vector<flow::Tally::Counter> counters_;
  flow::Tally tally_;
  std::vector<std::vector<bool>> mine_;  ///< by rank and place
};

/// The job outlives it. A copy goes on by itself.
class FlowWorld {
 public:
  struct Step {
    enum Kind { enter, deliver, write } kind = enter;
    int node = 0, index = 0;  ///< rank; message; window
    int course = 0;           ///< that is entered
  };

  explicit FlowWorld(const FlowJob& job) : job_(&job) {
    for (int node = 0; node < job.nodes(); ++node) {
      tallies_.push_back(std::make_shared<FlowTally>(job, node));
      flow::WindowOrder order(job.order_of(node, tallies_.back()->counts()));
      Batches batches;
      for (const auto course : {flow::Course::home, flow::Course::transit})
        for (flow::Batch batch; order.next(course, batch);) batches[at(course)].push_back(batch);
      Node n{order.groups(),
             std::make_shared<const Batches>(std::move(batches)),
             std::vector<Rank>(static_cast<std::size_t>(job.teams(node).ranks)),
             {},
             {},
             {},
             {}};
      const auto groups = static_cast<std::size_t>(order.groups().groups());
      n.turn.resize(groups);
      n.finished.resize(groups);
      for (Rank& rank : n.ranks) rank.turn.resize(groups);
      nodes_.push_back(std::move(n));
    }
  }

  /// All that can happen now. None: all is over, or nothing moves any more.
  [[nodiscard]] std::vector<Step> possible() const {
    std::vector<Step> steps;
    for (int n = 0; n < job_->nodes(); ++n) {
      const Node& node = nodes_[at(n)];
      for (int r = 0; r < static_cast<int>(node.ranks.size()); ++r)
        for (const int course : {0, 1})
          if (may_enter(n, r, course)) steps.push_back({Step::enter, n, r, course});
      for (int m = 0; m < static_cast<int>(node.mail.size()); ++m)
        if (may_deliver(n, node.mail[at(m)])) steps.push_back({Step::deliver, n, m});
      for (int w = 0; w < static_cast<int>(node.full.size()); ++w) steps.push_back({Step::write, n, w});
    }
    return steps;
  }

  void take(const Step& step) {
    if (step.kind == Step::enter) return enter(step.node, step.index, step.course);
    if (step.kind == Step::deliver) return deliver(step.node, step.index);
    Node& node = nodes_[at(step.node)];
    const Key key = node.full[at(step.index)];
    node.full.erase(node.full.begin() + step.index);
    ++written_[key];
    recycle(step.node, key);
  }

  [[nodiscard]] bool over() const {
    return std::ranges::all_of(nodes_, [](const Node& node) {
      const bool passed = std::ranges::all_of(node.ranks, [&](const Rank& rank) {
        return rank.batch[0] == static_cast<int>(node.of(0).size()) &&
               rank.batch[1] == static_cast<int>(node.of(1).size());
      });
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
        add(rank.batch[0]), add(rank.batch[1]);
        add(static_cast<std::int64_t>(rank.sent.size()));
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
    std::array<int, 2> batch{};  ///< to enter next, by course
    std::vector<int> turn;       ///< batches of each group entered
    std::vector<int> sent;       ///< domains of messages that have not arrived
  };
  struct Message {
    Key window;
    int node = 0, rank = 0;  ///< of the sender
    std::int64_t batch = 0;
  };
  using Batches = std::array<std::vector<flow::Batch>, 2>;  ///< by course
  struct Node {
    flow::SlotGroups groups;
    std::shared_ptr<const Batches> batches;  ///< the same in every copy of the world
    std::vector<Rank> ranks;
    std::vector<int> turn, finished;                           ///< of each group
    std::vector<Message> mail;                                 ///< sent here, not yet received
    std::set<Key> heard;                                       ///< windows whose mail is all in
    std::array<std::int64_t, flow::InTransit::batches> out{};  ///< messages on their way, by batch
    std::vector<Key> full;                                     ///< windows to write
    std::map<std::pair<Key, int>, int> arrived;                ///< parties that have come, by window and team
    [[nodiscard]] const std::vector<flow::Batch>& of(int course) const { return (*batches)[at(course)]; }
  };

  [[nodiscard]] static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] static std::size_t at(flow::Course course) { return static_cast<std::size_t>(course); }

  [[nodiscard]] int receiver(int n, int domain) const {
    return job_->home(domain) == n ? job_->servers[at(domain)] : 0;
  }
  [[nodiscard]] int course_of(int n, const Key& key) const { return job_->home(key.first) == n ? 0 : 1; }
  [[nodiscard]] bool mine(int n, int r, const flow::Batch::Window& w) const {
    return tallies_[at(n)]->mine(r, w.domain, w.round);
  }
  [[nodiscard]] bool receives(int n, int r, int domain) const {
    return !job_->away(n, domain) && job_->gets_mail(n, domain) && receiver(n, domain) == r;
  }

  /// A rank waits for a group of slots only if a window in it concerns it.
  [[nodiscard]] bool may_enter(int n, int r, int course) const {
    const Node& node = nodes_[at(n)];
    const Rank& rank = node.ranks[at(r)];
    if (rank.batch[at(course)] == static_cast<int>(node.of(course).size())) return false;
    const flow::Batch& batch = node.of(course)[at(rank.batch[at(course)])];
    const bool concerned = std::ranges::any_of(
        batch.windows, [&](const auto& w) { return mine(n, r, w) || receives(n, r, w.domain); });
    const auto left = [&](int group) { return rank.turn[at(group)] - node.turn[at(group)]; };
    return !concerned || (node.groups.in_turn(batch.group, left) && may_send(n, rank, batch));
  }
  [[nodiscard]] bool may_send(int n, const Rank& rank, const flow::Batch& batch) const {
    if (job_->home(batch.windows.front().domain) == n) return true;
    const flow::InTransit transit{job_->room, nodes_[at(n)].groups.transit_groups};
    return transit.has_room(nodes_[at(n)].out, batch.number) &&
           std::ranges::all_of(batch.windows, [&](const auto& w) {
             return std::ranges::count(rank.sent, w.domain) < flow::InTransit::most_of_a_domain;
           });
  }

  /// The rank that gets the mail has come to the window, and all mail that earlier rounds of the domain will
  /// have is in.
  [[nodiscard]] bool may_deliver(int n, const Message& m) const {
    const Node& node = nodes_[at(n)];
    const int course = course_of(n, m.window);
    if (batch_of(node, course, m.window) >= node.ranks[at(receiver(n, m.window.first))].batch[at(course)])
      return false;
    for (std::int64_t r = 0; r < m.window.second; ++r)
      if (const Key earlier{m.window.first, r}; !node.heard.contains(earlier) && messages_to(n, earlier) > 0)
        return false;
    return true;
  }

  [[nodiscard]] static int batch_of(const Node& node, int course, const Key& key) {
    const auto& batches = node.of(course);
    const auto found = std::ranges::find_if(batches, [&](const flow::Batch& batch) {
      return std::ranges::any_of(batch.windows, [&](const auto& w) { return Key(w.domain, w.round) == key; });
    });
    return static_cast<int>(found - batches.begin());
  }
  [[nodiscard]] const flow::Batch& batch_with(int n, const Key& key) const {
    const int course = course_of(n, key);
    return nodes_[at(n)].of(course)[at(batch_of(nodes_[at(n)], course, key))];
  }

  void enter(int n, int r, int course) {
    Node& node = nodes_[at(n)];
    Rank& rank = node.ranks[at(r)];
    const flow::Batch& batch = node.of(course)[at(rank.batch[at(course)]++)];
    ++rank.turn[at(batch.group)];
    for (const auto& window : batch.windows) {
      check_slot(node, batch, window, n);
      if (receives(n, r, window.domain)) expect_mail(n, {window.domain, window.round});
      if (mine(n, r, window)) arrive(n, r, {window.domain, window.round});
    }
  }

  /// The mail of a window counts as a party, also if there is none.
  void expect_mail(int n, const Key& key) {
    if (messages_to(n, key) == 0) arrive(n, receiver(n, key.first), key);
  }

  /// Messages that a node gets for a window, from nodes that take part in it.
  [[nodiscard]] int messages_to(int n, const Key& key) const {
    int sum = 0;
    for (int from = 0; from < job_->nodes(); ++from)
      if (from != n && from != job_->home(key.first) &&
          job_->layers.next_hop(from, key.first, job_->home(key.first)) == n)
        sum += messages_from(from, key);
    return sum;
  }
  [[nodiscard]] int messages_from(int n, const Key& key) const {
    const flow::Tally& tally = tallies_[at(n)]->counts();
    if (job_->away(n, key.first)) return tally.teams(key.first, key.second);
    return tally.ranks(key.first, key.second) > 0 || messages_to(n, key) > 0 ? 1 : 0;
  }

  void check_slot(const Node& node, const flow::Batch& batch, const flow::Batch::Window& window, int n) {
    const int slots = job_->room_for(n, tallies_[at(n)]->counts(), window.domain, window.round).slots;
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
    const flow::Tally& tally = tallies_[at(n)]->counts();
    const int ranks = away ? tally.ranks(key.first, key.second, team) : tally.ranks(key.first, key.second);
    const int parties = ranks + (!away && job_->gets_mail(n, key.first) ? 1 : 0);
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
    if (messages_from(n, key) > 0) {
      const std::int64_t batch = batch_with(n, key).number;
      nodes_[at(job_->layers.next_hop(n, key.first, job_->home(key.first)))].mail.push_back(
          {key, n, r, batch});
      node.ranks[at(r)].sent.push_back(key.first);
      ++node.out[flow::InTransit::place(batch)];
    }
    recycle(n, key);
  }

  void deliver(int n, int index) {
    Node& node = nodes_[at(n)];
    const Message m = node.mail[at(index)];
    node.mail.erase(node.mail.begin() + index);
    Node& sender = nodes_[at(m.node)];
    std::vector<int>& sent = sender.ranks[at(m.rank)].sent;
    sent.erase(std::ranges::find(sent, m.window.first));
    --sender.out[flow::InTransit::place(m.batch)];
    int& received = received_[{n, m.window}];
    if (++received < messages_to(n, m.window)) return;
    received_.erase({n, m.window});
    node.heard.insert(m.window);
    arrive(n, receiver(n, m.window.first), m.window);
  }

  /// A slot is free again; the group's last one ends its turn.
  void recycle(int n, const Key& key) {
    Node& node = nodes_[at(n)];
    const flow::Batch& batch = batch_with(n, key);
    if (++node.finished[at(batch.group)] < batch.parts) return;
    node.finished[at(batch.group)] = 0;
    ++node.turn[at(batch.group)];
  }

  const FlowJob* job_;
  std::vector<std::shared_ptr<const FlowTally>> tallies_;  ///< by node
  std::vector<Node> nodes_;
  std::map<std::pair<int, Key>, int> received_;  ///< messages, by node and window
  std::map<Key, int> written_;
  std::string broken_;
};

}  // namespace collio::test
