// See pictures_report.hpp. Ranks agree on the lengths of parts, put their numbers into their rows of one
// table, and add these up: two reductions and a prefix sum.
#include "engine/report/pictures_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <new>

#include "access/reserve.hpp"
#include "core/index.hpp"
#include "engine/file/file.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::engine {

namespace {

namespace report = observe::report;
using observe::Buckets;
using observe::CallLanes;
using observe::Lane;
using observe::Pictures;

constexpr std::int64_t most_rows = 64, most_lines = 16;
/// of the largest cell, in units of cell_bytes
constexpr std::int64_t largest_cell = 4096;

/// Of a rank that moved bytes in the last call; times in microseconds.
struct Line {
  std::int64_t rank = 0;
  std::array<std::int64_t, CallLanes::count_> spans{};
  std::array<std::array<std::int64_t, 2 * Lane::most>, CallLanes::count_> lanes{};
};
using Rows = std::array<Buckets::Values, most_rows>;
/// What is added up over ranks: nothing but std::int64_t.
struct Sums {
  Rows asked{}, accessed{}, in_calls{};
  std::array<std::int64_t, Pictures::most_targets> target_bytes{}, target_ns{};
  std::array<Line, most_lines> lines{};
};
constexpr int numbers = sizeof(Sums) / sizeof(std::int64_t);

/// The most of all ranks.
struct Agreed {
  /// of a part
  std::int64_t bytes = 0, ns = 0;
  /// of the file: a rank without a handle knows none
  std::int64_t targets = 0;
  /// a rank has no memory for its table
  std::int64_t lack = 0;
};

Agreed agreed_by(const Ranks& ranks, const Pictures::Noted& mine, bool lacks) {
  Agreed agreed{std::max(mine.asked.width(), mine.accessed.width()), mine.in_calls.width(),
                mine.targets.count, lacks ? 1 : 0};
  transport::reduce_to_all(&agreed, sizeof agreed / sizeof(std::int64_t), MPI_INT64_T, MPI_MAX, ranks.comm);
  return agreed;
}

void put_line(const Pictures::Noted& mine, int rank, Line& line) {
  line.rank = rank;
  for (std::size_t which = 0; which < CallLanes::count_; ++which) {
    const Lane& lane = mine.last.lanes[which];
    line.spans[which] = static_cast<std::int64_t>(lane.size());
    for (std::size_t i = 0; i < lane.size(); ++i) {
      line.lanes[which][2 * i] = static_cast<std::int64_t>(1e6 * (lane[i].begin_s - mine.last_s));
      line.lanes[which][2 * i + 1] = static_cast<std::int64_t>(1e6 * (lane[i].end_s - lane[i].begin_s));
    }
  }
}

void put(Buckets buckets, std::int64_t width, Buckets::Values& row) {
  buckets.widen(width);
  row = buckets.values();
}

report::Counts without_zeros(report::Counts row) {
  while (!row.empty() && row.back() == 0) row.pop_back();
  return row;
}

/// Each cell as a number of units, rounded up. `unit`: of a row.
template <class Unit>
report::List<report::Counts> table(const Rows& rows, std::int64_t used, Unit&& unit) {
  report::List<report::Counts> table;
  for (std::int64_t r = 0; r < used; ++r) {
    report::Counts row(rows[core::at(r)].begin(), rows[core::at(r)].end());
    for (std::int64_t& cell : row) cell = cell / unit(r) + (cell % unit(r) > 0 ? 1 : 0);
    table.push_back(without_zeros(std::move(row)));
  }
  return table;
}

std::int64_t unit_for(const Sums& sums) {
  std::int64_t most = 0;
  for (const Rows* rows : {&sums.asked, &sums.accessed})
    for (const Buckets::Values& row : *rows) most = std::max(most, *std::ranges::max_element(row));
  std::int64_t unit = 1;
  while (most / unit > largest_cell) unit *= 2;
  return unit;
}

/// The agreement on the call, or what ranks did before it.
std::int64_t begin_of(const Sums& sums) {
  std::int64_t begin = 0;
  for (const Line& line : sums.lines)
    for (std::size_t which = 0; which < CallLanes::count_; ++which)
      for (std::int64_t i = 0; i < line.spans[which]; ++i)
        begin = std::min(begin, line.lanes[which][core::at(2 * i)]);
  return begin;
}

report::List<report::CallTimeline> timeline(const Sums& sums) {
  report::List<report::CallTimeline> lines;
  const std::int64_t begin = begin_of(sums);
  for (const Line& line : sums.lines) {
    const auto lane = [&](CallLanes::Which which) {
      const auto& spans = line.lanes[which];
      report::Counts numbers(spans.begin(), spans.begin() + 2 * line.spans[which]);
      for (std::size_t i = 0; i < numbers.size(); i += 2) numbers[i] -= begin;
      return numbers;
    };
    if (line.spans[CallLanes::file] > 0)
      lines.push_back({line.rank, lane(CallLanes::fill), lane(CallLanes::send), lane(CallLanes::file)});
  }
  return lines;
}

report::Pictures said(const Sums& sums, const Agreed& agreed, std::int64_t size) {
  const std::int64_t per_row = (size + most_rows - 1) / most_rows, used = (size + per_row - 1) / per_row;
  report::Pictures p{.ranks_per_row = per_row, .part_bytes = agreed.bytes, .cell_bytes = unit_for(sums)};
  const auto cell = [&](std::int64_t) { return p.cell_bytes; };
  p.asked = table(sums.asked, used, cell);
  p.accessed = table(sums.accessed, used, cell);
  p.part_seconds = 1e-9 * static_cast<double>(agreed.ns);
  p.in_calls = table(sums.in_calls, used, [&](std::int64_t row) {
    const std::int64_t ranks = std::min(per_row, size - row * per_row);
    return std::max<std::int64_t>(1, ranks * agreed.ns / 1000);
  });
  for (std::int64_t i = 0; i < agreed.targets; ++i) {
    p.target_bytes.push_back(sums.target_bytes[core::at(i)]);
    p.target_seconds.push_back(1e-9 * static_cast<double>(sums.target_ns[core::at(i)]));
  }
  p.timeline = timeline(sums);
  return p;
}

bool any(const Rows& rows) {
  return std::ranges::any_of(rows, [](const Buckets::Values& row) {
    return std::ranges::any_of(row, [](std::int64_t cell) { return cell != 0; });
  });
}

}  // namespace

