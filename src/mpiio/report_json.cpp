// See report_json.hpp.
#include "mpiio/report_json.hpp"

#include <array>
#include <cstdio>

#include "mpiio/json_text.hpp"

namespace collio::mpiio {

namespace {

std::string spread_json(const Spread& s) {
  return "{\"min\": " + text_of(s.min) + ", \"median\": " + text_of(s.median) + ", \"max\": " + text_of(s.max) + "}";
}

std::string whole(double count) {
  char out[32];
  std::snprintf(out, sizeof out, "%.0f", count);
  return out;
}

/// Who waited how long for calls the program did not block in.
std::string program_json(const CallSums& call) {
  constexpr std::array names{"post", "waited", "hidden"};
  static_assert(names.size() == CallSums::program_times);
  const observe::CallRecord& r = call.record;
  if (r.form == observe::Form::blocking) return "";
  std::string j = ", \"progress\": " + quoted(std::string(observe::name_of(r.progress))) + ", \"program_seconds\": {";
  for (std::size_t i = 0; i < names.size(); ++i) j += std::string(i > 0 ? ", " : "") + quoted(names[i]) + ": " + spread_json(call.program_s[i]);
  return j + "}";
}

std::string placement_json(const observe::Placement& p) {
  if (p.how.empty()) return "";
  return std::string(", \"placement\": {\"how\": ") + quoted(p.how) + ", \"reason\": " + quoted(p.reason) +
         ", \"hop_bytes\": " + std::to_string(p.hop_bytes) + ", \"hop_bytes_in_order\": " + std::to_string(p.hop_bytes_in_order) +
         ", \"bytes_inside_nodes\": " + std::to_string(p.bytes_inside_nodes) + ", \"busiest_seconds\": " + text_of(p.busiest_s) +
         ", \"busiest_seconds_in_order\": " + text_of(p.busiest_in_order_s) + ", \"imbalance\": " + text_of(p.imbalance) + "}";
}

std::string call_json(const CallSums& call) {
  const observe::CallRecord& r = call.record;
  const auto& n = call.counted;
  std::string j = "{\"operation\": " + quoted(r.operation) + ", \"form\": " + quoted(std::string(observe::name_of(r.form))) + program_json(call) + ", \"path\": " + quoted(r.path) +
                  ", \"reason\": " + quoted(r.reason) + ", \"repeats\": " + std::to_string(r.repeats) +
                  ", \"failed\": " + (r.error.empty() ? "false" : "true") + ", \"bytes\": " + whole(n[0]) +
                  ", \"pieces\": " + whole(n[1]) + ", \"file_span_bytes\": " + std::to_string(r.span_bytes) +
                  ", \"aggregators\": " + std::to_string(r.aggregators) + ", \"local_aggregators\": " + std::to_string(r.local_aggregators) +
                  ", \"rounds\": " + std::to_string(r.rounds) + ", \"remembered\": " + std::to_string(r.remembered) +
                  ", \"most_receives_per_round\": " + text_of(n[7]) + ", \"most_buffer_bytes\": " + text_of(n[8]) +
                  ", \"messages\": " + whole(n[2]) + ", \"metadata_bytes\": " + whole(n[3]) +
                  ", \"one_sided\": {\"transfers\": " + whole(n[9]) + ", \"bytes\": " + whole(n[10]) + "}" +
                  ", \"device\": {\"from_device\": " + whole(n[11]) + ", \"to_device\": " + whole(n[12]) + "}" +
                  ", \"windows\": {\"dense\": " + whole(n[4]) + ", \"piecewise\": " + whole(n[5]) +
                  ", \"sieved\": " + whole(n[6]) + "}" + placement_json(r.placement) + ", \"seconds\": {\"total\": " +
                  spread_json(call.seconds[observe::step_count]);
  for (std::size_t s = 0; s < observe::step_count; ++s)
    j += ", " + quoted(std::string(observe::step_names[s])) + ": " + spread_json(call.seconds[s]);
  return j + "}}";
}

/// Who made the calls on the file. `remarks`: what happened that was not asked for.
std::string storage_json(const engine::StorageUse& use, const std::string& remarks) {
  return "{\"kind\": " + quoted(use.kind) + ", \"reason\": " + quoted(use.reason) +
         ", \"overlaps\": " + (use.overlaps ? "true" : "false") + ", \"remarks\": " + quoted(remarks) + "}";
}

/// What the calls without data took.
std::string times_json(const std::array<Spread, 3>& times) {
  constexpr std::array names{"open", "open_by_library", "set_view"};
  std::string j = "{";
  for (std::size_t i = 0; i < names.size(); ++i) j += std::string(i > 0 ? ", " : "") + quoted(names[i]) + ": " + spread_json(times[i]);
  return j + "}";
}

}  // namespace

std::string about_json(const engine::File& file, const Remarks& remarks) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(version, &length);
  const std::string first_line = std::string(version).substr(0, std::string(version).find('\n'));
  const machine::Node& first = file.machine.nodes.front();
  std::string j = "\"comm_size\": " + std::to_string(file.size) +
                  ", \"nodes\": " + std::to_string(file.machine.nodes.size()) + ", \"first_node\": {\"cores\": " +
                  std::to_string(first.cores) + ", \"numas\": " + std::to_string(first.numas) +
                  ", \"nics\": " + std::to_string(first.nics) + "}, \"mpi\": " + quoted(first_line) +
                  ", \"storage\": " + quoted(file.machine.storage.name) +
                  ", \"storage_by\": " + storage_json(file.storage_use, remarks.storage) +
                  ", \"schedule_trials\": " + quoted(remarks.schedules) +
                  ", \"call_trials\": " + quoted(file.memory.call_trials_text()) +
                  // Between calls a file may have none: it borrows one.
                  (file.agreement ? ", \"agreement\": " + quoted(file.agreement->by_shared_memory() ? "shared memory" : "messages") : "") +
                  ", \"hints\": {";
  std::string comma;
  for (const auto& [key, value] : file.hints.in_force) {
    j += comma + quoted(key) + ": " + quoted(value);
    comma = ", ";
  }
  j += "}, \"warnings\": [";
  comma.clear();
  for (const auto* texts : {&file.warnings, &file.hints.found}) {
    for (const std::string& text : *texts) {
      j += comma + quoted(text);
      comma = ", ";
    }
  }
  return j + "]";
}

std::string line_of(const FileSums& sums, const LineHead& head) {
  return "{\"file\": " + quoted(sums.path) + ", \"id\": " + quoted(head.id) + ", \"files\": " + std::to_string(head.files) +
         ", \"still_open\": " + std::to_string(head.still_open) + (sums.about.empty() ? "" : ", " + sums.about) +
         ", \"independent_calls\": " + std::to_string(sums.independent_calls) + ", \"library_calls\": " + std::to_string(sums.library_calls) +
         ", \"calls\": " + json_list(sums.calls, call_json) + ", \"seconds\": " + times_json(sums.times) +
         (sums.network.empty() ? "" : ", \"network\": " + sums.network) + "}\n";
}

}  // namespace collio::mpiio
