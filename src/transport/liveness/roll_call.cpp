// See roll_call.hpp.
#include "transport/liveness/roll_call.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

namespace collio::transport {

namespace {

constexpr int most_judges =
    8;  // first ranks of nodes that gather: one is enough, if it is not the one that is missing
constexpr int most_asked = 4;  // ranks of a silent node
constexpr double look_every_s = 0.05;
constexpr double away_after_s = 1.0;  // a rank that did not look for this long was not waiting

double grace_of(double patience_s) { return std::clamp(patience_s / 4, 0.2, 5.0); }

std::string tenths(double s) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", s);
  return text;
}

}  // namespace

RollCall::RollCall(Setting setting)
    : set_(std::move(setting)),
      notes_(set_.notes.empty() ? &own_note_ : set_.notes.data()),
      count_(std::max<std::size_t>(1, set_.notes.size())),
      place_(set_.notes.empty() ? 0 : set_.place),
      above_(mine().above),
      due_s_(set_.patience_s) {
  mine().call = set_.calls;  // the note may be another file's, from before
  mine().inside = false;
  mine().waits_since_s = 0;
  mine().rank = set_.post->rank;
  mine().process = ::getpid();
  mine().processes = process_space();
}

RollCall::Visit::Visit(RollCall& roll, const std::string& call)
    : roll_(roll), before_(set_lookout(roll.set_.patience_s > 0 ? &roll : nullptr)) {
  Note& note = roll.mine();
  note.name[call.copy(note.name, sizeof note.name - 1)] = 0;
  note.stage = Stage::arriving;
  note.round = 0;
  note.waits_since_s = 0;
  note.shown.alive_s = observe::now_s();
  note.inside = true;
  ++note.call;
}

RollCall::Visit::~Visit() {
  roll_.moved();
  roll_.mine().inside = false;
  set_lookout(before_);
}

int RollCall::judges() const noexcept { return std::min(nodes(), most_judges); }
bool RollCall::is_judge() const noexcept {
  return set_.node < judges() && ranks_of(set_.node).first == set_.post->rank;
}

RollCall::Heard RollCall::own_state(double now_s, double waited_s) const {
  const Presence p = look_at(notes(), {&mine(), now_s, set_.patience_s});
  Heard h;
  h.header.node = set_.node;
  h.header.speaker = set_.post->rank;
  h.header.moving = p.moving || waited_s < set_.patience_s / 2;
  h.header.call = mine().call;
  h.header.waited_s = waited_s;
  std::memcpy(h.header.name, mine().name, sizeof h.header.name);
  h.absent = p.absent;
  h.at_s = now_s;
  return h;
}

void RollCall::look(double now_s, double since_s) noexcept {
  if (since_s != wait_since_s_) wait_since_s_ = since_s, away_s_ = 0, looked_s_ = now_s;
  if (now_s - looked_s_ > away_after_s) away_s_ += now_s - looked_s_;
  looked_s_ = now_s;
  mine().shown.alive_s.store(now_s, std::memory_order_relaxed);
  mine().waits_since_s.store(since_s + away_s_, std::memory_order_relaxed);
  if (now_s < next_look_s_) return;
  next_look_s_ = now_s + look_every_s;
  try {
    take_part(now_s, now_s - since_s - away_s_);
  } catch (const std::bad_alloc&) {}  // tries again at the next look; the call itself may go on without it
}

void RollCall::take_part(double now_s, double waited_s) {
  if (nodes() > 1) listen(now_s, waited_s);
  if (decide_at_s_ > 0) {
    if (asks()) return ask(now_s, waited_s);
    if (now_s >= decide_at_s_) decide(now_s, waited_s);
  } else if (waited_s >= due_s_) {
    gather(now_s, waited_s);
  }
}

void RollCall::moved() noexcept {
  const double waited_s = wait_since_s_ > 0 ? observe::now_s() - wait_since_s_ - away_s_ : 0;
  if (has_told_) {
    std::fprintf(stderr, "collio: %s: %s (collective call %lld on this file) went on after %s\n",
                 set_.file.c_str(), mine().name, static_cast<long long>(mine().call.load()),
                 tenths(waited_s).c_str());
  }
  mine().waits_since_s.store(0, std::memory_order_relaxed);
  due_s_ = set_.patience_s;
  wait_since_s_ = decide_at_s_ = 0;
  has_told_ = false;
}

