// See two_layer_run.hpp.
#include "simulate/two_layer_run.hpp"

#include "core/index.hpp"
#include "flow/packed_room.hpp"
#include "policy/aggregators/local_aggregators.hpp"
#include "simulate/clocks.hpp"
#include "simulate/queue.hpp"
#include "simulate/two_layer_costs.hpp"
#include "simulate/two_layer_parts.hpp"

namespace collio::simulate {

namespace {

using core::at;

class TwoLayerRun {
 public:
  TwoLayerRun(const CallSetting& setting, const PlannedCall& call)
      : s_(setting),
        call_(call),
        layers_(policy::make_layers(call.machine, setting.hints)),
        processors_(setting.model.node.processors),
        links_(setting.topology, &processors_, setting.model.node.carry_bytes_per_s),
        targets_(setting.model.storage, setting.job.nodes()),
        shares_(make_shares()),
        costs_{setting, shares_.kept},
        windows_(at(call.plan.domains.most_rounds()) * at(call.plan.domains.count)),
        senders_(windows_.size()),
        server_free_s_(at(call.plan.domains.count)),
        storage_free_s_(server_free_s_.size()),
        receiving_s_(server_free_s_.size()) {
    const std::vector<policy::Seat> beside = policy::seats_beside(call.seats, call.machine);
    for (int d = 0; d < call.plan.domains.count; ++d) {
      homes_.push_back(call.seats[at(d)].node);
      const bool receives = setting.reads || !call.plan.few_servers || beside[at(d)] == call.seats[at(d)];
      late_mail_.push_back(receives && !setting.model.storage.asynchronous);
    }
    for (int n = 0; n < nodes(); ++n) add_node(n);
    for (int w = 0; w < static_cast<int>(windows_.size()); ++w) senders_[at(w)] = senders(w);
  }

  Outcome go() {
    for (int n = 0; n < nodes(); ++n) queue_.push(0, {Event::enter, n});
    while (!queue_.empty()) {
      const Event event = queue_.pop();
      out_.seconds = std::max(out_.seconds, queue_.now_s());
      take(event);
    }
    return finish();
  }

 private:
  using Event = TwoLayerEvent;
  using Window = TwoLayerWindow;
  using Lane = TwoLayerLane;
  using Node = TwoLayerNode;

  [[nodiscard]] int nodes() const { return s_.job.nodes(); }
  [[nodiscard]] const policy::Domains& domains() const { return call_.plan.domains; }
  [[nodiscard]] int home(int domain) const { return homes_[at(domain)]; }
  [[nodiscard]] int index(int domain, std::int64_t round) const {
    return static_cast<int>(round * domains().count + domain);
  }
  [[nodiscard]] int domain_of(int window) const { return window % domains().count; }
  [[nodiscard]] std::int64_t round_of(int window) const { return window / domains().count; }
  [[nodiscard]] int teams(int n) const { return layers_.teams[at(n)].count; }
  [[nodiscard]] int first_team(int n) const { return first_team_[at(n)]; }
  [[nodiscard]] int node_of_team(int team) const {
    return static_cast<int>(std::upper_bound(first_team_.begin(), first_team_.end(), team) -
                            first_team_.begin()) -
           1;
  }

  NodeShares make_shares() {
    first_team_.push_back(0);
    for (int n = 0; n < nodes(); ++n) first_team_.push_back(first_team_.back() + teams(n));
    const int per_node = s_.job.ranks_per_node;
    const PartyOf team = [&](int rank) {
      const int n = s_.job.node_of(rank);
      return first_team(n) + layers_.teams[at(n)].team_of(rank - n * per_node);
    };
    Shares shares = shares_of(s_.job, domains(), sample_rounds(domains(), 1, policy::Digest::nothing), team);
    const double kept = coalescing(s_.job, domains(), shares, team);
    return {gathered(shares, [&](int t) { return node_of_team(t); }), std::move(shares), kept};
  }