std::optional<report::Pictures> pictures_of(const Ranks& ranks) try {
  const File& file = ranks.file;
  const Pictures none;  // of a rank whose environment asks for no report
  const Pictures::Noted& mine = (file.records.pictures ? *file.records.pictures : none).noted();
  std::optional<access::Reserve::Abstain> can_be_left_out(std::in_place);
  const std::unique_ptr<Sums> sums(new (std::nothrow) Sums);
  can_be_left_out.reset();
  const Agreed agreed = agreed_by(ranks, mine, !sums);
  if (agreed.lack != 0) return {};
  const std::int64_t per_row = (file.size + most_rows - 1) / most_rows;
  const std::size_t row = core::at(file.rank / per_row);
  put(mine.asked, agreed.bytes, sums->asked[row]);
  put(mine.accessed, agreed.bytes, sums->accessed[row]);
  put(mine.in_calls, agreed.ns, sums->in_calls[row]);
  std::ranges::copy(mine.target_bytes, sums->target_bytes.begin());
  std::ranges::transform(mine.target_ns, sums->target_ns.begin(), [](double ns) { return std::llround(ns); });
  const bool moved = mine.last.lanes[CallLanes::file].size() > 0;
  const std::int64_t line = transport::sum_to_here(moved ? 1 : 0, ranks.comm) - 1;
  if (moved && line < most_lines) put_line(mine, file.rank, sums->lines[core::at(line)]);
  transport::reduce_to_first(sums.get(), numbers, MPI_INT64_T, MPI_SUM, ranks.comm);
  if (file.rank != 0 || !(any(sums->asked) || any(sums->accessed))) return {};
  can_be_left_out.emplace();
  return said(*sums, agreed, file.size);
} catch (const std::bad_alloc&) {  // of rank 0, behind all that is collective
  return {};
}

}  // namespace collio::engine
