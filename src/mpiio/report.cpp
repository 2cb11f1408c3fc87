// See report.hpp. Numbers of all ranks meet on rank 0, one record at a time: O(ranks) memory there, O(1) elsewhere.
#include "mpiio/report.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "exchange/collectives.hpp"
#include "mpiio/json_text.hpp"
#include "mpiio/network_report.hpp"

namespace collio::mpiio {

namespace {

/// What a rank contributes of one record, as doubles: seconds by step, total, counters, the program's seconds.
constexpr std::size_t counter_count = 11;
constexpr std::size_t first_program_time = observe::step_count + 1 + counter_count;
constexpr std::array program_times{"post", "waited", "hidden"};
constexpr std::size_t numbers = first_program_time + program_times.size();
using Numbers = std::array<double, numbers>;

Numbers numbers_of(const observe::CallRecord& r) {
  Numbers n{};
  for (std::size_t s = 0; s < observe::step_count; ++s) n[s] = r.steps.seconds(static_cast<observe::Step>(s));
  n[observe::step_count] = r.total_s;
  const observe::Counters& c = r.counters;
  const std::array<std::int64_t, counter_count> counters{c.bytes,         c.pieces,        c.messages,
                                                         c.metadata_bytes, c.dense_windows, c.piecewise_windows,
                                                         c.sieved_windows, c.most_receives, c.most_buffer_bytes, c.one_sided,    c.one_sided_bytes};
  for (std::size_t i = 0; i < counter_count; ++i) n[observe::step_count + 1 + i] = static_cast<double>(counters[i]);
  n[first_program_time] = r.post_s;
  n[first_program_time + 1] = r.waited_s;
  n[first_program_time + 2] = r.hidden_s;
  return n;
}

/// One number of every rank's.
template <class PerRank>
std::string spread_of(const std::vector<PerRank>& all, std::size_t column) {
  std::vector<double> values;
  values.reserve(all.size());
  for (const PerRank& n : all) values.push_back(n[column]);
  std::ranges::sort(values);
  return "{\"min\": " + text_of(values.front()) + ", \"median\": " + text_of(values[values.size() / 2]) +
         ", \"max\": " + text_of(values.back()) + "}";
}

std::string sum_of(const std::vector<Numbers>& all, std::size_t counter) {
  double sum = 0;
  for (const Numbers& n : all) sum += n[observe::step_count + 1 + counter];
  char out[32];
  std::snprintf(out, sizeof out, "%.0f", sum);
  return out;
}

std::string most_of(const std::vector<Numbers>& all, std::size_t counter) {
  double most = 0;
  for (const Numbers& n : all) most = std::max(most, n[observe::step_count + 1 + counter]);
  return text_of(most);
}

/// Who waited how long for calls the program did not block in.
std::string program_json(const observe::CallRecord& r, const std::vector<Numbers>& all) {
  if (r.form == "blocking") return "";
  std::string j = ", \"progress\": " + quoted(r.progress) + ", \"program_seconds\": {";
  for (std::size_t i = 0; i < program_times.size(); ++i)
    j += std::string(i > 0 ? ", " : "") + quoted(program_times[i]) + ": " + spread_of(all, first_program_time + i);
  return j + "}";
}

std::string placement_json(const observe::Placement& p) {
  if (p.how.empty()) return "";
  return std::string(", \"placement\": {\"how\": ") + quoted(p.how) + ", \"reason\": " + quoted(p.reason) +
         ", \"hop_bytes\": " + std::to_string(p.hop_bytes) + ", \"hop_bytes_in_order\": " + std::to_string(p.hop_bytes_in_order) +
         ", \"bytes_inside_nodes\": " + std::to_string(p.bytes_inside_nodes) + ", \"busiest_seconds\": " + text_of(p.busiest_s) +
         ", \"busiest_seconds_in_order\": " + text_of(p.busiest_in_order_s) + ", \"imbalance\": " + text_of(p.imbalance) + "}";
}

std::string call_json(const observe::CallRecord& r, const std::vector<Numbers>& all) {
  std::string j = "{\"operation\": " + quoted(r.operation) + ", \"form\": " + quoted(r.form) + program_json(r, all) + ", \"path\": " + quoted(r.path) +
                  ", \"reason\": " + quoted(r.reason) + ", \"repeats\": " + std::to_string(r.repeats) +
                  ", \"failed\": " + (r.error.empty() ? "false" : "true") + ", \"bytes\": " + sum_of(all, 0) +
                  ", \"pieces\": " + sum_of(all, 1) + ", \"file_span_bytes\": " + std::to_string(r.span_bytes) +
                  ", \"aggregators\": " + std::to_string(r.aggregators) + ", \"local_aggregators\": " + std::to_string(r.local_aggregators) +
                  ", \"rounds\": " + std::to_string(r.rounds) + ", \"remembered\": " + std::to_string(r.remembered) +
                  ", \"most_receives_per_round\": " + most_of(all, 7) + ", \"most_buffer_bytes\": " + most_of(all, 8) +
                  ", \"messages\": " + sum_of(all, 2) + ", \"metadata_bytes\": " + sum_of(all, 3) +
                  ", \"one_sided\": {\"transfers\": " + sum_of(all, 9) + ", \"bytes\": " + sum_of(all, 10) + "}" +
                  ", \"windows\": {\"dense\": " + sum_of(all, 4) + ", \"piecewise\": " + sum_of(all, 5) +
                  ", \"sieved\": " + sum_of(all, 6) + "}" + placement_json(r.placement) + ", \"seconds\": {\"total\": " +
                  spread_of(all, observe::step_count);
  for (std::size_t s = 0; s < observe::step_count; ++s)
    j += ", " + quoted(std::string(observe::step_names[s])) + ": " + spread_of(all, s);
  return j + "}}";
}

/// Who made the calls on the file. `remarks`: what happened that was not asked for.
std::string storage_json(const engine::StorageUse& use, const std::string& remarks) {
  return "{\"kind\": " + quoted(use.kind) + ", \"reason\": " + quoted(use.reason) +
         ", \"overlaps\": " + (use.overlaps ? "true" : "false") + ", \"remarks\": " + quoted(remarks) + "}";
}

/// What the ranks have to say together, on all of them.
struct Remarks {
  std::string storage, schedules;
};

std::string head_json(const engine::File& file, const Remarks& remarks) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(version, &length);
  const std::string first_line = std::string(version).substr(0, std::string(version).find('\n'));
  const machine::Node& first = file.machine.nodes.front();
  std::string j = "{\"file\": " + quoted(file.path) + ", \"comm_size\": " + std::to_string(file.size) +
                  ", \"nodes\": " + std::to_string(file.machine.nodes.size()) + ", \"first_node\": {\"cores\": " +
                  std::to_string(first.cores) + ", \"numas\": " + std::to_string(first.numas) +
                  ", \"nics\": " + std::to_string(first.nics) + "}, \"mpi\": " + quoted(first_line) +
                  ", \"storage\": " + quoted(file.machine.storage.name) +
                  ", \"storage_by\": " + storage_json(file.storage_use, remarks.storage) +
                  ", \"schedule_trials\": " + quoted(remarks.schedules) +
                  ", \"call_trials\": " + quoted(file.memory.call_trials_text()) +
                  ", \"agreement\": " + quoted(file.agreement->by_shared_memory() ? "shared memory" : "messages") + ", \"hints\": {";
  std::string comma;
  for (const auto& [key, value] : file.hints.in_force) {
    j += comma + quoted(key) + ": " + quoted(value);
    comma = ", ";
  }
  j += "}, \"warnings\": [";
  comma.clear();
  for (const auto* texts : {&file.hints.warnings, &file.hints.found}) {
    for (const std::string& text : *texts) {
      j += comma + quoted(text);
      comma = ", ";
    }
  }
  return j + "], \"calls\": [";
}

/// What the calls without data took. Collective; of use on rank 0.
std::string times_json(const engine::File& file) {
  constexpr std::array names{"open", "open_by_library", "set_view"};
  const std::array mine{file.times.open_s, file.times.open_by_library_s, file.times.set_view_s};
  std::vector<std::array<double, names.size()>> all(file.rank == 0 ? static_cast<std::size_t>(file.size) : 0);
  exchange::gather(mine.data(), sizeof mine, all.data(), file.comm);
  if (file.rank != 0) return "";
  std::string j = "{";
  for (std::size_t i = 0; i < names.size(); ++i) j += std::string(i > 0 ? ", " : "") + quoted(names[i]) + ": " + spread_of(all, i);
  return j + "}";
}

void append_line(const std::string& path, const std::string& line) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  const bool written = fd >= 0 && ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (!written) std::fprintf(stderr, "collio: the report cannot be written to %s\n", path.c_str());
  if (fd >= 0) ::close(fd);
}

}  // namespace

void write_report(engine::File& file) {
  const char* path = std::getenv("COLLIO_REPORT");
  int wanted = path && *path ? 1 : 0;
  exchange::broadcast(&wanted, 1, MPI_INT, 0, file.comm);
  if (!wanted) return;
  const Remarks remarks{file.storage_remarks(), file.schedule_remarks()};
  std::string line = file.rank == 0 ? head_json(file, remarks) : "";
  std::vector<Numbers> all(file.rank == 0 ? static_cast<std::size_t>(file.size) : 0);
  std::string comma;
  for (const observe::CallRecord& record : file.log.records()) {
    const Numbers mine = numbers_of(record);
    exchange::gather(mine.data(), sizeof mine, all.data(), file.comm);
    if (file.rank == 0) line += comma + call_json(record, all);
    comma = ", ";
  }
  const std::string times = times_json(file);
  const std::string network = network_json(file);
  if (file.rank == 0) append_line(path, line + "], \"seconds\": " + times + (network.empty() ? "" : ", \"network\": " + network) + "}\n");
}

}  // namespace collio::mpiio