/// Patience has run out: tells the judges what is known here; a judge also asks the nodes that have told it
/// nothing.
void RollCall::gather(double now_s, double waited_s) {
  const Presence here = look_at(notes(), {&mine(), now_s, set_.patience_s});
  if (!here.lowest) return;
  gathered_s_ = now_s;
  if (nodes() == 1) return decide(now_s, waited_s);
  const Heard state_here = own_state(now_s, waited_s);
  for (int node = 0; node < judges(); ++node)
    if (ranks_of(node).first != set_.post->rank) send(RollKind::state, ranks_of(node).first, state_here);
  // Ranks that reach no judge report what they know themselves, so they wait for longer.
  decide_at_s_ = now_s + grace_of(set_.patience_s) * 4;
  asked_ = 0;
  if (is_judge()) ask(now_s, waited_s);
}

/// Whether a judge has questions left.
bool RollCall::asks() const noexcept { return is_judge() && asked_ < most_asked * nodes(); }

/// The next questions to nodes that have told nothing, a portion at a look. Those that are asked last have as
/// long to answer.
void RollCall::ask(double now_s, double waited_s) {
  const Heard here = own_state(now_s, waited_s);
  for (int count = 0; asks() && count < most_questions_at_once; ++asked_) {
    const int node = asked_ % nodes(), i = asked_ / nodes();
    const auto known = heard_.find(node);
    if (node == set_.node ||
        (known != heard_.end() && known->second.at_s > now_s - grace_of(set_.patience_s)))
      continue;
    const NodeRanks ranks = ranks_of(node);
    if (i >= std::min(ranks.count, ranks.stride > 0 ? most_asked : 1)) continue;
    send(RollKind::question, ranks.first + i * ranks.stride, here);
    ++count;
  }
  decide_at_s_ = now_s + grace_of(set_.patience_s);
}

void RollCall::decide(double now_s, double waited_s) {
  decide_at_s_ = 0;
  due_s_ = std::max(2 * due_s_, waited_s + set_.patience_s);
  if (told_at_s_ > now_s - set_.patience_s) return;
  if (is_judge()) {  // the lowest judge that is there tells
    for (const auto& [node, known] : heard_)
      if (node < set_.node && known.at_s >= gathered_s_ - grace_of(set_.patience_s) &&
          ranks_of(node).first == known.header.speaker && known.header.waited_s >= set_.patience_s)
        return;
  }
  tell_all(now_s, waited_s);
}

void RollCall::tell_all(double now_s, double waited_s) {
  const Heard here = own_state(now_s, waited_s);
  std::vector<Absent> absent = here.absent;
  bool moving = here.header.moving != 0;
  std::vector<int> silent;
  if (nodes() > 1 && is_judge()) {
    for (int node = 0; node < nodes(); ++node) {
      const auto found = heard_.find(node);
      if (node == set_.node) continue;
      if (found == heard_.end() || found->second.at_s < gathered_s_ - grace_of(set_.patience_s)) {
        silent.push_back(node);
        continue;
      }
      const Heard& there = found->second;
      absent.insert(absent.end(), there.absent.begin(), there.absent.end());
      moving = moving || there.header.moving != 0;
      const bool same = there.header.call == here.header.call &&
                        std::strncmp(there.header.name, here.header.name, sizeof here.header.name) == 0;
      if (there.header.call < here.header.call || (there.header.call == here.header.call && !same)) {
        Absent other{.rank = there.header.speaker, .why = Absent::elsewhere, .call = there.header.call};
        std::memcpy(other.name, there.header.name, sizeof other.name);
        absent.push_back(other);
      }
      send(RollKind::told, there.header.speaker, here);
    }
  }
  std::string unheard = text_of_silent(silent);
  if (absent.empty() && nodes() > 1 && !is_judge()) unheard = "no word from the first ranks of other nodes";
  if (absent.empty() && silent.empty() && moving) return;  // slow, but it goes on
  tell(absent, unheard, waited_s);
}

