// See two_phase_run.hpp.
#include "simulate/two_phase_run.hpp"

#include <functional>
#include <map>

#include "core/index.hpp"
#include "simulate/clocks.hpp"
#include "simulate/queue.hpp"
#include "simulate/waiting_mail.hpp"

namespace collio::simulate {

namespace {

using core::at;

constexpr std::size_t answers_at_a_time = 64;
constexpr std::int64_t header_bytes = 64, piece_bytes = 2;  // of a message; a described piece, packed
constexpr std::int64_t most_pairs = 64 << 20;  // of a rank and a window; of more a sample stands for all

class TwoPhaseRun {
 public:
  TwoPhaseRun(const CallSetting& setting, const PlannedCall& call)
      : s_(setting),
        call_(call),
        buffers_(std::max(1, call.plan.overlap.buffers)),
        shares_(shares_of(setting.job, call.plan.domains,
                          sample_rounds(call.plan.domains, setting.job.ranks, most_pairs),
                          [](int rank) { return rank; })),
        processors_(setting.model.node.processors),
        links_(setting.topology, &processors_, setting.model.node.carry_bytes_per_s),
        targets_(setting.model.storage, setting.job.nodes()),
        rank_free_s_(at(setting.job.ranks)),
        busy_s_(rank_free_s_.size()),
        answered_s_(rank_free_s_.size()),
        server_free_s_(at(call.plan.domains.count)),
        storage_free_s_(server_free_s_.size()),
        receiving_s_(server_free_s_.size()) {
    for (int domain = 0; domain < domains(); ++domain) mail_.emplace_back(shares_, domain, server(domain));
  }

  Outcome go() {
    for (int round = 0; round < buffers_; ++round)
      for (int domain = 0; domain < domains(); ++domain) open(domain, round, 0);
    while (!queue_.empty()) {
      const Event event = queue_.pop();
      if (event.answers)
        answer(event.window);
      else if (s_.reads)
        read(event.window);
      else
        close(event.window, queue_.now_s(), write(event.window));
    }
    return finish();
  }

 private:
  struct Opened {
    int domain = 0;
    /// an index into shares_.rounds()
    std::int64_t round = 0;
  };
  struct Event {
    Opened window;
    /// else the window is opened
    bool answers = false;
  };
  struct Letter {
    double ready_s;
    const Share* share;
  };

  /// To the requests for a window that has been read.
  struct WindowAnswers {
    std::vector<Letter> asked;
    std::size_t next = 0;
    double begun_s = 0;
  };

  [[nodiscard]] int domains() const { return call_.plan.domains.count; }
  [[nodiscard]] const policy::Seat& seat(int domain) const { return call_.seats[at(domain)]; }
  /// The rank that aggregates.
  [[nodiscard]] int server(int domain) const {
    return seat(domain).node * s_.job.ranks_per_node + seat(domain).local_rank;
  }

  void open(int domain, std::int64_t round, double at_s) {
    if (at(round) < shares_.rounds().size() &&
        shares_.rounds()[at(round)] < call_.plan.domains.rounds(domain))
      queue_.push(at_s, {{domain, round}});
  }

  /// What a piece of a message costs one of its ends.
  [[nodiscard]] double handle_s(int node, const Share& share) const {
    const NodeCosts& n = s_.model.node;
    return s_.slowdown(node) * (static_cast<double>(share.bytes) / n.copy_bytes_per_s +
                                static_cast<double>(share.pieces) * n.describe_piece_s);
  }
  [[nodiscard]] double message_s(int node) const { return s_.slowdown(node) * s_.model.node.message_s; }

  /// Letters of all ranks with a share of the window, in the order in which they are ready. `work_s(share,
  /// node)`: of the rank before it sends.
  template <class Work>
  std::vector<Letter> letters(const Opened& w, double from_s, Work&& work_s) {
    std::vector<Letter> all;
    for (const Share& share : shares_.of(w.domain, at(w.round))) {
      double& free_s = rank_free_s_[at(share.party)];
      const int node = s_.job.node_of(share.party);
      const double own_s = work_s(share, node) + (share.party == server(w.domain) ? 0 : message_s(node));
      free_s = processors_.work(std::max(free_s, from_s), own_s);
      busy_s_[at(share.party)] += own_s;
      all.push_back({free_s, &share});
    }
    std::sort(all.begin(), all.end(), [](const Letter& a, const Letter& b) { return a.ready_s < b.ready_s; });
    return all;
  }