  void add_node(int n) {
    const flow::OrderRequest request{.domains = domains(),
                                     .homes = homes_,
                                     .node = n,
                                     .slots = call_.plan.node_slots * call_.plan.window_slots,
                                     .window_slots = call_.plan.window_slots,
                                     .several_nodes = nodes() > 1,
                                     .relays = false,
                                     .room_for = [this, n](int d, std::int64_t r) { return room(n, d, r); }};
    Node one;
    one.order = std::make_unique<flow::WindowOrder>(request);
    const flow::SlotGroups& groups = one.order->groups();
    one.left.resize(at(groups.groups()));
    one.in_transit = {one.order->transit_room() * policy::slot_bytes(call_.plan), groups.transit_groups};
    for (Lane& lane : one.lanes) lane.more = one.order->next(lane.course, lane.batch);
    nodes_.push_back(std::move(one));
  }

  /// What the teams of a node that have a message for a window take in transit.
  [[nodiscard]] flow::Room room(int n, int domain, std::int64_t round) const {
    const int w = index(domain, round);
    flow::Room room;
    for (int team = first_team(n); team < first_team(n + 1); ++team) {
      const Share share = of_team(team, w);
      if (!due(w, share)) continue;
      room.slots += slots(share);
      ++room.parts;
    }
    return room;
  }
  [[nodiscard]] int slots(const Share& share) const {
    const std::int64_t ranks = std::max(1, share.ranks);
    const std::int64_t room = flow::part_room({share.bytes / ranks, share.pieces / ranks},
                                              {domains().window_bytes, call_.plan.mask_shift});
    return flow::slots_in_transit(ranks * room, policy::slot_bytes(call_.plan), call_.plan.window_slots);
  }
  [[nodiscard]] bool packed(const Share& share) const { return slots(share) < call_.plan.window_slots; }

  void take(const Event& e) {
    switch (e.kind) {
      case Event::enter:
        return enter(e.node);
      case Event::send:
        return send(e);
      case Event::arrive:
        return arrive(e);
      case Event::part:
        return part(e.window);
      case Event::stored:
        return s_.reads ? ready(e.window) : close(e.window);
      case Event::answer:
        return answer(e);
      case Event::answered:
        return answered(e);
      case Event::free:
        return s_.reads ? release(e.node, e.group) : received(e);
    }
  }

  // --- A node passes its windows --------------------------------------------------------------

  void enter(int n) {
    Node& node = nodes_[at(n)];
    if (queue_.now_s() < node.free_s) return queue_.push(node.free_s, {Event::enter, n});
    Lane* const lane = next_lane(node);
    node.waits = !lane;
    if (!lane) return;
    node.left[at(lane->batch.group)] = lane->batch.parts;
    node.free_s = queue_.now_s();
    for (const flow::Batch::Window& window : lane->batch.windows) pass(n, window, lane->batch);
    lane->more = node.order->next(lane->course, lane->batch);
    queue_.push(node.free_s, {Event::enter, n});
    out_.seconds = std::max(out_.seconds, node.free_s);
  }

  /// The one that is behind, of those whose next group of slots is free.
  static Lane* next_lane(Node& node) {
    Lane* next = nullptr;
    for (Lane& lane : node.lanes)
      if (lane.more && (!next || lane.batch.step < next->batch.step) && may_enter(node, lane)) next = &lane;
    return next;
  }

  static bool may_enter(const Node& node, const Lane& lane) {
    return node.left[at(lane.batch.group)] == 0 &&
           (lane.course == flow::Course::home || node.in_transit.has_room(node.bytes_out, lane.batch.number));
  }

  void pass(int n, const flow::Batch::Window& placed, const flow::Batch& batch) {
    const Node& node = nodes_[at(n)];
    const int w = index(placed.domain, placed.round);
    work(n, s_.model.node.pass_s * of_node(n, w).ranks / s_.parallel(n));
    if (!s_.reads) work(n, costs_.copy_s(n, of_node(n, w)));
    if (home(placed.domain) != n) return send_pieces(n, w, batch);
    Window& window = windows_[at(w)];
    window.group = batch.group;
    window.begun_s = queue_.now_s();
    if (s_.reads) return access(w, node.free_s);
    queue_.push(node.free_s, {Event::part, n, w});
    open(window);
  }

  void open(Window& window) {
    window.open = true;
    for (const Event& message : std::exchange(window.pending, {})) serve(message);
  }

