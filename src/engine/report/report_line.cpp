// See report_line.hpp.
#include "engine/report/report_line.hpp"

#include "observe/report_text.hpp"

namespace collio::engine {

namespace {

namespace report = observe::report;

/// Of the MPI library's own words the first line.
std::string library_version() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(version, &length);
  return std::string(version).substr(0, std::string(version).find('\n'));
}

report::Call call_of(const CallSums& sums) {
  const observe::CallRecord& r = sums.record;
  report::Call call{.operation = r.operation,
                    .form = std::string(name_of(r.form)),
                    .path = r.path,
                    .reason = r.reason,
                    .repeats = r.repeats,
                    .failed = !r.error.empty(),
                    .file_span_bytes = r.span_bytes,
                    .aggregators = r.aggregators,
                    .local_aggregators = r.local_aggregators,
                    .rounds = r.rounds,
                    .counts = r.counts,
                    .estimated_seconds = r.estimate_s,
                    .forecast_seconds = r.forecast_s,
                    .agreed_seconds = r.longest_s,
                    .last_rank = sums.last_rank,
                    .slowest_rank = sums.slowest_rank,
                    .counters = sums.counted,
                    .placement = r.placement,
                    .seconds = sums.seconds};
  if (r.form != observe::Form::blocking) {
    call.progress = name_of(r.progress);
    call.program_seconds = sums.program;
  }
  return call;
}

report::Layout layout_of(const File& file) {
  const machine::Layout& layout = file.machine.storage.layout;
  return {layout.unit_bytes,
          layout.count,
          {layout.targets.begin(), layout.targets.end()},
          layout.source,
          file.records.new_layout.outcome};
}

constexpr std::int64_t most_listed = 64;

report::Subfiles subfiles_of(const SubfileUse& use) {
  const storage::SubfileSet set = settled_set(use);
  const storage::Manifest& m = set.manifest();
  report::Subfiles said{.count = m.layout.count,
                        .unit_bytes = m.layout.unit_bytes,
                        .folders = m.folders,
                        .redealt = use.watch ? use.watch->said : std::vector<std::string>(),
                        .joined = use.joined,
                        .joining = use.joining,
                        .joined_by_kernel = use.tally.by_kernel,
                        .joined_through_memory = use.tally.through_memory};
  if (m.layout.count > most_listed || use.set.has_arrays()) return said;
  const auto share = m.layout.shares(use.noted_bytes);
  said.bytes.emplace();
  for (std::int64_t i = 0; i < m.layout.count; ++i) said.bytes->push_back(share(i));
  return said;
}

}  // namespace

report::About about(const File& file, const Remarks& remarks) {
  const machine::Node& first = file.machine.nodes.front();
  const StorageUse& use = file.stored.use;
  report::About about{.comm_size = file.size,
                      .nodes = static_cast<std::int64_t>(file.machine.nodes.size()),
                      .first_node = {first.cores, first.numas, first.nics},
                      .mpi = library_version(),
                      .storage = file.machine.storage.name,
                      .layout = layout_of(file),
                      .storage_by = {use.kind, use.reason, use.overlaps, remarks.storage},
                      .probe = file.records.probe ? file.records.probe : file.records.new_layout.probe,
                      .schedule_trials = remarks.schedules,
                      .call_trials = file.plans.memory.call_trials_text(),
                      .hints = file.records.in_force,
                      .warnings = file.records.warnings};
  about.agreement = file.agrees_by();
  if (file.stored.subfiles) about.subfiles = subfiles_of(*file.stored.subfiles);
  about.warnings.insert(about.warnings.end(), file.records.found_by_check.begin(),
                        file.records.found_by_check.end());
  return about;
}

std::string line_of(const FileSums& sums, const LineHead& head) {
  report::File line = sums.line;
  line.id = head.id;
  line.files = head.files;
  line.still_open = head.still_open;
  for (const CallSums& call : sums.calls) line.calls.push_back(call_of(call));
  return text_of(line) + '\n';
}

}  // namespace collio::engine
