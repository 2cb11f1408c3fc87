// See first_mail.hpp.
#include "engine/two_layer/first_mail.hpp"

#include <algorithm>

#include "engine/moving/over_leaders.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::engine {

namespace {

using Numbers = std::vector<std::int64_t>;

void sum_up(const LeaderMessages& leaders, const NodeRange& nodes, Numbers& numbers) {
  combine_on_first(leaders, nodes, numbers, Combine::sums);
  numbers_of_first(leaders, nodes, numbers);
}

/// What goes out from this node, by domain. Where pieces of a group of nodes meet on the way, one message
/// goes on. `received`: by this node, of its group, for domains that it passes on. Collective among the
/// nodes' first ranks.
Numbers sent(CollectiveCall& call, const NodeTally& tally, Numbers& received) {
  const policy::Layers& layers = call.file.layers;
  const int here = call.file.place().seat.node, count = call.plan.domains.count;
  Numbers out(static_cast<std::size_t>(count), 0);
  for (int d = 0; d < count; ++d)
    if (call.link.home_of(d) != here) out[static_cast<std::size_t>(d)] = tally.teams(d);
  if (layers.nodes_per_group == 1) return out;
  const int group = layers.group_of(here), first = group * layers.nodes_per_group;
  received = out;
  sum_up(LeadersOf(call.ranks),
         {first, std::min(layers.nodes_per_group, static_cast<int>(layers.teams.size()) - first)}, received);
  for (int d = 0; d < count; ++d) {
    if (layers.group_of(call.link.home_of(d)) == group) continue;
    std::int64_t& mine = out[static_cast<std::size_t>(d)];
    std::int64_t& others = received[static_cast<std::size_t>(d)];
    const bool any = others > 0 && layers.relay(here, d) == here;
    others -= mine;
    mine = any ? 1 : 0;
  }
  return out;
}

}  // namespace

std::span<const int> first_mail(CollectiveCall& call, const NodeTally& tally, std::span<const int> domains) {
  policy::FirstMail& mail = *call.plan.mail;
  if (mail.counted) return mail.messages;
  observe::Steps::Scope time(call.steps, observe::Step::digest);
  const int here = call.file.place().seat.node, count = call.plan.domains.count;
  const bool leads = call.file.place().seat.local_rank == 0;
  Numbers received, all;
  if (leads) {
    all = sent(call, tally, received);
    const LeadersOf leaders(call.ranks);
    sum_up(leaders, all_nodes(leaders), all);
  }
  Numbers served;  // here, in the order of domains
  for (int d = 0; d < count; ++d)
    if (call.link.home_of(d) == here) served.push_back(leads ? all[static_cast<std::size_t>(d)] : 0);
  transport::broadcast(served.data(), static_cast<int>(served.size()), MPI_INT64_T, 0, call.ranks.node);
  auto next = served.begin();
  for (int d = 0; d < count; ++d) {
    const bool home = call.link.home_of(d) == here;
    if (std::ranges::binary_search(domains, d))
      mail.messages.push_back(static_cast<int>(home ? *next : received[static_cast<std::size_t>(d)]));
    if (home) ++next;
  }
  mail.counted = true;
  return mail.messages;
}

}  // namespace collio::engine
