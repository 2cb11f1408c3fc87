// See file_sums.hpp. Numbers of all ranks meet on rank 0, one record at a time: O(ranks) memory there, O(1)
// elsewhere. Which records these are, rank 0 says: ranks may lack one, for want of memory.
#include "engine/report/file_sums.hpp"

#include <algorithm>
#include <cstring>

#include "core/index.hpp"
#include "engine/report/network_report.hpp"
#include "engine/report/pictures_report.hpp"
#include "observe/path_pattern.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::engine {

namespace {

using observe::report::Spread;

constexpr std::size_t most_records = observe::CallLog::most_records;

/// What a rank contributes of one record.
struct OfRank {
  observe::Steps steps;
  double total_s = 0;
  double post_s = 0, waited_s = 0, hidden_s = 0;
  observe::Counters counters;
};

OfRank numbers_of(const observe::CallRecord& r) {
  return {r.steps, r.total_s, r.post_s, r.waited_s, r.hidden_s, r.counters};
}

/// One number of every rank's. `number`: a member, or a function of what a rank contributes.
template <class PerRank, class NumberOf>
Spread spread_of(const std::vector<PerRank>& all, NumberOf&& number) {
  std::vector<double> values;
  values.reserve(all.size());
  for (const PerRank& one : all) values.push_back(std::invoke(number, one));
  std::ranges::sort(values);
  return {values.front(), values[values.size() / 2], values.back()};
}

/// Adds up a record of spreads.
template <class Spreads>
void add_spreads(Spreads& into, const Spreads& more) {
  each_pair(into, more, [](Spread& to, const Spread& spread) {
    each_pair(to, spread, [](double& sum, double one) { sum += one; });
  });
}

double digest_s(const OfRank& one) { return one.steps.seconds(observe::Step::digest); }
double at_file_s(const OfRank& one) {
  return one.steps.seconds(observe::Step::read) + one.steps.seconds(observe::Step::write);
}

CallSums sums_of(const observe::CallRecord& record, const std::vector<OfRank>& all) {
  CallSums sums{.record = record, .counted = {}, .seconds = {}, .program = {}};
  for (std::size_t s = 0; s < observe::step_count; ++s)
    sums.seconds.*observe::report::step_spreads[s] =
        spread_of(all, [s](const OfRank& one) { return one.steps.seconds(static_cast<observe::Step>(s)); });
  sums.seconds.total = spread_of(all, &OfRank::total_s);
  sums.program = {spread_of(all, &OfRank::post_s), spread_of(all, &OfRank::waited_s),
                  spread_of(all, &OfRank::hidden_s)};
  for (const OfRank& one : all) sums.counted.add(one.counters);
  if (all.size() == 1) return sums;
  sums.last_rank = std::ranges::min_element(all, {}, digest_s) - all.begin();
  sums.slowest_rank = std::ranges::max_element(all, {}, at_file_s) - all.begin();
  return sums;
}

/// What a rank's calls without data took, and its calls that collio has no record of.
struct RestOfRank {
  double open_s, open_by_library_s, set_view_s;
  std::int64_t independent_calls, library_calls;
  observe::report::PnetcdfCounts pnetcdf;
};

RestOfRank rest_of(const File& file) {
  const observe::FileTimes& t = file.records.times;
  const auto pnetcdf = file.records.pnetcdf ? file.records.pnetcdf->counts : observe::report::PnetcdfCounts{};
  return {t.open_s, t.open_by_library_s, t.set_view_s, t.independent_calls, t.library_calls, pnetcdf};
}

void put_rest(const std::vector<RestOfRank>& all, observe::report::File& line) {
  line.seconds = {spread_of(all, &RestOfRank::open_s), spread_of(all, &RestOfRank::open_by_library_s),
                  spread_of(all, &RestOfRank::set_view_s)};
  for (const RestOfRank& one : all) line.independent_calls += one.independent_calls;
  line.library_calls = all.front().library_calls;  // collective: every rank made them
  if (!line.pnetcdf) return;
  line.pnetcdf->counts = {};
  for (const RestOfRank& one : all) observe::add_counts(line.pnetcdf->counts, one.pnetcdf);
}

/// This rank's counterparts of rank 0's records; null: it lacks one. Collective.
std::vector<const observe::CallRecord*> records_of_first(const Ranks& ranks) {
  const File& file = ranks.file;
  const std::vector<std::uint64_t> mine = file.records.log.keys();
  std::string text(reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(std::uint64_t));
  transport::broadcast_text(text, 0, ranks.comm);
  std::vector<std::uint64_t> keys(text.size() / sizeof(std::uint64_t));
  std::memcpy(keys.data(), text.data(), text.size());
  std::vector<const observe::CallRecord*> records;
  for (const std::uint64_t key : keys) {
    const auto found = std::ranges::find(mine, key);
    records.push_back(found == mine.end() ? nullptr
                                          : &file.records.log.records()[core::at(found - mine.begin())]);
  }
  return records;
}

FileSums named(const File& file) {
  FileSums sums;
  sums.line.file = file.path;
  sums.line.pnetcdf = file.records.pnetcdf;
  sums.kind = observe::path_pattern(file.path) + '\n' + std::to_string(file.size);
  for (const auto& [key, value] : file.records.in_force) sums.kind += '\n' + key + '=' + value;
  return sums;
}

}  // namespace

