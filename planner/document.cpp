#include "planner/document.hpp"

#include <algorithm>

#include "planner/machines.hpp"

namespace collio::planner {
namespace {

using bench::text_of;

[[nodiscard]] json json_of(const machine::BusiestLink& busiest, const machine::Topology& topology) {
  return {{"bytes", busiest.bytes},
          {"seconds", busiest.time_s},
          {"name", busiest.bytes > 0 ? hop_name(topology, busiest.hop) : std::string()}};
}

}  // namespace

json json_of(const simulate::Row& row, const machine::Topology& topology) {
  const policy::PlacementMeasures& m = row.measures;
  const auto [least, most] = std::minmax_element(m.seat_bytes.begin(), m.seat_bytes.end());
  json out{{"cut", name_of(row.cut)},
           {"who", policy::name_of(row.who)},
           {"assignment", name_of(row.assignment)},
           {"auto", row.chosen},
           {"aggregators", row.aggregators},
           {"aggregator_nodes", row.aggregator_nodes},
           {"domains", row.domains},
           {"hop_bytes", m.hop_bytes},
           {"busiest_link", json_of(m.busiest, topology)},
           {"bytes_inside_nodes", m.bytes_inside_nodes},
           {"least_aggregator_bytes", *least},
           {"most_aggregator_bytes", *most},
           {"imbalance", m.imbalance},
           {"rounds", row.rounds},
           {"two_phase_messages", row.two_phase_messages},
           {"two_layer_messages", row.two_layer_messages}};
  if (row.storage)
    out["with_storage"] = {{"mean_cost_s", row.storage->mean_cost_s},
                           {"most_cost_s", row.storage->most_cost_s},
                           {"busiest_link", json_of(row.storage->busiest, topology)}};
  out["plan_s"] = row.plan_s;
  return out;
}

std::string rows_text(const std::vector<simulate::Row>& rows, const machine::Topology& topology) {
  std::string out;
  for (const simulate::Row& row : rows)
    out += (out.empty() ? "\n  " : ",\n  ") + text_of(json_of(row, topology));
  return "[" + out + "]";
}

}  // namespace collio::planner
