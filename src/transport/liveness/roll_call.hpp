// Finds and names missing ranks without their cooperation and without a collective operation.
//
// A collective call that a rank never reaches, or in which a rank dies, cannot be finished. A rank that has
// waited for longer than the file's patience reads the notes of its node (transport/liveness/presence.hpp);
// the lowest one that waits speaks for the node. Between nodes speakers send what they know to the first
// ranks of the first few nodes, which ask silent nodes. Every waiting rank answers. The lowest of the first
// ranks that is there reports for all, and again after twice the time. A node that neither sends nor answers
// is named with all its ranks. Without shared memory each rank counts as a node.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/index.hpp"
#include "core/shared.hpp"
#include "transport/liveness/presence.hpp"
#include "transport/liveness/roll_post.hpp"
#include "transport/waiting/waiting.hpp"

namespace collio::transport {

/// The ranks of a node: `first`, `first` + `stride`, … ; stride 0: not regular.
struct NodeRanks {
  int first = 0, count = 1, stride = 1;
  friend bool operator==(const NodeRanks&, const NodeRanks&) = default;
};

class RollCall final : public Lookout {
 public:
  /// Questions of a judge at a look, in which it serves no message of its call.
  static constexpr int most_questions_at_once = 256;
  struct Setting {
    /// of the file's ranks
    std::unique_ptr<RollPost> post;
    /// the file's name, for messages
    std::string file = {};
    /// 0: for ever; nothing is printed
    double patience_s = 60;
    /// of the node's ranks, in the order of the node; empty: no memory is shared
    std::span<Note> notes = {};
    /// this rank's, among the notes
    int place = 0;
    /// empty: each rank is a node
    core::SharedList<NodeRanks> nodes = {};
    /// this rank's
    int node = 0;
    /// collective calls on the file so far
    std::int64_t calls = 0;
  };
  /// Not collective.
  explicit RollCall(Setting setting);
  RollCall(const RollCall&) = delete;
  RollCall& operator=(const RollCall&) = delete;

  /// A collective call on the file, from construction to destruction. One at a time.
  class Visit {
   public:
    Visit(RollCall& roll, const std::string& call);
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    RollCall& roll_;
    Lookout* before_;
  };

  void come_to(Stage stage) noexcept { mine().stage.store(stage, std::memory_order_relaxed); }
  void come_to_round(std::int64_t round) noexcept { mine().round.store(round, std::memory_order_relaxed); }
  /// Number of the collective call this rank came to last.
  [[nodiscard]] std::int64_t call() const noexcept { return mine().call; }
  /// Where this rank's steps are shown to the others of its node.
  [[nodiscard]] observe::Shown& shown() noexcept { return mine().shown; }

  /// Before the communicator is freed: takes all messages out of it. Collective; all ranks must be known to
  /// come.
  void finish();

  void look(double now_s, double since_s) noexcept override;
  void moved() noexcept override;

 private:
  struct Header {
    RollKind kind = RollKind::state;
    /// of the sender
    std::int32_t node = 0;
    /// its rank
    std::int32_t speaker = 0;
    std::int32_t moving = 0;
    std::int64_t call = 0;
    /// 0: its patience lasts
    double waited_s = 0;
    char name[32] = "";
  };
  /// What is known of a node.
  struct Heard {
    Header header;
    std::vector<Absent> absent;
    double at_s = 0;
  };

  [[nodiscard]] Note& mine() const noexcept { return notes_[core::at(place_)]; }
  [[nodiscard]] std::span<Note> notes() const noexcept { return {notes_, count_}; }
  [[nodiscard]] int nodes() const noexcept {
    return set_.nodes.empty() ? set_.post->size : static_cast<int>(set_.nodes.size());
  }
  [[nodiscard]] NodeRanks ranks_of(int node) const noexcept {
    return set_.nodes.empty() ? NodeRanks{node, 1, 1} : set_.nodes[core::at(node)];
  }
  [[nodiscard]] int judges() const noexcept;
  [[nodiscard]] bool is_judge() const noexcept;
  [[nodiscard]] Heard own_state(double now_s, double waited_s) const;
  void send(RollKind kind, int to, const Heard& what);
  void listen(double now_s, double waited_s);
  void take(const RollPost::Letter& letter, double now_s, double waited_s);
  void hear(Heard&& h);
  void take_part(double now_s, double waited_s);
  void gather(double now_s, double waited_s);
  void ask(double now_s, double waited_s);
  [[nodiscard]] bool asks() const noexcept;
  void decide(double now_s, double waited_s);
  void tell_all(double now_s, double waited_s);
  void tell(const std::vector<Absent>& absent, const std::string& more, double waited_s);
  [[nodiscard]] std::string text_of_left(const std::vector<int>& left) const;
  [[nodiscard]] std::string text_of_silent(const std::vector<int>& silent) const;

  Setting set_;
  /// where no memory is shared
  Note own_note_{};
  Note* notes_;
  std::size_t count_;
  int place_;
  ShownAbove above_;
  /// of the wait's time this rank did not look: it was elsewhere
  double away_s_ = 0;
  double wait_since_s_ = 0, looked_s_ = 0, next_look_s_ = 0;
  /// how long to wait before the next message
  double due_s_;
  /// 0: nothing is gathered
  double decide_at_s_ = 0;
  double gathered_s_ = 0;
  /// questions that a judge has come to: to the first ranks of all nodes, then to their second ones, ...
  int asked_ = 0;
  /// another rank said when it told
  double told_at_s_ = -1e9;
  bool has_told_ = false;
  /// by node
  std::map<int, Heard> heard_;
};

}  // namespace collio::transport
