// See late_reduction.hpp.
#include "simulate/late_reduction.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace collio::simulate {

namespace {

constexpr double spread_s = 100e-6;

/// The instants at which a wait that begins at 0 sees what has come, once it naps.
class Polls {
 public:
  explicit Polls(const flow::WaitSoFar& wait) : wait_(wait), ends_s_{flow::naps_after_s(wait)} {
    wait_.polls = 1000;
  }

  /// The first one at `waited_s` or later. Before the first nap a wait polls all the time.
  double from(double waited_s) {
    if (waited_s <= ends_s_.front()) return waited_s;
    while (ends_s_.back() < waited_s) {
      wait_.waited_s = ends_s_.back();
      ends_s_.push_back(ends_s_.back() + flow::next_step(wait_).nap_s);
    }
    return *std::ranges::lower_bound(ends_s_, waited_s);
  }

 private:
  flow::WaitSoFar wait_;
  std::vector<double> ends_s_;
};

}  // namespace

double steps_s(const LateReduction& r) { return r.nodes > 1 ? r.step_s * std::ceil(std::log2(r.nodes)) : 0; }

double latency_s(const LateReduction& r) {
  const auto nodes = static_cast<std::size_t>(r.nodes);
  std::vector<double> begin_s(nodes), at_s(nodes);
  for (std::size_t node = 1; node < nodes; ++node)
    begin_s[node] = spread_s * std::fmod(static_cast<double>(node) * 0.6180339887, 1.0);
  begin_s[0] = r.late_s;
  at_s = begin_s;
  Polls polls(r.wait);
  for (std::size_t reach = 1; reach < nodes; reach <<= 1) {
    std::vector<double> next_s(nodes);
    for (std::size_t node = 0; node < nodes; ++node) {
      const double came_s = at_s[(node + nodes - reach) % nodes] + r.step_s;
      next_s[node] = came_s <= at_s[node] ? at_s[node] : begin_s[node] + polls.from(came_s - begin_s[node]);
    }
    at_s = std::move(next_s);
  }
  return *std::ranges::max_element(at_s) - r.late_s;
}

}  // namespace collio::simulate
