// See window_order.hpp.
#include "flow/window_order.hpp"

#include <algorithm>

namespace collio::flow {

namespace {

/// Groups of a ring: one that fills, one that empties, and some for nodes that are ahead or behind.
constexpr int fewest_groups = 2, most_groups = SlotGroups::most_groups / 2;

/// How many domains with a lower number each domain's node serves.
std::vector<int> places_at_home(std::span<const int> homes) {
  std::vector<int> served(homes.empty() ? 0 : static_cast<std::size_t>(*std::ranges::max_element(homes)) + 1,
                          0);
  std::vector<int> places;
  places.reserve(homes.size());
  for (const int home : homes) places.push_back(served[static_cast<std::size_t>(home)]++);
  return places;
}

}  // namespace

WindowOrder::WindowOrder(const OrderRequest& request)
    : request_(request), rounds_(request.domains.most_rounds()) {
  if (request.several_nodes)
    order_by_steps();
  else
    groups_ = {std::max(1, request.slots / 2), 2, 0, 0};
}

void WindowOrder::order_by_steps() {
  const std::span<const int> homes = request_.homes.first(static_cast<std::size_t>(request_.domains.count));
  const std::vector<int> places = places_at_home(homes);
  const int most_at_home = places.empty() ? 1 : *std::ranges::max_element(places) + 1;
  const int room = std::max(1, request_.slots / request_.window_slots / 4);
  const int steps = (most_at_home + room - 1) / room;
  const int homes_of_a_step = (most_at_home + steps - 1) / steps;  // no step has few windows only
  for (int step = 0; step * homes_of_a_step < most_at_home; ++step) add_step(step, homes_of_a_step, places);
  groups_ = divide(homes_of_a_step, most_in_transit());
}

WindowOrder::Most WindowOrder::most_in_transit() const {
  Most most;
  for (std::int64_t round = 0; round < rounds_; ++round) {
    int at = 0;
    for (const int end : transit_.ends) {
      int step = 0;
      for (; at < end; ++at) {
        const int domain = transit_.order[static_cast<std::size_t>(at)];
        if (request_.domains.window(domain, round).length <= 0) continue;
        const int slots = request_.room_for(domain, round).slots;
        most.of_window = std::max(most.of_window, slots);
        step = std::min(step + slots, request_.slots);
      }
      most.of_step = std::max(most.of_step, step);
    }
  }
  return most;
}

SlotGroups WindowOrder::divide(int homes_of_a_step, const Most& transit) const {
  SlotGroups g;
  // A home group has room for all windows of a node in a step: else one of them gets its slots after others,
  // whose pieces may wait in transit behind pieces for it.
  g.home_slots = homes_of_a_step * request_.window_slots;
  g.home_groups = std::clamp(request_.slots / 2 / g.home_slots, fewest_groups, most_groups);
  const int left = request_.slots - g.home_slots * g.home_groups;
  // A transit group has room for the longest window, or that one would wait for slots forever.
  g.transit_slots =
      std::max({1, std::min(transit.of_step, left / fewest_groups), std::min(transit.of_window, left)});
  g.transit_groups = std::min(left / g.transit_slots, most_groups);
  return g;
}

void WindowOrder::add_step(int step, int windows_of_a_step, std::span<const int> places) {
  const auto domains = static_cast<int>(places.size());
  const auto home_of = [this](int domain) { return request_.homes[static_cast<std::size_t>(domain)]; };
  // With relays all nodes begin at domain 0: a piece also waits for slots of a third node, and in one order
  // the first window that is not over everywhere has them.
  int from = 0;  // the next node's first domain, where nodes serve them in order
  while (!request_.relays && from < domains && home_of(from) <= request_.node) ++from;
  for (int i = 0; i < domains; ++i) {
    const int domain = (from + i) % domains;
    if (places[static_cast<std::size_t>(domain)] / windows_of_a_step != step) continue;
    (home_of(domain) == request_.node ? home_ : transit_).order.push_back(domain);
  }
  for (Place* place : {&home_, &transit_}) place->ends.push_back(static_cast<int>(place->order.size()));
}

/// Takes windows of the place's step while there are slots. False: no window is left in it.
bool WindowOrder::fill(Course course, Place& place, Batch& batch) {
  const bool home = course == Course::home;
  const int most = home ? groups_.home_slots : groups_.transit_slots;
  batch.group = home ? static_cast<int>(place.batches % groups_.home_groups)
                     : groups_.home_groups + static_cast<int>(place.batches % groups_.transit_groups);
  batch.step =
      place.round * static_cast<std::int64_t>(place.ends.size()) + static_cast<std::int64_t>(place.step);
  for (; place.at < place.ends[place.step]; ++place.at) {
    const int domain = place.order[static_cast<std::size_t>(place.at)];
    if (request_.domains.window(domain, place.round).length <= 0)
      continue;  // not all domains are of one length
    const Room room = home ? Room{request_.window_slots, 1} : request_.room_for(domain, place.round);
    if (batch.slots + room.slots > most) break;  // never of the first window: see divide()
    if (room.slots > 0)
      batch.windows.push_back({domain, place.round, groups_.first_slot(batch.group) + batch.slots});
    batch.slots += room.slots;
    batch.parts += room.parts;
  }
  batch.number = place.batches;
  if (!batch.windows.empty()) ++place.batches;
  return !batch.windows.empty();
}

bool WindowOrder::next(Course course, Batch& batch) {
  batch.windows.clear();
  batch.slots = batch.parts = 0;
  if (!request_.several_nodes) return course == Course::home && next_on_one_node(batch);
  // Each course has a place of its own: neither waits for windows of the other.
  Place& place = course == Course::home ? home_ : transit_;
  while (place.round < rounds_) {
    if (fill(course, place, batch)) return true;
    if (++place.step < place.ends.size()) continue;
    place.step = 0;
    place.at = 0;
    ++place.round;
  }
  return false;
}

bool WindowOrder::next_on_one_node(Batch& batch) {
  const int domains = request_.domains.count;
  batch.group = static_cast<int>(home_.batches % 2);
  for (; home_.round < rounds_ && batch.slots < groups_.home_slots;
       home_.at + 1 < domains ? ++home_.at : (home_.at = 0, ++home_.round)) {
    if (request_.domains.window(home_.at, home_.round).length <= 0) continue;
    batch.windows.push_back({home_.at, home_.round, groups_.first_slot(batch.group) + batch.slots++});
  }
  batch.parts = batch.slots;
  if (!batch.windows.empty()) ++home_.batches;
  return !batch.windows.empty();
}

}  // namespace collio::flow
