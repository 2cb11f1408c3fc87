// See call_trials.hpp.
#include "policy/trials/call_trials.hpp"

#include <algorithm>

namespace collio::policy {

namespace {

/// of a usual call, is what the next trial of a way may lose
constexpr double least_lost = 0.1;
/// from one look at the usual time to the next
constexpr std::int64_t settled_calls = 32;
/// usual calls that a trial is taken to lose at most, until one was made; a way that would lose more is not
/// tried
constexpr double dearest = 3;

/// Who asks for aggregators or layers wants to see them at work.
bool aggregation_given(const Hints& hints) {
  return hints.aggregators > 0 || !hints.host_limits.empty() || hints.local_aggregators > 0 ||
         hints.local_aggregators_per_node > 0 || hints.nodes_per_group > 1;
}

double median_of(std::array<double, 5> values) {
  std::ranges::nth_element(values, values.begin() + 2);
  return values[2];
}

}  // namespace

std::string text_of(const Way& way) {
  std::string text(name_of(way.path));
  if (way.transfer != Transfer::two_sided) text += " with " + std::string(name_of(way.transfer));
  return text;
}

std::vector<OpenWay> choices_of(const Plan& plan, const Digest& digest, const machine::Machine& machine,
                                const Hints& hints) {
  std::vector<OpenWay> choices{{plan.way(), 0}};
  const Path asked = plan.direction == Direction::write ? hints.write_path : hints.read_path;
  // Each way has memory of its own.
  if (machine.ranks() == 1 || hints.memory_limit_bytes > 0 || digest.unordered > 0 ||
      plan.path == Path::native)
    return choices;
  const bool open = asked == Path::automatic && !aggregation_given(hints);
  for (const Path path : {Path::two_layer, Path::two_phase, Path::independent}) {
    if (!open || path == plan.path || (path == Path::independent && few_servers(machine, hints)))
      continue;  // others have not opened the file
    choices.push_back({{path, Transfer::two_sided}, plan.estimate_s(path) - plan.estimate_s(plan.path)});
  }
  const bool long_pieces = digest.bytes >= hints.transfer_piece_bytes * digest.pieces;
  if (plan.path == Path::two_phase && hints.transfer == Transfer::automatic && digest.on_fibers == 0 &&
      long_pieces)
    for (const Transfer transfer : {Transfer::lock, Transfer::fence})
      choices.push_back({{Path::two_phase, transfer}, 0});
  return choices;
}

CallTrials::CallTrials(std::vector<OpenWay> choices)
    : choices_(std::move(choices)), contest_(choices_.size(), settled_calls) {}

/// The first call of a candidate makes its memory and connections, and is not judged.
void CallTrials::begin_trial() noexcept {
  if (recent_ < recent_s_.size()) return;
  const double usual_s = contest_.usual().per_amount();
  while (contest_.has_candidate() &&
         choices_[contest_.candidate()].more_s - choices_[in_force()].more_s > dearest * usual_s)
    contest_.drop();
  const bool warm = warm_ == contest_.candidate();
  if (contest_.may_lose(warm ? lost_s_ : dearest * usual_s))
    phase_ = warm ? Phase::on_trial : Phase::warming_up;
}

void CallTrials::over(double seconds) noexcept {
  ++calls_;
  contest_.spend(seconds);
  if (phase_ == Phase::settled) {
    contest_.settled(1, seconds);
    recent_s_[recent_++ % recent_s_.size()] = seconds;
    begin_trial();
    return;
  }
  ++calls_tried_;
  Pace trial;
  trial.add(1, seconds);
  contest_.lose(trial);
  const double usual_s = contest_.usual().per_amount();
  lost_s_ = std::max({warm_ == contest_.candidate() ? lost_s_ : 0, seconds - usual_s, least_lost * usual_s});
  if (phase_ == Phase::warming_up)
    warm_ = contest_.candidate();
  else
    contest_.judge(seconds / median_of(recent_s_));
  phase_ = Phase::settled;
  recent_ = 0;
}

void CallTrials::refused() noexcept {
  contest_.drop();
  phase_ = Phase::settled;
}

std::string CallTrials::text() const {
  return contest_.text(text_of(way(0)), text_of(way(in_force())), {"calls", calls_tried_, calls_});
}

}  // namespace collio::policy
