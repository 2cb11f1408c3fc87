// collio_probe: measures storage targets and chooses among them, without MPI. Prints one JSON document.
//
// --target FOLDER, once for each. Exit status: 0 all targets can be used; 1 some cannot; 2 wrong options.
#include <iostream>

#include "json.hpp"
#include "planner/program.hpp"
#include "storage/probe/choose.hpp"

namespace collio::planner {
namespace {

using bench::json;
using bench::UsageError;
namespace probe = storage::probe;

constexpr std::int64_t largest = std::int64_t{1} << 60;

/// A number with a fraction; allowed are those from `least` up to `most`.
struct Range {
  double least, most;
};
double real(bench::Options& options, const std::string& name, double otherwise, const Range& allowed) {
  const std::string text = options.text(name, "");
  if (text.empty()) return otherwise;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != '\0' || !(value >= allowed.least && value <= allowed.most)) {
    char range[80];
    std::snprintf(range, sizeof range, "; allowed: %g to %g", allowed.least, allowed.most);
    throw UsageError("--" + name + " is '" + text + "'" + range);
  }
  return value;
}

std::vector<probe::Target> targets_of(bench::Options& options) {
  std::vector<probe::Target> targets;
  for (const std::string& folder : options.all("target")) {
    if (folder.empty()) throw UsageError("--target is ''; allowed: a folder");
    targets.push_back({folder, folder, {}});
  }
  if (targets.empty()) throw UsageError("--target is missing");
  return targets;
}

probe::Options options_of(bench::Options& options) {
  probe::Options given;
  probe::Amount& amount = given.amount;
  amount.bytes_per_target = options.number("bytes", amount.bytes_per_target, {64 << 10, largest});
  amount.samples = static_cast<int>(options.number("samples", amount.samples, {1, 1000}));
  amount.at_once = static_cast<int>(options.number("at-once", amount.at_once, {1, 1000}));
  amount.expected_bytes = options.number("expected", 0, {0, largest});
  given.limits.patience_s = real(options, "patience", given.limits.patience_s, {0.01, 3600});
  given.limits.most_s = real(options, "most", given.limits.most_s, {0.1, 86400});
  given.limits.direct = !options.flag("buffered");
  given.most_loss = real(options, "threshold", given.most_loss, {0, 0.99});
  given.most_age_s = real(options, "age", given.most_age_s, {0, 86400});
  given.caches = !options.flag("no-cache");
  return given;
}

/// What is said of a target.
std::string verdict_of(const probe::Measurement& measured, policy::TargetVerdict verdict) {
  if (measured.state == probe::State::measured) return std::string(policy::word_of(verdict));
  return std::string(probe::word_of(measured.state));
}

json json_of(const probe::Target& target, const probe::Measurement& measured, policy::TargetVerdict verdict) {
  json row{{"target", target.name}, {"verdict", verdict_of(measured, verdict)}};
  if (!measured.samples.empty()) {
    row["bytes_per_s"] = measured.bytes_per_s;
    row["spread_bytes_per_s"] = measured.spread_bytes_per_s;
    row["samples_bytes_per_s"] = measured.samples;
    row["way"] = probe::word_of(measured.way);
    row["ended_early"] = measured.ended_early;
  }
  row["bytes"] = measured.bytes;
  if (measured.cached) row["age_s"] = measured.age_s;
  if (!measured.no_direct.empty()) row["no_direct"] = measured.no_direct;
  if (!measured.error.ok()) row["error"] = measured.error.message;
  return row;
}

json document_of(const std::vector<probe::Target>& targets, const probe::Choice& choice) {
  json rows = json::array(), together = json::array();
  for (std::size_t i = 0; i < targets.size(); ++i)
    rows.push_back(json_of(targets[i], choice.measurements[i], choice.decision.verdicts[i]));
  for (std::size_t i = 0; i < choice.decision.order.size(); ++i)
    together.push_back({{"with", targets[static_cast<std::size_t>(choice.decision.order[i])].name},
                        {"bytes_per_s", choice.decision.together[i]}});
  json chosen = json::array();
  for (const int target : choice.chosen) chosen.push_back(targets[static_cast<std::size_t>(target)].name);
  return {{"targets", rows},
          {"together", together},
          {"chosen", chosen},
          {"why", choice.why},
          {"remarks", choice.remarks},
          {"seconds", choice.seconds},
          {"bytes_written", choice.bytes},
          {"sample_bytes", choice.sample_bytes}};
}

int run(bench::Options& options) {
  const auto targets = targets_of(options);
  const auto given = options_of(options);
  options.check_all_taken();
  const probe::Choice choice = probe::choose(targets, given);
  std::cout << bench::text_of(document_of(targets, choice)) << std::endl;
  for (const auto& measured : choice.measurements)
    if (!measured.error.ok()) return 1;
  return 0;
}

}  // namespace
}  // namespace collio::planner

int main(int argc, char** argv) {
  return collio::planner::run_program("collio_probe", argc, argv, collio::planner::run);
}
