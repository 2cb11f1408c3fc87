// See file_sums.hpp. Numbers of all ranks meet on rank 0, one record at a time: O(ranks) memory there, O(1) elsewhere.
#include "mpiio/file_sums.hpp"

#include <algorithm>
#include <string_view>

#include "mpiio/network_report.hpp"
#include "observe/path_pattern.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::mpiio {

namespace {

constexpr std::size_t most_records = observe::CallLog::most_records;

/// What a rank contributes of one record, as doubles: seconds by step, total, counters, the program's seconds.
constexpr std::size_t first_program_time = CallSums::times + CallSums::counters;
using Numbers = std::array<double, first_program_time + CallSums::program_times>;

/// These are the most of any rank; the others are sums over ranks.
constexpr bool is_most(std::size_t counter) { return counter == 7 || counter == 8; }

void add_counter(double& to, double more, std::size_t counter) { to = is_most(counter) ? std::max(to, more) : to + more; }

Numbers numbers_of(const observe::CallRecord& r) {
  Numbers n{};
  for (std::size_t s = 0; s < observe::step_count; ++s) n[s] = r.steps.seconds(static_cast<observe::Step>(s));
  n[observe::step_count] = r.total_s;
  const observe::Counters& c = r.counters;
  const std::array<std::int64_t, CallSums::counters> counters{c.bytes,         c.pieces,        c.messages,
                                                              c.metadata_bytes, c.dense_windows, c.piecewise_windows,
                                                              c.sieved_windows, c.most_receives, c.most_buffer_bytes, c.one_sided, c.one_sided_bytes,
                                                              c.from_device_bytes, c.to_device_bytes};
  for (std::size_t i = 0; i < counters.size(); ++i) n[CallSums::times + i] = static_cast<double>(counters[i]);
  n[first_program_time] = r.post_s;
  n[first_program_time + 1] = r.waited_s;
  n[first_program_time + 2] = r.hidden_s;
  return n;
}

/// One number of every rank's.
template <class PerRank>
Spread spread_of(const std::vector<PerRank>& all, std::size_t column) {
  std::vector<double> values;
  values.reserve(all.size());
  for (const PerRank& n : all) values.push_back(n[column]);
  std::ranges::sort(values);
  return {values.front(), values[values.size() / 2], values.back()};
}

CallSums sums_of(const observe::CallRecord& record, const std::vector<Numbers>& all) {
  CallSums sums{.record = record, .counted = {}, .seconds = {}, .program_s = {}};
  for (std::size_t i = 0; i < sums.seconds.size(); ++i) sums.seconds[i] = spread_of(all, i);
  for (std::size_t i = 0; i < sums.program_s.size(); ++i) sums.program_s[i] = spread_of(all, first_program_time + i);
  for (std::size_t i = 0; i < sums.counted.size(); ++i)
    for (const Numbers& n : all) add_counter(sums.counted[i], n[CallSums::times + i], i);
  return sums;
}

/// What the calls without data took, and the calls that collio has no record of: columns of a rank.
using Rest = std::array<double, 5>;

Rest rest_of(const engine::File& file) {
  const observe::FileTimes& t = file.times;
  return {t.open_s, t.open_by_library_s, t.set_view_s, static_cast<double>(t.independent_calls), static_cast<double>(t.library_calls)};
}

void put_rest(const std::vector<Rest>& all, FileSums& sums) {
  for (std::size_t i = 0; i < sums.times.size(); ++i) sums.times[i] = spread_of(all, i);
  for (const Rest& one : all) sums.independent_calls += static_cast<std::int64_t>(one[3]);
  sums.library_calls = static_cast<std::int64_t>(all.front()[4]);  // collective: every rank made them
}

FileSums named(const engine::File& file) {
  FileSums sums;
  sums.path = file.path;
  sums.kind = observe::path_pattern(file.path) + '\n' + std::to_string(file.size);
  for (const auto& [key, value] : file.hints.in_force) sums.kind += '\n' + key + '=' + value;
  return sums;
}

}  // namespace

void CallSums::add(const CallSums& other) {
  record.repeats += other.record.repeats;
  record.remembered += other.record.remembered;
  record.span_bytes += other.record.span_bytes;
  for (std::size_t i = 0; i < counters; ++i) add_counter(counted[i], other.counted[i], i);
  for (std::size_t i = 0; i < times; ++i) seconds[i].add(other.seconds[i]);
  for (std::size_t i = 0; i < program_times; ++i) program_s[i].add(other.program_s[i]);
}

void FileSums::add(const FileSums& other) {
  about = other.about;
  for (std::size_t i = 0; i < times.size(); ++i) times[i].add(other.times[i]);
  independent_calls += other.independent_calls;
  library_calls += other.library_calls;
  for (const CallSums& call : other.calls) {
    auto into = std::ranges::find_if(calls, [&](const CallSums& one) { return one.similar(call); });
    if (into == calls.end() && calls.size() >= most_records) {
      into = std::ranges::find_if(calls, [&](const CallSums& one) { return one.record.operation == call.record.operation; });
      if (into == calls.end()) into = calls.end() - 1;
      into->record.reason = "various: more calls than the report holds";
    }
    if (into == calls.end())
      calls.push_back(call);
    else
      into->add(call);
  }
}

FileSums sums_of_ranks(engine::File& file) {
  FileSums sums = named(file);
  std::vector<Numbers> all(file.rank == 0 ? static_cast<std::size_t>(file.size) : 0);
  for (const observe::CallRecord& record : file.log.records()) {
    const Numbers mine = numbers_of(record);
    transport::gather(mine.data(), sizeof mine, all.data(), file.comm);
    if (file.rank == 0) sums.calls.push_back(sums_of(record, all));
  }
  const Rest mine = rest_of(file);
  std::vector<Rest> rest(all.size());
  transport::gather(mine.data(), sizeof mine, rest.data(), file.comm);
  if (file.rank == 0) put_rest(rest, sums);
  sums.network = network_json(file);
  return sums;
}

FileSums sums_so_far(engine::File& file) {
  FileSums sums = named(file);
  for (const observe::CallRecord& record : file.log.snapshot()) {
    sums.calls.push_back(sums_of(record, {numbers_of(record)}));
    sums.calls.back().counted[0] = static_cast<double>(record.all_bytes);
    sums.calls.back().counted[1] = static_cast<double>(record.all_pieces);
  }
  put_rest({rest_of(file)}, sums);
  return sums;
}

}  // namespace collio::mpiio
