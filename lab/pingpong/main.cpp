// collio_lab_pingpong: what a network between nodes does. `collio lab check` compares it with what it should
// do.
//
//   mpiexec ... collio_lab_pingpong --flows 0-1 --flows 0-1,1-0 --all-to-all 1MiB
//
// Each --flows is a round: its flows, from node to node, go at the same time; the rounds go one after
// another. Rank 0 prints JSON lines: the nodes' names, one line for each flow, one for the exchange of all
// with all.
#include <mpi.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <iostream>

#include "all_to_all.hpp"
#include "flow.hpp"
#include "json.hpp"
#include "latency.hpp"
#include "options.hpp"
#include "places.hpp"

namespace collio::pingpong {
namespace {

using bench::Options;
using bench::UsageError;

constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;
constexpr PingPong kSmall{.bytes = 8, .times = 101};

struct Job {
  std::vector<std::vector<Flow>> rounds;
  FlowShape shape;
  PingPong ping;
  std::int64_t all_to_all_bytes;
};

/// "0-1" -> the ranks that act for nodes 0 and 1. Throws UsageError.
[[nodiscard]] Flow parse_flow(const std::string& text, const std::vector<Place>& places) {
  std::size_t source = places.size(), destination = places.size();
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, source);
  const bool two = first.ec == std::errc{} && first.ptr != end && *first.ptr == '-';
  const auto second = two ? std::from_chars(first.ptr + 1, end, destination) : first;
  if (!two || second.ec != std::errc{} || second.ptr != end || source == destination ||
      std::max(source, destination) >= places.size())
    throw UsageError("--flows names '" + text + "'; allowed: two nodes as in 0-1, from 0 to " +
                     std::to_string(places.size() - 1));
  return {places[source].sender, places[destination].receiver};
}

[[nodiscard]] std::vector<Flow> parse_round(const std::string& text, const std::vector<Place>& places) {
  std::vector<Flow> flows;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    flows.push_back(parse_flow(text.substr(begin, end - begin), places));
    begin = end + 1;
  }
  return flows;
}

[[nodiscard]] Job read_job(int argc, char** argv, const std::vector<Place>& places) {
  Options options(argc, argv);
  Job job{};
  for (const std::string& text : options.all("flows")) job.rounds.push_back(parse_round(text, places));
  job.shape.message_bytes = options.number("bytes", 1 << 20, {8, kMostBytes});
  job.shape.in_flight = static_cast<int>(options.number("in-flight", 8, {1, 1024}));
  job.shape.seconds = static_cast<double>(options.number("milliseconds", 600, {1, 3'600'000})) / 1000;
  job.ping = {options.number("latency-bytes", kSmall.bytes, {0, kMostBytes}),
              static_cast<int>(options.number("latency-times", kSmall.times, {1, 1'000'000}))};
  job.all_to_all_bytes = options.number("all-to-all", 0, {0, kMostBytes});
  options.check_all_taken();
  return job;
}

void print(const bench::json::Object& line) {
  std::cout << line.text() << std::endl;  // a line at once: whoever reads may not wait for the end
}

void run_round(const Job& job, std::size_t round, bool tell) {
  const std::vector<Flow>& flows = job.rounds[round];
  std::vector<double> latencies;
  for (const Flow& flow : flows) latencies.push_back(latency_s(flow, job.ping));
  const std::vector<FlowResult> results = run_flows(flows, job.shape);
  for (std::size_t k = 0; k < flows.size() && tell; ++k) {
    bench::json::Object line;
    line.add("round", static_cast<std::int64_t>(round)).add("flow", static_cast<std::int64_t>(k));
    line.add("latency_s", latencies[k]).add("bytes", results[k].bytes).add("seconds", results[k].seconds);
    print(line.add("bytes_per_s", results[k].bytes / results[k].seconds));
  }
}

void run(int argc, char** argv) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::vector<Place> places = find_places();
  const Job job = read_job(argc, argv, places);
  std::vector<std::string> names;
  for (const Place& place : places) names.push_back(place.name);
  if (rank == 0) print(bench::json::Object().add("nodes", names));
  for (std::size_t round = 0; round < job.rounds.size(); ++round) run_round(job, round, rank == 0);
  if (job.all_to_all_bytes > 0) {
    const double seconds = all_to_all_s(places, job.all_to_all_bytes);
    if (rank == 0)
      print(bench::json::Object().add("all_to_all_bytes", job.all_to_all_bytes).add("seconds", seconds));
  }
}

}  // namespace
}  // namespace collio::pingpong

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    collio::pingpong::run(argc, argv);
  } catch (const collio::bench::UsageError& error) {  // the same on every rank
    if (rank == 0) std::cerr << "collio_lab_pingpong: " << error.what() << "\n";
    MPI_Finalize();
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "collio_lab_pingpong: rank " << rank << ": " << error.what() << "\n";
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
