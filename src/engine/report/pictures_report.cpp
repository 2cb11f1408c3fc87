// See pictures_report.hpp. Ranks agree on the lengths of parts, put their numbers into their rows of one
// table, and add these up: two reductions and a prefix sum.
#include "engine/report/pictures_report.hpp"

#include <algorithm>
#include <array>
#include <memory>

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

/// The length of a part of the file, and of the time.
using Widths = std::array<std::int64_t, 2>;

Widths agreed_widths(const Pictures::Noted& mine, const Ranks& ranks) {
  Widths widths{std::max(mine.asked.width(), mine.accessed.width()), mine.in_calls.width()};
  transport::reduce_to_all(widths.data(), static_cast<int>(widths.size()), MPI_INT64_T, MPI_MAX, ranks.comm);
  return widths;
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

/// Each cell as a number of units, rounded up.
report::List<report::Counts> table(const Rows& rows, std::int64_t used, std::int64_t unit) {
  report::List<report::Counts> table;
  for (std::int64_t r = 0; r < used; ++r) {
    report::Counts row(rows[core::at(r)].begin(), rows[core::at(r)].end());
    for (std::int64_t& cell : row) cell = cell / unit + (cell % unit > 0 ? 1 : 0);
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

report::List<report::CallTimeline> timeline(const Sums& sums) {
  report::List<report::CallTimeline> lines;
  for (const Line& line : sums.lines) {
    const auto lane = [&](CallLanes::Which which) {
      const auto& spans = line.lanes[which];
      return report::Counts(spans.begin(), spans.begin() + 2 * line.spans[which]);
    };
    if (line.spans[CallLanes::file] > 0)
      lines.push_back({line.rank, lane(CallLanes::fill), lane(CallLanes::send), lane(CallLanes::file)});
  }
  return lines;
}

report::Pictures said(const Sums& sums, const Widths& widths, std::int64_t size, std::int64_t targets) {
  const std::int64_t per_row = (size + most_rows - 1) / most_rows, used = (size + per_row - 1) / per_row;
  report::Pictures p{.ranks_per_row = per_row, .part_bytes = widths[0], .cell_bytes = unit_for(sums)};
  p.asked = table(sums.asked, used, p.cell_bytes);
  p.accessed = table(sums.accessed, used, p.cell_bytes);
  p.part_seconds = 1e-9 * static_cast<double>(widths[1]);
  p.in_calls = table(sums.in_calls, used, std::max<std::int64_t>(1, per_row * widths[1] / 1000));
  for (std::int64_t i = 0; i < targets; ++i) {
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

std::optional<report::Pictures> pictures_of(const Ranks& ranks) {
  const File& file = ranks.file;
  const Pictures none;  // of a rank whose environment asks for no report
  const Pictures::Noted& mine = (file.records.pictures ? *file.records.pictures : none).noted();
  const Widths widths = agreed_widths(mine, ranks);
  const auto sums = std::make_unique<Sums>();
  const std::int64_t per_row = (file.size + most_rows - 1) / most_rows;
  const std::size_t row = core::at(file.rank / per_row);
  put(mine.asked, widths[0], sums->asked[row]);
  put(mine.accessed, widths[0], sums->accessed[row]);
  put(mine.in_calls, widths[1], sums->in_calls[row]);
  std::ranges::copy(mine.target_bytes, sums->target_bytes.begin());
  std::ranges::copy(mine.target_ns, sums->target_ns.begin());
  const bool moved = mine.last.lanes[CallLanes::file].size() > 0;
  const std::int64_t line = transport::sum_to_here(moved ? 1 : 0, ranks.comm) - 1;
  if (moved && line < most_lines) put_line(mine, file.rank, sums->lines[core::at(line)]);
  transport::reduce_to_first(sums.get(), numbers, MPI_INT64_T, MPI_SUM, ranks.comm);
  if (file.rank != 0 || !(any(sums->asked) || any(sums->accessed))) return {};
  return said(*sums, widths, file.size, mine.targets.count);
}

}  // namespace collio::engine
