#include "plan/document.hpp"

#include <algorithm>

#include "json.hpp"
#include "plan/machines.hpp"

namespace collio::bench {
namespace {

[[nodiscard]] std::string link_text(const machine::BusiestLink& busiest, const machine::Topology& topology) {
  json::Object link;
  link.add("bytes", busiest.bytes).add("seconds", busiest.time_s);
  link.add("name", busiest.bytes > 0 ? hop_name(topology, busiest.hop) : std::string());
  return link.text();
}

}  // namespace

std::string row_text(const simulate::Row& row, const machine::Topology& topology) {
  const policy::PlacementMeasures& m = row.measures;
  const auto [least, most] = std::minmax_element(m.seat_bytes.begin(), m.seat_bytes.end());
  json::Object out;
  out.add("cut", std::string(name_of(row.cut))).add("who", std::string(simulate::name_of(row.who)));
  out.add("assignment", std::string(name_of(row.assignment))).add("auto", row.chosen);
  out.add("aggregators", row.aggregators).add("aggregator_nodes", row.aggregator_nodes).add("domains", row.domains);
  out.add("hop_bytes", m.hop_bytes).add_raw("busiest_link", link_text(m.busiest, topology));
  out.add("bytes_inside_nodes", m.bytes_inside_nodes);
  out.add("least_aggregator_bytes", *least).add("most_aggregator_bytes", *most).add("imbalance", m.imbalance);
  out.add("rounds", row.rounds);
  out.add("two_phase_messages", row.two_phase_messages).add("two_layer_messages", row.two_layer_messages);
  if (row.storage) {
    json::Object way;
    way.add("mean_cost_s", row.storage->mean_cost_s).add("most_cost_s", row.storage->most_cost_s);
    way.add_raw("busiest_link", link_text(row.storage->busiest, topology));
    out.add_raw("with_storage", way.text());
  }
  return out.add("plan_s", row.plan_s).text();
}

std::string rows_text(const std::vector<simulate::Row>& rows, const machine::Topology& topology) {
  std::string out;
  for (const simulate::Row& row : rows) out += (out.empty() ? "\n  " : ",\n  ") + row_text(row, topology);
  return "[" + out + "]";
}

}  // namespace collio::bench