  /// What an aggregator does with a letter, beside placing it. Its own pieces come without one.
  [[nodiscard]] double take_s(const Opened& w, const Share& share, bool with_data) const {
    if (share.party == server(w.domain)) return 0;
    const NodeCosts& n = s_.model.node;
    const int home = seat(w.domain).node;
    const bool kept = with_data && share.bytes <= n.eager_bytes;  // in the library: copied once more
    return message_s(home) +
           s_.slowdown(home) * (n.match_s * mail_[at(w.domain)].behind(at(w.round)) +
                                (kept ? static_cast<double>(share.bytes) / n.copy_bytes_per_s : 0));
  }

  /// When the aggregator has all letters.
  template <class Bytes>
  double receive(const Opened& w, const std::vector<Letter>& letters, Bytes&& bytes, bool with_data) {
    const int home = seat(w.domain).node;
    std::vector<Arrival> arrivals;
    std::int64_t received = 0;
    for (const Letter& letter : letters) {
      const Share& share = *letter.share;
      const int node = s_.job.node_of(share.party);
      const double at_s =
          node == home ? letter.ready_s : links_.send(s_.trip(node, home), bytes(share), letter.ready_s);
      received += share.party == server(w.domain) ? 0 : 1;
      arrivals.push_back({at_s, take_s(w, share, with_data) +
                                    (with_data ? handle_s(home, share)
                                               : s_.slowdown(home) * static_cast<double>(share.pieces) *
                                                     s_.model.node.describe_piece_s)});
    }
    out_.messages += received;
    out_.most_receives = std::max(out_.most_receives, received);
    if (w.round == 0) greet(w.domain);
    if (arrivals.empty()) return queue_.now_s();
    // Any source will do: no list of expected messages is searched, but those that wait for other windows
    // are.
    std::ranges::sort(arrivals, {}, &Arrival::at_s);
    double& free_s = server_free_s_[at(w.domain)];
    for (const Arrival& arrival : arrivals) {
      receiving_s_[at(w.domain)] += arrival.work_s;
      free_s = processors_.work(std::max(free_s, arrival.at_s), arrival.work_s);
    }
    return free_s;
  }

  /// Ranks whose pieces are in later windows have said so.
  void greet(int domain) {
    const double work_s = mail_[at(domain)].empty() * message_s(seat(domain).node);
    receiving_s_[at(domain)] += work_s;
    server_free_s_[at(domain)] = processors_.work(server_free_s_[at(domain)], work_s);
  }

  double access(const Opened& w, double ready_s) {
    if (shares_.of(w.domain, at(w.round)).empty()) return ready_s;
    double& free_s = storage_free_s_[at(w.domain)];
    const double begin_s = std::max(ready_s, free_s);
    const core::Extent window = call_.plan.domains.window(w.domain, shares_.rounds()[at(w.round)]);
    free_s = targets_.access(seat(w.domain).node, window, s_.reads, begin_s);
    if (s_.model.storage.in_processors())
      free_s = std::max(free_s, processors_.work(begin_s, free_s - begin_s));
    if (!s_.model.storage.asynchronous)
      server_free_s_[at(w.domain)] = std::max(server_free_s_[at(w.domain)], free_s);
    return free_s;
  }

  double write(const Opened& w) {
    const auto sent = letters(w, queue_.now_s(), [&](const Share& s, int node) { return handle_s(node, s); });
    const double all_s = receive(
        w, sent, [](const Share& s) { return header_bytes + s.pieces * piece_bytes + s.bytes; }, true);
    return access(w, all_s);
  }

  void read(const Opened& w) {
    const double begun_s = queue_.now_s(), there_s = access(w, begun_s);
    auto asked = letters(w, begun_s, [&](const Share& s, int node) {
      return s_.slowdown(node) * static_cast<double>(s.pieces) * s_.model.node.describe_piece_s;
    });
    const double asked_s =
        receive(w, asked, [](const Share& s) { return header_bytes + s.pieces * piece_bytes; }, false);
    answers_[{w.domain, w.round}] = {std::move(asked), 0, begun_s};
    queue_.push(std::max(there_s, asked_s), {w, true});
  }

  /// Some answers at a time, for those of other windows to go over the links between them.
  void answer(const Opened& w) {
    WindowAnswers& answers = answers_.at({w.domain, w.round});
    double& server_s = server_free_s_[at(w.domain)];
    server_s = std::max(server_s, queue_.now_s());
    const std::size_t end = std::min(answers.asked.size(), answers.next + answers_at_a_time);
    for (; answers.next < end; ++answers.next) answer(w, *answers.asked[answers.next].share, server_s);
    if (answers.next < answers.asked.size()) return queue_.push(server_s, {w, true});
    close(w, answers.begun_s, server_s);
    answers_.erase({w.domain, w.round});
  }

