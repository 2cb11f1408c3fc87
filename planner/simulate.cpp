// collio_simulate: one collective call on a modelled machine, in virtual time. Prints one JSON document with
// a row for each way to do it.
#include <chrono>
#include <fstream>
#include <future>
#include <iostream>
#include <iterator>

#include "planner/jobs.hpp"
#include "planner/machines.hpp"
#include "planner/model.hpp"
#include "planner/program.hpp"
#include "simulate/charges.hpp"
#include "simulate/published_run.hpp"
#include "simulate/two_layer_run.hpp"
#include "simulate/two_phase_run.hpp"

namespace collio::planner {
namespace {

using bench::json;
using bench::Options;
using bench::UsageError;
using policy::Path;
using simulate::CallSetting;
using simulate::Outcome;

constexpr int published_local_aggregators = 512;  // TAM's default

/// Whole calls; the last two are ROMIO's, the very last with local aggregators.
constexpr std::array ways{"two_layer", "two_phase", "romio", "tam"};

[[nodiscard]] simulate::Model model_of(Options& options) {
  const std::string file = options.text("model", "");
  if (file.empty()) return {};
  std::ifstream stream(file);
  if (!stream) throw UsageError("--model " + file + ": cannot be read");
  return read_model(std::string(std::istreambuf_iterator<char>(stream), {}));
}

[[nodiscard]] policy::Hints hints_of(Options& options) {
  std::vector<std::string> warnings;
  policy::Hints hints = policy::parse_hints(policy::split_hints(options.text("hints", ""), warnings));
  warnings.insert(warnings.end(), hints.warnings.begin(), hints.warnings.end());
  if (!warnings.empty()) throw UsageError("--hints: " + warnings.front());
  if (hints.nodes_per_group > 1) throw UsageError("--hints: collio_nodes_per_group is not simulated");
  return hints;
}

[[nodiscard]] std::vector<std::string> ways_of(Options& options) {
  std::vector<std::string> chosen = options.all("way");
  const std::string allowed = "two_layer, two_phase, romio, tam";
  for (const std::string& way : chosen)
    if (std::find(ways.begin(), ways.end(), way) == ways.end())
      throw UsageError("--way is '" + way + "'; allowed: " + allowed);
  return chosen.empty() ? std::vector<std::string>(ways.begin(), ways.end()) : chosen;
}

[[nodiscard]] json row_of(const Outcome& o, const machine::Topology& topology) {
  json phases;
  for (const simulate::Phase& phase : o.phases) phases[phase.name] = phase.seconds;
  return {{"seconds", o.seconds},
          {"phases", phases},
          {"aggregators", o.aggregators},
          {"local_aggregators", o.local_aggregators},
          {"window_bytes", o.window_bytes},
          {"rounds", o.rounds},
          {"rounds_simulated", o.rounds_simulated},
          {"messages", o.messages},
          {"empty_messages", o.empty_messages},
          {"unexpected_bytes", o.unexpected_bytes},
          {"most_receives", o.most_receives},
          {"windows_in_flight", {{"most", o.most_windows}, {"mean", o.mean_windows}}},
          {"node_memory_bytes", o.node_memory_bytes},
          {"busiest_link",
           {{"name", o.link.bytes > 0 ? hop_name(topology, o.link.hop) : std::string()},
            {"bytes", o.link.bytes},
            {"seconds", o.link.time_s}}},
          {"busiest_target", {{"number", o.target}, {"seconds", o.target_s}}},
          {"busiest_receiver", {{"domain", o.receiver}, {"seconds", o.receiver_s}}},
          {"locks_moved", o.locks_moved}};
}

/// Why a way is not available; empty: `outcome` is its.
[[nodiscard]] std::string run_way(const std::string& way, const CallSetting& s, const policy::Digest& digest,
                                  Outcome& outcome) {
  if (way == "romio") return outcome = simulate::run_published(s, digest, {s.hints.aggregators, 0}), "";
  if (way == "tam") {
    const int asked = s.hints.local_aggregators_per_node > 0
                          ? s.hints.local_aggregators_per_node * s.job.nodes()
                          : s.hints.local_aggregators;
    const int local = asked > 0 ? asked : published_local_aggregators;
    return outcome = simulate::run_published(s, digest, {s.hints.aggregators, local}), "";
  }
  const Path path = way == "two_layer" ? Path::two_layer : Path::two_phase;
  const simulate::PlannedCall call = simulate::plan_call(s, digest, path);
  if (call.plan.path != path) return policy::reason_text(call.plan);
  outcome = path == Path::two_layer ? simulate::run_two_layer(s, call) : simulate::run_two_phase(s, call);
  return "";
}

/// A row for each way. Ways know nothing of each other: two run at a time, as memory for more may be short.
[[nodiscard]] json run_ways(const std::vector<std::string>& chosen, const CallSetting& s,
                            const policy::Digest& digest) {
  const auto row = [&](const std::string& way) {
    Outcome outcome;
    const std::string why_not = run_way(way, s, digest, outcome);
    json one{{"way", way}};
    one.update(why_not.empty() ? row_of(outcome, s.topology) : json{{"left_out", why_not}});
    return one;
  };
  json rows = json::array();
  for (std::size_t i = 0; i < chosen.size(); i += 2) {
    std::future<json> second;
    if (i + 1 < chosen.size()) second = std::async(std::launch::async, row, chosen[i + 1]);
    rows.push_back(row(chosen[i]));
    if (second.valid()) rows.push_back(second.get());
  }
  return rows;
}

[[nodiscard]] json charged(const simulate::ChargedCall& call) {
  const auto row = [](const simulate::Charge& one) {
    return json{{"cause", one.cause},
                {"seconds", one.seconds},
                {"collectives", one.collectives},
                {"node_bytes", one.node_bytes}};
  };
  json out = row(call.sum());
  out["causes"] = json::array();
  for (const simulate::Charge& one : call.charges) out["causes"].push_back(row(one));
  return out;
}

/// Of the path that is chosen: what calls take beside the bytes; a digest's latency where a rank is late.
[[nodiscard]] json around_of(const CallSetting& s, const simulate::PlannedCall& call) {
  json calls, late = json::array();
  for (const simulate::ChargedCall& one : simulate::charged_calls(s, call)) calls[one.name] = charged(one);
  for (const double late_s : {1e-3, 5e-3, 20e-3, 100e-3, 1.})
    late.push_back({{"late_s", late_s}, {"seconds", simulate::digest_latency_s(s, late_s)}});
  return {{"calls", calls}, {"digests", late}};
}

int run(Options& options) {
  const PlannedMachine planned = planned_machine(options);
  const simulate::Job job = planned_job(options);
  const CallSetting setting{planned.topology,
                            job,
                            job_nodes(options, planned, job.nodes()),
                            model_of(options),
                            hints_of(options),
                            options.flag("read")};
  const std::vector<std::string> chosen = ways_of(options);
  options.check_all_taken();
  const auto begin = std::chrono::steady_clock::now();
  const policy::Digest digest = simulate::digest_of(job);
  const simulate::PlannedCall automatic = simulate::plan_call(setting, digest, Path::automatic);
  const json rows = run_ways(chosen, setting, digest);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const json document{
      {"program", "collio_simulate"},
      {"machine",
       {{"name", planned.name}, {"nodes", planned.topology.nodes()}, {"links", planned.topology.links()}}},
      {"job",
       {{"ranks", job.ranks},
        {"nodes", job.nodes()},
        {"bytes", digest.bytes},
        {"span_bytes", digest.span()},
        {"pieces", digest.pieces}}},
      {"model", json_of(setting.model)},
      {"parameters", options.in_force()},
      {"auto",
       {{"path", policy::name_of(automatic.plan.path)},
        {"reason", policy::reason_text(automatic.plan)},
        {"two_layer_s", automatic.plan.estimate_two_layer_s},
        {"two_phase_s", automatic.plan.estimate_two_phase_s}}},
      {"beside_the_bytes", around_of(setting, automatic)},
      {"ways", rows},
      {"took_s", took.count()}};
  std::cout << bench::text_of(document) << '\n';
  return 0;
}

}  // namespace
}  // namespace collio::planner

int main(int argc, char** argv) {
  return collio::planner::run_program("collio_simulate", argc, argv, collio::planner::run);
}