void RollCall::send(RollKind kind, int to, const Heard& what) {
  Header header = what.header;
  header.kind = kind;
  const std::size_t more = kind == RollKind::state ? what.absent.size() * sizeof(Absent) : 0;
  std::vector<std::byte> bytes(sizeof header + more);
  std::memcpy(bytes.data(), &header, sizeof header);
  if (more > 0) std::memcpy(bytes.data() + sizeof header, what.absent.data(), more);
  set_.post->send(kind, to, std::move(bytes));
}

/// Of a node's ranks its first counts: it may be the one that tells.
void RollCall::hear(Heard&& h) {
  const auto known = heard_.find(h.header.node);
  const int first = ranks_of(h.header.node).first;
  const bool from_first = known != heard_.end() && known->second.header.speaker == first &&
                          known->second.at_s > h.at_s - set_.patience_s / 2;
  if (h.header.speaker == first || !from_first) heard_[h.header.node] = std::move(h);
}

void RollCall::listen(double now_s, double waited_s) {
  for (const RollPost::Letter& letter : set_.post->receive()) try {
      take(letter, now_s, waited_s);
    } catch (const std::bad_alloc&) {  // its rank is asked again; the other messages are not lost
    }
}

void RollCall::take(const RollPost::Letter& letter, double now_s, double waited_s) {
  Heard h;
  std::memcpy(&h.header, letter.bytes.data(), sizeof h.header);
  h.absent.resize((letter.bytes.size() - sizeof h.header) / sizeof(Absent));
  if (!h.absent.empty())
    std::memcpy(h.absent.data(), letter.bytes.data() + sizeof h.header,
                letter.bytes.size() - sizeof h.header);
  h.at_s = now_s;
  switch (h.header.kind) {
    case RollKind::told:
      told_at_s_ = now_s;
      break;
    case RollKind::question:
      send(RollKind::state, letter.from, own_state(now_s, waited_s));
      break;
    case RollKind::state:
      hear(std::move(h));
      break;
  }
}

void RollCall::finish() {
  if (nodes() == 1) return;
  Lookout* const before = set_lookout(nullptr);
  set_.post->finish();
  set_lookout(before);
}

std::string RollCall::text_of_left(const std::vector<int>& left) const {
  std::vector<int> ranks = left;
  for (const auto& [node, known] : heard_)
    if (known.header.call > mine().call) ranks.push_back(known.header.speaker);
  if (ranks.empty()) return "no rank is missing; all wait";
  return (ranks.size() > 1 ? "ranks " : "rank ") + text_of_ranks(ranks) +
         " left the call before it was over here";
}

std::string RollCall::text_of_silent(const std::vector<int>& silent) const {
  std::vector<int> ranks;
  std::string irregular;
  for (const int node : silent) {
    const NodeRanks r = ranks_of(node);
    if (r.stride == 0)
      irregular +=
          ", the " + std::to_string(r.count) + " ranks of the node of rank " + std::to_string(r.first);
    for (int i = 0; i < r.count && r.stride > 0; ++i) ranks.push_back(r.first + i * r.stride);
  }
  if (ranks.empty() && irregular.empty()) return {};
  return "no word from " + (ranks.empty()
                                ? irregular.substr(2)
                                : (ranks.size() > 1 ? "ranks " : "rank ") + text_of_ranks(ranks) + irregular);
}

void RollCall::tell(const std::vector<Absent>& absent, const std::string& more, double waited_s) {
  const std::int64_t call = mine().call;
  std::string text = text_of(absent, call);
  if (!more.empty()) text += (text.empty() ? "" : "; ") + more;
  if (text.empty()) text = text_of_left(look_at(notes(), {&mine(), observe::now_s(), set_.patience_s}).left);
  std::fprintf(stderr,
               "collio: %s: %s (collective call %lld on this file) has waited for %s, %s: %s [rank %d]\n",
               set_.file.c_str(), mine().name, static_cast<long long>(call), tenths(waited_s).c_str(),
               text_of(mine().stage, mine().round).c_str(), text.c_str(), set_.post->rank);
  has_told_ = true;
}

}  // namespace collio::transport
