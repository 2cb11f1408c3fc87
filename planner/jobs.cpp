#include "planner/jobs.hpp"

#include "planner/accesses.hpp"

namespace collio::planner {
namespace {

[[nodiscard]] const AccessEntry& named_pattern(bench::Options& options) {
  const std::string name = options.required("pattern");
  std::string allowed;
  for (const AccessEntry& entry : access_table()) {
    if (name == entry.name) return entry;
    allowed += (allowed.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw bench::UsageError("--pattern is '" + name + "'; allowed: " + allowed);
}

}  // namespace

simulate::Job planned_job(bench::Options& options) {
  const auto ranks = static_cast<int>(options.number("ranks", 1, {1, 1 << 24}));
  simulate::Job job = named_pattern(options).make(options, ranks);
  job.ranks_per_node = static_cast<int>(options.number("ranks-per-node", 1, {1, 1 << 20}));
  if (job.span.length == 0) throw bench::UsageError("the pattern has no bytes");
  return job;
}

}  // namespace collio::planner