void CallSums::add(const CallSums& other) {
  const auto waited = [](const CallSums& s) { return s.seconds.digest.max - s.seconds.digest.min; };
  const auto at_file = [](const CallSums& s) { return s.seconds.read.max + s.seconds.write.max; };
  if (waited(other) > waited(*this)) last_rank = other.last_rank;
  if (at_file(other) > at_file(*this)) slowest_rank = other.slowest_rank;
  record.repeats += other.record.repeats;
  observe::add_counts(record.counts, other.record.counts);
  record.span_bytes += other.record.span_bytes;
  record.estimate_s += other.record.estimate_s;
  record.forecast_s += other.record.forecast_s;
  record.longest_s += other.record.longest_s;
  counted.add(other.counted);
  add_spreads(seconds, other.seconds);
  add_spreads(program, other.program);
}

void FileSums::add(const FileSums& other) {
  line.about = other.line.about;
  add_spreads(line.seconds, other.line.seconds);
  line.independent_calls += other.line.independent_calls;
  line.library_calls += other.line.library_calls;
  if (!line.pnetcdf) {
    line.pnetcdf = other.line.pnetcdf;
  } else if (other.line.pnetcdf) {
    observe::add_counts(line.pnetcdf->counts, other.line.pnetcdf->counts);
    line.pnetcdf->kept = other.line.pnetcdf->kept;
  }
  for (const CallSums& call : other.calls) {
    auto into = std::ranges::find_if(calls, [&](const CallSums& one) { return one.similar(call); });
    if (into == calls.end() && calls.size() >= most_records) {
      into = std::ranges::find_if(
          calls, [&](const CallSums& one) { return one.record.operation == call.record.operation; });
      if (into == calls.end()) into = calls.end() - 1;
      into->record.reason = "various: more calls than the report holds";
    }
    if (into == calls.end())
      calls.push_back(call);
    else
      into->add(call);
  }
}

FileSums sums_of_ranks(const Ranks& ranks, bool with_pictures) {
  const File& file = ranks.file;
  FileSums sums = named(file);
  std::vector<OfRank> all(file.rank == 0 ? static_cast<std::size_t>(file.size) : 0);
  for (const observe::CallRecord* record : records_of_first(ranks)) {
    const OfRank mine = record ? numbers_of(*record) : OfRank{};
    transport::gather(&mine, sizeof mine, all.data(), ranks.comm);
    if (file.rank == 0) sums.calls.push_back(sums_of(*record, all));
  }
  const RestOfRank mine = rest_of(file);
  std::vector<RestOfRank> rest(all.size());
  transport::gather(&mine, sizeof mine, rest.data(), ranks.comm);
  if (file.rank == 0) put_rest(rest, sums.line);
  sums.line.network = network_of(ranks);
  if (with_pictures) sums.line.pictures = pictures_of(ranks);
  return sums;
}

FileSums sums_so_far(File& file) {
  FileSums sums = named(file);
  for (const observe::CallRecord& record : file.records.log.snapshot()) {
    sums.calls.push_back(sums_of(record, {numbers_of(record)}));
    sums.calls.back().counted.bytes = record.all_bytes;
    sums.calls.back().counted.pieces = record.all_pieces;
  }
  put_rest({rest_of(file)}, sums.line);
  return sums;
}

}  // namespace collio::engine
