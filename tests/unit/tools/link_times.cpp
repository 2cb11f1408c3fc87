// The simulator's links alone. Reads messages, "FROM TO BYTES READY_S" a line, between nodes of a machine
// (--graph or --shape, as collio_simulate), and prints when each one has arrived, in the order of the lines.
// bench/compare_simgrid compares them with SimGrid's.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <numeric>

#include "planner/machines.hpp"
#include "simulate/clocks.hpp"

namespace collio {
namespace {

struct Message {
  machine::Trip trip;
  std::int64_t bytes = 0;
  double ready_s = 0;
};

[[nodiscard]] std::vector<Message> read_messages(const machine::Topology& topology) {
  std::vector<Message> messages;
  for (Message m; std::cin >> m.trip.from >> m.trip.to >> m.bytes >> m.ready_s;) {
    if (std::min(m.trip.from, m.trip.to) < 0 || std::max(m.trip.from, m.trip.to) >= topology.nodes())
      throw bench::UsageError("a message's node is not one of 0.." + std::to_string(topology.nodes() - 1));
    messages.push_back(m);
  }
  if (!std::cin.eof())
    throw bench::UsageError("line " + std::to_string(messages.size() + 1) + " is no message");
  return messages;
}

void run(bench::Options& options) {
  const planner::PlannedMachine machine = planner::planned_machine(options);
  options.check_all_taken();
  const std::vector<Message> messages = read_messages(machine.topology);
  std::vector<std::size_t> order(messages.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return messages[a].ready_s < messages[b].ready_s; });
  simulate::LinkClocks links(machine.topology);
  std::vector<double> arrival_s(messages.size());
  for (const std::size_t i : order)
    arrival_s[i] = links.send(messages[i].trip, messages[i].bytes, messages[i].ready_s);
  for (const double time_s : arrival_s) std::printf("%.12g\n", time_s);
}

}  // namespace
}  // namespace collio

int main(int argc, char** argv) {
  try {
    collio::bench::Options options(argc, argv);
    collio::run(options);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "collio_link_times: %s\n", error.what());
    return 2;
  }
}
