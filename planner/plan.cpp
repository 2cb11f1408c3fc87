// collio_plan: policies compared on a modelled machine, without MPI. Prints one JSON document.
//
// Three questions are varied one at a time: which aggregator serves which domain, which ranks aggregate, how
// the file is cut. --cut and
// --who fix the others. For the last two the assignment is the one that `auto` takes.
#include <iostream>

#include "planner/document.hpp"
#include "planner/jobs.hpp"
#include "planner/machines.hpp"
#include "planner/program.hpp"

namespace collio::planner {
namespace {

using bench::text_of;
using bench::UsageError;

using policy::Cut;
namespace words = policy::words;

constexpr std::int64_t largest = std::int64_t{1} << 40;
constexpr std::int64_t most_cyclic_units = 1 << 20;  // every rank's walk stops at the end of each

/// One of several policies by its name.
template <class Names>
[[nodiscard]] auto named(Options& options, const std::string& option, const Names& all) {
  std::vector<std::string> words;
  for (const auto& one : all) words.emplace_back(one.word);
  return *core::value_named(all, options.one_of(option, words));
}

/// The job's nodes as selections see them. Storage is a shared file system's: no more than one aggregator a
/// node unless asked for.
[[nodiscard]] machine::Machine nodes_of_job(Options& options, const simulate::Job& job) {
  machine::Machine machine;
  const auto numas = static_cast<int>(options.number("numas", 1, {1, 1024}));
  const auto nics = static_cast<int>(options.number("nics", 1, {1, 1024}));
  for (int node = 0; node < job.nodes(); ++node) {
    const int ranks = job.ranks_on(node);
    machine.nodes.edit().push_back({.name = "node" + std::to_string(node),
                                    .ranks = ranks,
                                    .cores = ranks,
                                    .numas = numas,
                                    .nics = nics});
  }
  machine.storage.aggregators_per_core = 0;
  return machine;
}

[[nodiscard]] simulate::Setting setting_of(Options& options, const PlannedMachine& planned,
                                           const simulate::Job& job) {
  simulate::Setting setting{planned.topology,           job, job_nodes(options, planned, job.nodes()), {},
                            nodes_of_job(options, job), {}};
  for (const int node : setting.nodes) setting.storage.push_back(planned.storage_of(node));
  setting.hints.aggregators = static_cast<int>(options.number("aggregators", 0, {0, job.ranks}));
  setting.unit_bytes = options.number("unit", setting.unit_bytes, {1, largest});
  setting.window_bytes = options.number("window", setting.window_bytes, {1, largest});
  setting.stripes = static_cast<int>(options.number("stripes", 0, {0, 1 << 20}));
  setting.reads = options.flag("read");
  if (const core::Error error = simulate::check_setting(setting); !error.ok())
    throw UsageError(error.message);
  return setting;
}

struct Base {
  Cut cut;
  policy::Who who;
};

/// Why a cut cannot be planned; empty when it can.
[[nodiscard]] std::string why_not(const simulate::Setting& setting, Cut cut) {
  if (cut != Cut::static_cyclic && cut != Cut::group_cyclic) return {};
  const std::string name(name_of(cut));
  if (cut == Cut::group_cyclic && setting.stripes == 0)
    return name + ": the file's stripes are not known; --stripes says how many";
  if (setting.job.span.length / setting.unit_bytes <= most_cyclic_units) return {};
  return name + ": the span has more than " + std::to_string(most_cyclic_units) + " units of --unit " +
         std::to_string(setting.unit_bytes) + " B";
}

[[nodiscard]] std::string compare_all(simulate::Comparer& comparer, const simulate::Setting& setting,
                                      const Base& base) {
  std::vector<simulate::Row> by_who, by_cut;
  std::vector<std::string> left_out;
  for (const auto& one : words::who) by_who.push_back(comparer.assignments(base.cut, one.value).chosen());
  for (const auto& [word, cut, stability] : words::cut) {
    if (!cut) continue;  // the engine's choice by a file's layout; there is no file here
    if (const std::string why = why_not(setting, *cut); !why.empty())
      left_out.push_back(why);
    else
      by_cut.push_back(comparer.assignments(*cut, base.who).chosen());
  }
  return ",\n \"who\": " + rows_text(by_who, setting.topology) +
         ",\n \"cuts\": " + rows_text(by_cut, setting.topology) + ",\n \"left_out\": " + text_of(left_out);
}

int run(Options& options) {
  const PlannedMachine planned = planned_machine(options);
  const simulate::Job job = planned_job(options);
  const simulate::Setting setting = setting_of(options, planned, job);
  const Base base{named(options, "cut", words::cut).value_or(Cut::even), named(options, "who", words::who)};
  if (const std::string why = why_not(setting, base.cut); !why.empty()) throw UsageError("--cut " + why);
  const bool only_assignments = options.flag("only-assignments");
  options.check_all_taken();

  simulate::Comparer comparer(setting);
  const simulate::Comparison here = comparer.assignments(base.cut, base.who);
  const json machine{
      {"name", planned.name}, {"nodes", planned.topology.nodes()}, {"links", planned.topology.links()}};
  const json chosen{{"assignment", name_of(here.chosen().assignment)}, {"reason", here.reason}};
  const json job_numbers{{"ranks", job.ranks},
                         {"nodes", job.nodes()},
                         {"span_bytes", job.span.length},
                         {"bytes", here.rows[0].measures.bytes}};
  std::cout << "{\"program\": \"collio_plan\",\n \"machine\": " << text_of(machine)
            << ",\n \"job\": " << text_of(job_numbers)
            << ",\n \"parameters\": " << text_of(options.in_force()) << ",\n \"auto\": " << text_of(chosen)
            << ",\n \"count_s\": " << text_of(here.count_s)
            << ",\n \"assignments\": " << rows_text(here.rows, setting.topology)
            << (only_assignments ? "" : compare_all(comparer, setting, base)) << "}\n";
  return 0;
}

}  // namespace
}  // namespace collio::planner

int main(int argc, char** argv) {
  return collio::planner::run_program("collio_plan", argc, argv, collio::planner::run);
}