  void answer(const Opened& w, const Share& share, double& server_s) {
    const int home = seat(w.domain).node, node = s_.job.node_of(share.party);
    const bool own = share.party == server(w.domain);
    const double work_s = (own ? 0 : message_s(home)) + handle_s(home, share);
    server_s = processors_.work(server_s, work_s);
    receiving_s_[at(w.domain)] += work_s;
    const double at_s = node == home ? server_s : links_.send(s_.trip(home, node), share.bytes, server_s);
    double& rank_s = answered_s_[at(share.party)];
    if (!own) rank_s = processors_.work(std::max(rank_s, at_s), message_s(node) + handle_s(node, share));
    out_.seconds = std::max(out_.seconds, rank_s);
    out_.messages += own ? 0 : 1;
  }

  void close(const Opened& w, double begun_s, double done_s) {
    flights_.add(begun_s, done_s);
    out_.seconds = std::max(out_.seconds, done_s);
    ++out_.windows;
    open(w.domain, w.round + buffers_, done_s);
  }

  Outcome finish() {
    const policy::Domains& d = call_.plan.domains;
    require_served(out_.windows, d, shares_.rounds());
    out_.link = links_.busiest();
    out_.target = targets_.busiest(), out_.target_s = targets_.busy_s(out_.target);
    out_.receiver =
        static_cast<int>(std::max_element(receiving_s_.begin(), receiving_s_.end()) - receiving_s_.begin());
    out_.receiver_s = receiving_s_[at(out_.receiver)];
    out_.aggregators = d.count;
    out_.window_bytes = d.window_bytes;
    out_.rounds = d.most_rounds();
    out_.rounds_simulated = static_cast<std::int64_t>(shares_.rounds().size());
    out_.locks_moved = targets_.locks_moved();
    out_.most_windows = flights_.most(), out_.mean_windows = flights_.mean(out_.seconds);
    const std::int64_t each = buffers_ * d.window_bytes + policy::message_budget(d.window_bytes, s_.hints);
    const auto unexpected = [&](int domain) { return mail_[at(domain)].most_bytes(s_.model.node); };
    out_.unexpected_bytes = most_on_a_node(unexpected);
    out_.node_memory_bytes = most_on_a_node([&](int domain) { return each + unexpected(domain); });
    const double scale = out_.extend_counts();
    for (const WaitingMail& mail : mail_) out_.empty_messages += mail.empty();
    out_.messages += out_.empty_messages;
    out_.seconds *= scale;
    out_.phases = {{"pack and send", scale * *std::max_element(busy_s_.begin(), busy_s_.end())},
                   {"links", out_.link.time_s},
                   {s_.reads ? "answer" : "receive", out_.receiver_s},
                   {"storage", out_.target_s}};
    if (processors_.shared()) out_.phases.push_back({"shared cores", scale * processors_.busy_s()});
    return std::move(out_);
  }

  /// Of the node that has most.
  [[nodiscard]] std::int64_t most_on_a_node(const std::function<std::int64_t(int domain)>& bytes) const {
    std::vector<std::int64_t> on_node(at(s_.job.nodes()));
    for (int domain = 0; domain < domains(); ++domain) on_node[at(seat(domain).node)] += bytes(domain);
    return *std::ranges::max_element(on_node);
  }

  const CallSetting& s_;
  const PlannedCall& call_;
  int buffers_;
  Shares shares_;
  ProcessorClocks processors_;
  LinkClocks links_;
  TargetClocks targets_;
  // A rank sends, receives and serves at a time: it is late only for more of the same.
  /// of ranks as senders, and with answers
  std::vector<double> rank_free_s_, busy_s_, answered_s_;
  /// by domain; a rank serves and sends at a time
  std::vector<double> server_free_s_, storage_free_s_, receiving_s_;
  Queue<Event> queue_;
  std::map<std::pair<int, std::int64_t>, WindowAnswers> answers_;
  /// by domain
  std::vector<WaitingMail> mail_;
  Flights flights_;
  Outcome out_;
};

}  // namespace

Outcome run_two_phase(const CallSetting& setting, const PlannedCall& call) {
  return TwoPhaseRun(setting, call).go();
}

}  // namespace collio::simulate
