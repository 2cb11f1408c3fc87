// collio_lab_pingpong: what a network between nodes does. `collio lab check` compares it with what it should
// do, `collio topo --measure` finds out how it is made.
//
//   mpiexec ... collio_lab_pingpong --flows 0-1 --flows 0-1,1-0 --all-to-all 1MiB
//   mpiexec ... collio_lab_pingpong --ask           and requests on rank 0's standard input (requests.hpp)
//
// Each --flows is a round: its flows, from node to node, go at the same time; the rounds go one after
// another. Rank 0 prints JSON lines: the nodes' names, one line for each flow, one for the exchange of all
// with all.
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <iostream>

#include "all_to_all.hpp"
#include "flow.hpp"
#include "json.hpp"
#include "latency.hpp"
#include "options.hpp"
#include "places.hpp"
#include "requests.hpp"

namespace collio::pingpong {
namespace {

using bench::Options;
using bench::UsageError;

constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;
constexpr PingPong kSmall{.bytes = 8, .times = 101};

struct Job {
  std::vector<Round> rounds;
  Round usual;  // without flows: how those of --ask are measured
  bool ask;
  std::int64_t all_to_all_bytes;
};

[[nodiscard]] Job read_job(int argc, char** argv, const std::vector<Place>& places) {
  Options options(argc, argv);
  Job job{};
  Round& usual = job.usual;
  usual.shape.message_bytes = options.number("bytes", 1 << 20, {8, kMostBytes});
  usual.shape.in_flight = static_cast<int>(options.number("in-flight", 8, {1, 1024}));
  usual.shape.seconds = static_cast<double>(options.number("milliseconds", 600, {1, 3'600'000})) / 1000;
  usual.ping = {options.number("latency-bytes", kSmall.bytes, {0, kMostBytes}),
                static_cast<int>(options.number("latency-times", kSmall.times, {1, 1'000'000}))};
  for (const std::string& text : options.all("flows")) {
    Round round = usual;
    round.flows = parse_flows(text, places);
    job.rounds.push_back(std::move(round));
  }
  job.ask = options.flag("ask");
  job.all_to_all_bytes = options.number("all-to-all", 0, {0, kMostBytes});
  options.check_all_taken();
  return job;
}

void print(const bench::json& line) {
  std::cout << bench::text_of(line) << std::endl;  // a line at once: the reader may not wait for the end
}

void run_round(const Round& round, std::size_t number, bool tell) {
  std::vector<double> latencies;
  for (const Flow& flow : round.flows)
    if (round.pings()) latencies.push_back(latency_s(flow, round.ping));
  const auto results = round.flows_last() ? run_flows(round.flows, round.shape) : std::vector<FlowResult>{};
  for (std::size_t k = 0; k < round.flows.size() && tell; ++k) {
    bench::json line{{"round", number}, {"flow", k}};
    if (!latencies.empty()) line["latency_s"] = latencies[k];
    if (!results.empty()) {
      line["bytes"] = results[k].bytes;
      line["seconds"] = results[k].seconds;
      line["bytes_per_s"] = results[k].bytes / results[k].seconds;
    }
    print(line);
  }
}

void run(int argc, char** argv) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::vector<Place> places = find_places();
  const Job job = read_job(argc, argv, places);
  std::vector<std::string> names;
  for (const Place& place : places) names.push_back(place.name);
  if (rank == 0) print({{"nodes", names}});
  std::size_t number = 0;
  for (const Round& round : job.rounds) run_round(round, number++, rank == 0);
  while (job.ask) {
    const auto round = next_request(job.usual, places);
    if (!round) break;
    run_round(*round, number++, rank == 0);
  }
  if (job.all_to_all_bytes > 0) {
    const double seconds = all_to_all_s(places, job.all_to_all_bytes);
    if (rank == 0) print({{"all_to_all_bytes", job.all_to_all_bytes}, {"seconds", seconds}});
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
