// See window_order.hpp.
#include "flow/window_order.hpp"

#include <algorithm>

namespace collio::flow {

namespace {

/// Groups of a ring: one that fills, one that empties, and some for nodes that are ahead or behind.
constexpr int fewest_groups = 2, most_groups = 4;

/// How many domains with a lower number each domain's node serves.
std::vector<int> places_at_home(std::span<const int> homes) {
  std::vector<int> served(homes.empty() ? 0 : static_cast<std::size_t>(*std::ranges::max_element(homes)) + 1,
                          0);
  std::vector<int> places;
  places.reserve(homes.size());
  for (const int home : homes) places.push_back(served[static_cast<std::size_t>(home)]++);
  return places;
}

/// `step_slots`: transit slots that the windows of a step take, at most.
SlotGroups divide(const OrderRequest& r, int homes_of_a_step, int step_slots) {
  SlotGroups g;
  g.home_slots = homes_of_a_step;
  g.home_groups = std::clamp(r.slots / 4 / g.home_slots, fewest_groups, most_groups);
  const int left = r.slots - g.home_slots * g.home_groups;
  g.transit_slots = std::max(std::min(step_slots, left / fewest_groups), std::min(r.transit_slots, left));
  g.transit_groups = std::min(left / std::max(1, g.transit_slots), most_groups);
  return g;
}

}  // namespace

WindowOrder::WindowOrder(const OrderRequest& request)
    : request_(request), rounds_(request.domains.most_rounds()) {
  if (request.transit_slots > 0)
    order_by_steps();
  else
    groups_ = {std::max(1, request.slots / 2), 2, 0, 0};
}

void WindowOrder::order_by_steps() {
  const int domains = request_.domains.count;
  const std::span<const int> homes = request_.homes.first(static_cast<std::size_t>(domains));
  const std::vector<int> places = places_at_home(homes);
  const int most_at_home = places.empty() ? 1 : *std::ranges::max_element(places) + 1;
  const int homes_of_a_step = std::min(most_at_home, std::max(1, request_.slots / 4));
  int from = 0;  // the next node's first domain, where nodes serve them in order
  while (!request_.relays && from < domains && homes[static_cast<std::size_t>(from)] <= request_.node) ++from;
  int step_slots = 0;
  for (int step = 0; step * homes_of_a_step < most_at_home; ++step) {
    const auto in_step = [&](int domain) {
      return places[static_cast<std::size_t>(domain)] / homes_of_a_step == step;
    };
    int slots = 0;
    for (const bool home : {true, false}) {
      Part part{static_cast<int>(order_.size()), 0, home};
      for (int i = 0; i < domains; ++i) {
        const int domain = (from + i) % domains;
        if (!in_step(domain) || (homes[static_cast<std::size_t>(domain)] == request_.node) != home) continue;
        order_.push_back(domain);
        if (!home) slots += request_.slots_for(domain);
      }
      part.end = static_cast<int>(order_.size());
      if (part.begin < part.end) parts_.push_back(part);
    }
    step_slots = std::max(step_slots, slots);
  }
  groups_ = divide(request_, homes_of_a_step, step_slots);
}

bool WindowOrder::fill(Batch& batch, const Part& part) {
  const int most = part.home ? groups_.home_slots : groups_.transit_slots;
  batch.group = part.home ? static_cast<int>(home_batches_ % groups_.home_groups)
                          : groups_.home_groups + static_cast<int>(transit_batches_ % groups_.transit_groups);
  for (; at_ < part.end; ++at_) {
    const int domain = order_[static_cast<std::size_t>(at_)];
    if (request_.domains.window(domain, round_).length <= 0) continue;  // not all domains are of one length
    const int slots = part.home ? 1 : request_.slots_for(domain);
    if (batch.slots + slots > most) break;
    batch.windows.push_back({domain, round_, groups_.first_slot(batch.group) + batch.slots});
    batch.slots += slots;
  }
  if (!batch.windows.empty()) ++(part.home ? home_batches_ : transit_batches_);
  return !batch.windows.empty();
}

bool WindowOrder::next(Batch& batch) {
  batch.windows.clear();
  batch.slots = 0;
  if (parts_.empty()) return next_on_one_node(batch);
  while (round_ < rounds_) {
    const Part& part = parts_[part_];
    if (fill(batch, part)) return true;
    if (++part_ == parts_.size()) {
      part_ = 0;
      at_ = 0;
      ++round_;
    }
  }
  return false;
}

bool WindowOrder::next_on_one_node(Batch& batch) {
  const int domains = request_.domains.count;
  batch.group = static_cast<int>(home_batches_ % 2);
  for (; round_ < rounds_ && batch.slots < groups_.home_slots;
       at_ + 1 < domains ? ++at_ : (at_ = 0, ++round_)) {
    if (request_.domains.window(at_, round_).length <= 0) continue;
    batch.windows.push_back({at_, round_, groups_.first_slot(batch.group) + batch.slots++});
  }
  if (!batch.windows.empty()) ++home_batches_;
  return !batch.windows.empty();
}

}  // namespace collio::flow