  /// What all ranks of a node that are at work do in that time.
  void work(int n, double seconds) {
    Node& node = nodes_[at(n)];
    const double begin_s = std::max(node.free_s, queue_.now_s());
    const int at_work = s_.model.node.processors > 0 ? static_cast<int>(s_.parallel(n)) : 1;
    for (int i = 0; i < at_work; ++i) node.free_s = std::max(node.free_s, processors_.work(begin_s, seconds));
    node.copying_s += seconds;
  }

  [[nodiscard]] Share of_node(int n, int w) const {
    return shares_.nodes.share_of(domain_of(w), at(round_of(w)), n);
  }
  [[nodiscard]] Share of_team(int team, int w) const {
    return shares_.teams.share_of(domain_of(w), at(round_of(w)), team);
  }

  [[nodiscard]] bool due(int w, const Share& share) const {
    return shares_.due(domain_of(w), round_of(w), share);
  }

  /// Each team's pieces, or a read's request for them. Ranks take turns at making messages.
  void send_pieces(int n, int w, const flow::Batch& batch) {
    Node& node = nodes_[at(n)];
    for (int team = first_team(n); team < first_team(n + 1); ++team) {
      const Share share = of_team(team, w);
      if (!due(w, share)) continue;
      const double made_s =
          (s_.reads ? costs_.mark_s(n, share) : costs_.make_s(n, share, packed(share))) + costs_.message_s(n);
      queue_.push(processors_.work(node.free_s, made_s),
                  {Event::send, n, w, team, batch.group, batch.number});
      const double turn_s = made_s / s_.slowdown(n) / s_.parallel(n);
      node.free_s = std::max(node.free_s, queue_.now_s()) + turn_s;
      node.copying_s += turn_s;
    }
  }

  void send(const Event& e) {
    const Share share = of_team(e.team, e.window);
    const std::int64_t bytes = costs_.described_bytes(share, packed(share)) + (s_.reads ? 0 : share.bytes);
    if (!s_.reads) {  // the slot is free as soon as its message is packed
      nodes_[at(e.node)].bytes_out[flow::InTransit::place(e.batch)] += bytes;
      release(e.node, e.group);
    }
    const double at_s = links_.send(s_.trip(e.node, home(domain_of(e.window))), bytes, queue_.now_s());
    ++out_.messages;
    queue_.push(at_s, {Event::arrive, e.node, e.window, e.team, e.group, e.batch});
  }

  void release(int n, int group) {
    Node& node = nodes_[at(n)];
    if (--node.left[at(group)] == 0) wake(n);
  }

  /// A message has been taken.
  void received(const Event& message) {
    Node& node = nodes_[at(message.node)];
    const Share share = of_team(message.team, message.window);
    node.bytes_out[flow::InTransit::place(message.batch)] -=
        costs_.described_bytes(share, packed(share)) + share.bytes;
    wake(message.node);
  }

  void wake(int n) {
    if (!std::exchange(nodes_[at(n)].waits, false)) return;
    queue_.push(queue_.now_s(), {Event::enter, n});
  }

  // --- A domain's server ----------------------------------------------------------------------

  void arrive(const Event& message) {
    Window& window = windows_[at(message.window)];
    if (window.open)
      serve(message);
    else
      window.pending.push_back(message);
  }

  /// Places a message's pieces, or answers a read's request.
  void serve(const Event& message) {
    const int d = domain_of(message.window);
    const Share share = of_team(message.team, message.window);
    const double work_s = costs_.message_s(home(d)) + costs_.merge_s(home(d), share, packed(share));
    double& free_s = server_free_s_[at(d)];
    const double begin_s = std::max(queue_.now_s(), free_s);
    free_s = processors_.work(begin_s, work_s);
    receiving_s_[at(d)] += work_s;
    queue_.push(free_s, {Event::part, message.node, message.window});
    Event next = message;
    next.kind = s_.reads ? Event::answer : Event::free;
    queue_.push(s_.reads ? free_s : begin_s, next);
  }

  void answer(const Event& message) {
    const int d = domain_of(message.window);
    const Share share = of_team(message.team, message.window);
    Event next = message;
    next.kind = Event::answered;
    ++out_.messages;
    queue_.push(links_.send(s_.trip(home(d), message.node), TwoLayerCosts::header_bytes + share.bytes,
                            queue_.now_s()),
                next);
  }

  [[nodiscard]] int senders(int w) const {
    const auto& teams = shares_.teams_of[at(domain_of(w))];
    return static_cast<int>(std::ranges::count_if(teams, [&](int team) {
      return due(w, of_team(team, w)) && node_of_team(team) != home(domain_of(w));
    }));
  }

  void part(int w) {
    if (++windows_[at(w)].parts < 1 + senders_[at(w)]) return;
    if (s_.reads) return close(w);
    access(w, queue_.now_s());
  }

  void access(int w, double ready_s) {
    const int d = domain_of(w);
    double done_s = ready_s;
    if (!shares_.nodes.of(d, at(round_of(w))).empty()) {
      const double begin_s = std::max(ready_s, storage_free_s_[at(d)]);
      done_s = targets_.access(home(d), domains().window(d, round_of(w)), s_.reads, begin_s);
      if (s_.model.storage.in_processors())
        done_s = std::max(done_s, processors_.work(begin_s, done_s - begin_s));
      storage_free_s_[at(d)] = done_s;
      if (late_mail_[at(d)]) server_free_s_[at(d)] = std::max(server_free_s_[at(d)], done_s);
    }
    queue_.push(done_s, {Event::stored, home(d), w});
  }

  void close(int w) {
    flights_.add(windows_[at(w)].begun_s, queue_.now_s());
    ++out_.windows;
    release(home(domain_of(w)), windows_[at(w)].group);
  }

  /// A window has been read.
  void ready(int w) {
    const int n = home(domain_of(w));
    work(n, costs_.copy_s(n, of_node(n, w)));
    queue_.push(nodes_[at(n)].free_s, {Event::part, n, w});
    open(windows_[at(w)]);
  }

  void answered(const Event& message) {
    work(message.node,
         costs_.copy_s(message.node, of_node(message.node, message.window)) / teams(message.node));
    Event done = message;
    done.kind = Event::free;
    queue_.push(nodes_[at(message.node)].free_s, done);
  }

  Outcome finish() {
    const policy::Domains& d = domains();
    require_served(out_.windows, d, shares_.teams.rounds());
    out_.link = links_.busiest();
    out_.target = targets_.busiest(), out_.target_s = targets_.busy_s(out_.target);
    out_.receiver =
        static_cast<int>(std::max_element(receiving_s_.begin(), receiving_s_.end()) - receiving_s_.begin());
    out_.receiver_s = receiving_s_[at(out_.receiver)];
    const auto most = std::max_element(
        nodes_.begin(), nodes_.end(), [](const Node& a, const Node& b) { return a.copying_s < b.copying_s; });
    out_.phases = {{"copy and merge", most->copying_s},
                   {"links", out_.link.time_s},
                   {s_.reads ? "answer" : "receive", out_.receiver_s},
                   {"storage", out_.target_s}};
    if (processors_.shared()) out_.phases.push_back({"shared cores", processors_.busy_s()});
    out_.local_aggregators = layers_.local_aggregators();
    out_.aggregators = d.count, out_.window_bytes = d.window_bytes;
    out_.rounds = out_.rounds_simulated = d.most_rounds();
    out_.most_receives = *std::ranges::max_element(senders_);
    out_.most_windows = flights_.most(), out_.mean_windows = flights_.mean(out_.seconds);
    out_.node_memory_bytes = call_.plan.node_slots * d.window_bytes;
    out_.locks_moved = targets_.locks_moved();
    return std::move(out_);
  }

  const CallSetting& s_;
  const PlannedCall& call_;
  policy::Layers layers_;
  std::vector<int> first_team_, homes_;
  /// of a domain waits while its server is in a storage call
  std::vector<bool> late_mail_;
  ProcessorClocks processors_;
  LinkClocks links_;
  TargetClocks targets_;
  NodeShares shares_;
  TwoLayerCosts costs_;
  std::vector<Window> windows_;
  /// to each window: teams of other nodes
  std::vector<int> senders_;
  std::vector<Node> nodes_;
  std::vector<double> server_free_s_, storage_free_s_, receiving_s_;
  Queue<Event> queue_;
  Flights flights_;
  Outcome out_;
};

}  // namespace

Outcome run_two_layer(const CallSetting& setting, const PlannedCall& call) {
  return TwoLayerRun(setting, call).go();
}

}  // namespace collio::simulate
