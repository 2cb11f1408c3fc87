// collio_bench: times a pattern's collective writes and reads through MPI-IO, or the floor under them, and
// checks every byte. Plain MPI-IO: whether an engine is preloaded is not this program's business. README.md
// says what it prints.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <iterator>

#include "cache_line.hpp"
#include "content.hpp"
#include "declared.hpp"
#include "json.hpp"
#include "library_version.hpp"
#include "memory.hpp"
#include "operation.hpp"
#include "pattern.hpp"
#include "pnetcdf.hpp"
#include "verify.hpp"

namespace collio::bench {
namespace {

/// How the bytes go.
enum class Mode { mpiio, declared, pnetcdf, floor };
constexpr std::array<const char*, 4> mode_names{"mpiio", "declared", "pnetcdf", "floor"};
constexpr std::array<const char*, 4> form_names{"blocking", "nonblocking", "split", "independent"};

struct Job {
  const PatternEntry* entry = nullptr;
  Mode mode = Mode::mpiio;
  std::vector<Direction> directions;
  int steps = 1;
  Collective collective = Collective::blocking;
  double compute_s = 0;
  bool keep = false;
  bool check = true;  // every byte
  Target target;

  [[nodiscard]] bool floor() const { return mode == Mode::floor; }
};

/// What all ranks need for every operation.
struct Stage {
  const Job& job;
  const Pattern& pattern;
  World world;
  std::vector<Extent> covered;        // of a step's part of the file as this mode leaves it
  std::int64_t floor_offset = 0;      // where this rank's share of a step starts in floor mode
  std::vector<unsigned char> buffer;  // this rank's bytes of a step, and gaps between them
  Scratch scratch;
  std::int64_t base = 0;  // resident bytes when all of the above was there

  [[nodiscard]] std::int64_t step_bytes() const {
    return covered.empty() ? 0 : covered.back().offset + covered.back().length;
  }
  [[nodiscard]] StepImage image(int step) const {
    const std::int64_t header = job.mode == Mode::pnetcdf ? pnetcdf_header_bytes : 0;
    return {covered, header + step * step_bytes()};
  }
  [[nodiscard]] Share share() const {
    return {step_bytes() * world.rank / world.size, step_bytes() * (world.rank + 1) / world.size};
  }
};

/// Seconds of a step in the report; open counts to the first step, sync and close to the last.
struct Spent {
  double whole = 0;  // set_view and data, from the earliest rank's begin to the latest one's end
  double set_view = 0;
  double data = 0;
  double open = 0;
  double sync = 0;
  double close = 0;
};

/// The line of one step of an operation in the report; the same on every rank.
struct Record {
  Direction direction;
  int step;
  Spent spent;
  std::int64_t peak;
  std::int64_t cache_line_ns;  // before or after the operation, whichever took longer; -1: unknown
  std::int64_t wrong_bytes;
  std::int64_t wrong_hole_bytes;
  std::string error;  // of a call, or the first difference; empty: all well

  /// Whether the file is what the next operation expects, but perhaps for holes.
  [[nodiscard]] bool usable() const { return wrong_bytes == 0 && (error.empty() || wrong_hole_bytes > 0); }
};

[[nodiscard]] const char* name_of(Direction direction) {
  return direction == Direction::write ? "write" : "read";
}

[[nodiscard]] std::int64_t sum_over_ranks(std::int64_t value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return value;
}

/// The error text of the lowest rank that has one, on every rank. Collective.
[[nodiscard]] std::string agree_on_error(const std::string& mine, World world) {
  int first = mine.empty() ? world.size : world.rank;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == world.size) return {};
  std::array<char, 1024> text{};
  if (first == world.rank) std::snprintf(text.data(), text.size(), "rank %d: %s", world.rank, mine.c_str());
  MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, first, MPI_COMM_WORLD);
  return text.data();
}

/// Seconds of every step from the earliest begin to the latest end among the ranks of this machine. A rank's
/// own time would flatter ranks that wait for no other: where ranks outnumber cores, each would count its
/// turn only. Collective.
[[nodiscard]] std::vector<double> spans_here(const Seconds& mine) {
  std::vector<double> ends;  // begins negated, so that one maximum finds both
  for (const StepSeconds& step : mine.steps) ends.insert(ends.end(), {-step.begin, step.end});
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Allreduce(MPI_IN_PLACE, ends.data(), static_cast<int>(ends.size()), MPI_DOUBLE, MPI_MAX, machine);
  MPI_Comm_free(&machine);
  std::vector<double> spans;
  for (std::size_t k = 0; k < ends.size(); k += 2) spans.push_back(ends[k] + ends[k + 1]);
  return spans;
}

/// Maximum over ranks of every number, and over machines of what their ranks took together. Collective.
[[nodiscard]] std::vector<Spent> slowest(const Seconds& mine) {
  const std::vector<double> spans = spans_here(mine);
  std::vector<double> all;
  for (std::size_t k = 0; k < spans.size(); ++k)
    all.insert(all.end(), {spans[k], mine.steps[k].set_view, mine.steps[k].data});
  all.insert(all.end(), {mine.open, mine.sync, mine.close});
  MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  std::vector<Spent> spent;
  for (std::size_t k = 0; k < mine.steps.size(); ++k)
    spent.push_back({.whole = all[3 * k], .set_view = all[3 * k + 1], .data = all[3 * k + 2]});
  const std::size_t once = 3 * mine.steps.size();
  spent.front().open = all[once];
  spent.back().sync = all[once + 1];
  spent.back().close = all[once + 2];
  return spent;
}

void remove_file(const Stage& stage) {
  const std::string& path = stage.job.target.path;
  if (stage.world.rank == 0) {
    if (is_in_subfiles(path)) MPI_File_delete(path.c_str(), MPI_INFO_NULL);
    std::remove(path.c_str());
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Make the buffer ready for a step: its bytes to be written, or nothing that could pass for what is read.
void make_ready(Stage& stage, Direction direction, int step) {
  const std::int64_t shift = stage.image(step).shift;
  if (direction == Direction::read)
    std::ranges::fill(stage.buffer, blank_byte);
  else if (stage.job.floor())
    fill_content(shift + stage.floor_offset, stage.buffer.data(), stage.buffer.size());
  else
    fill_buffer(stage.pattern, shift, stage.buffer);
}

/// Wrong bytes in the buffer after a step was read. Untimed, not collective.
[[nodiscard]] Findings check_buffer(const Stage& stage, int step) {
  const std::int64_t shift = stage.image(step).shift;
  const std::span<const unsigned char> buffer = stage.buffer;
  const std::int64_t wrong =
      stage.job.floor()
          ? static_cast<std::int64_t>(count_wrong(shift + stage.floor_offset, buffer.data(), buffer.size()))
          : wrong_in_buffer(stage.pattern, shift, buffer);
  if (wrong == 0) return {};
  return {wrong, 0, std::to_string(wrong) + " of " + std::to_string(buffer.size()) + " bytes read are wrong"};
}

[[nodiscard]] Outcome run_mode(const Stage& stage, Direction direction, const Work& work) {
  const Target& target = stage.job.target;
  if (stage.job.mode == Mode::floor) return run_floor(direction, target, work, stage.floor_offset);
  if (stage.job.mode == Mode::declared) return run_declared(direction, target, work, stage.pattern);
  if (stage.job.mode == Mode::pnetcdf) return run_pnetcdf(direction, target, work, stage.pattern);
  return run_mpiio(direction, target, work);
}

/// All steps of an operation between one open and one close, and what they left: a record per step.
[[nodiscard]] std::vector<Record> run_operation(Stage& stage, Direction direction) {
  const auto steps = static_cast<std::size_t>(stage.job.steps);
  const bool writes = direction == Direction::write;
  std::vector<Findings> found(steps);
  Work work{stage.pattern.calls(),
            stage.buffer,
            stage.job.steps,
            stage.job.collective,
            stage.job.compute_s,
            stage.step_bytes(),
            {},
            {}};
  work.before = [&](int step) { make_ready(stage, direction, step); };
  work.after = [&](int step) {
    if (!writes && stage.job.check) found[static_cast<std::size_t>(step)] = check_buffer(stage, step);
  };
  if (writes && !stage.job.keep) remove_file(stage);
  const std::int64_t line_before = cache_line_ns();
  if (stage.base == 0) stage.base = settle_memory();
  reset_peak();
  const Outcome outcome = run_mode(stage, direction, work);
  std::int64_t peak = peak_above(stage.base);
  MPI_Allreduce(MPI_IN_PLACE, &peak, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  const std::int64_t line = std::max(line_before, cache_line_ns());
  const std::string failed = agree_on_error(outcome.error, stage.world);
  const std::vector<Spent> spent = slowest(outcome.seconds);
  std::vector<Record> records;
  for (std::size_t k = 0; k < steps; ++k) {
    const int step = static_cast<int>(k);
    if (writes && failed.empty() && stage.job.check)
      found[k] = check_file(stage.job.target.path, stage.image(step), stage.share(), stage.scratch);
    records.push_back({direction, step, spent[k], peak, line, sum_over_ranks(found[k].wrong_bytes),
                       sum_over_ranks(found[k].wrong_hole_bytes),
                       failed.empty() ? agree_on_error(found[k].text, stage.world) : failed});
  }
  return records;
}

[[nodiscard]] Stage make_stage(const Job& job, const Pattern& pattern, World world) {
  Stage stage{job, pattern, world, joined_extents(pattern), 0, {}, {}, 0};
  const std::int64_t bytes = pattern.data_bytes();
  if (job.floor()) {
    MPI_Exscan(&bytes, &stage.floor_offset, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (world.rank == 0) stage.floor_offset = 0;
    stage.covered = {{0, sum_over_ranks(bytes)}};
  }
  stage.buffer.resize(static_cast<std::size_t>(job.floor() ? bytes : pattern.buffer_bytes()));
  return stage;
}

/// The file of a run that only reads: every step by plain writes. An error text or nothing. Collective.
[[nodiscard]] std::string make_file(Stage& stage) {
  remove_file(stage);
  std::string error;
  for (int step = 0; step < stage.job.steps && error.empty(); ++step)
    error = prepare_file(stage.job.target.path, stage.image(step), stage.share(), stage.scratch);
  return agree_on_error(error, stage.world);
}

/// All operations; stops after the first that failed, as its file is not what the next expects.
[[nodiscard]] std::vector<Record> run_all(Stage& stage) {
  std::vector<Record> records;
  if (stage.job.directions.front() == Direction::read && !stage.job.keep)
    if (const std::string error = make_file(stage); !error.empty())
      records.push_back({Direction::read, 0, {}, 0, -1, 0, 0, "making the file: " + error});
  for (const Direction direction : stage.job.directions)
    if (std::all_of(records.begin(), records.end(), [](const Record& record) { return record.usable(); }))
      std::ranges::move(run_operation(stage, direction), std::back_inserter(records));
  if (!stage.job.keep) remove_file(stage);
  return records;
}

/// Whether all is right, or null where nobody looked.
[[nodiscard]] json verdict(const Job& job, bool right) {
  return right && !job.check ? json(nullptr) : json(right);
}

[[nodiscard]] json json_of(const Record& record, const Job& job, std::int64_t bytes) {
  json line{{"operation", name_of(record.direction)},
            {"step", record.step},
            {"seconds", record.spent.whole},
            {"set_view_s", record.spent.set_view},
            {"data_s", record.spent.data},
            {"open_s", record.spent.open},
            {"sync_s", record.spent.sync},
            {"close_s", record.spent.close},
            {"bytes", bytes},
            {"verified", verdict(job, record.error.empty())},
            {"wrong_bytes", record.wrong_bytes},
            {"wrong_hole_bytes", record.wrong_hole_bytes},
            {"peak_rss_above_buffer_bytes", record.peak}};
  if (record.cache_line_ns >= 0) line["cache_line_ns"] = record.cache_line_ns;
  return line;
}

/// Print the one line; true when every byte was right. Collective.
[[nodiscard]] bool report(const Stage& stage, const std::vector<Record>& records, const Options& options) {
  const std::int64_t bytes = sum_over_ranks(stage.pattern.data_bytes());
  const std::int64_t steps = stage.job.steps;
  const std::int64_t pieces = sum_over_ranks(stage.pattern.pieces());
  std::int64_t peak = 0;
  std::vector<std::string> errors;
  json operations = json::array();
  for (const Record& record : records) {
    operations.push_back(json_of(record, stage.job, bytes));
    peak = std::max(peak, record.peak);
    const std::string text = std::string(name_of(record.direction)) + ": " + record.error;
    if (!record.error.empty() && (errors.empty() || errors.back() != text)) errors.push_back(text);
  }
  const Library library = library_version();
  json line{{"program", "collio_bench"},
            {"version", 1},
            {"pattern", stage.job.entry->name},
            {"mode", mode_names[static_cast<std::size_t>(stage.job.mode)]},
            {"ranks", stage.world.size},
            {"mpi", library.version},
            {"mpi_device", library.device},
            {"file", stage.job.target.path},
            {"parameters", options.in_force()},
            {"hints", stage.job.target.hints},
            {"bytes", steps * bytes},
            {"pieces", steps * pieces},
            {"file_bytes", steps * stage.step_bytes()},
            {"hole_bytes", steps * (stage.step_bytes() - covered_bytes(stage.covered))},
            {"verified", verdict(stage.job, errors.empty())},
            {"peak_rss_above_buffer_bytes", peak},
            {"errors", errors},
            {"operations", operations}};
  if (stage.job.mode == Mode::pnetcdf) line["pnetcdf"] = pnetcdf_version(stage.job.target);
  if (stage.world.rank == 0) std::cout << text_of(line) << std::endl;
  return errors.empty();
}

[[nodiscard]] Job make_job(Options& options) {
  Job job;
  const std::string name = options.required("pattern");
  std::string allowed;
  for (const PatternEntry& entry : pattern_table()) {
    if (name == entry.name) job.entry = &entry;
    allowed += (allowed.empty() ? "" : ", ") + std::string(entry.name);
  }
  if (job.entry == nullptr) throw UsageError("--pattern is '" + name + "'; allowed: " + allowed);
  job.target.path = options.required("file");
  const std::string mode = options.one_of("mode", {mode_names.begin(), mode_names.end()});
  job.mode = static_cast<Mode>(std::ranges::find(mode_names, mode) - mode_names.begin());
  const std::string operation = options.one_of("operation", {"write,read", "write", "read"});
  if (operation != "read") job.directions.push_back(Direction::write);
  if (operation != "write") job.directions.push_back(Direction::read);
  job.steps = static_cast<int>(options.number("steps", 1, {1, 100000}));
  const std::string form = options.one_of("collective", {form_names.begin(), form_names.end()});
  job.collective = static_cast<Collective>(std::ranges::find(form_names, form) - form_names.begin());
  job.compute_s = static_cast<double>(options.number("compute-ms", 0, {0, 3600000})) / 1000;
  job.keep = options.flag("keep");
  job.check = !options.flag("no-check");
  job.target.sync = !options.flag("no-sync");
  for (const std::string& path : options.all("pnetcdf")) job.target.pnetcdf = path;
  for (const std::string& hint : options.all("hint")) {
    const std::size_t equals = hint.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == hint.size())
      throw UsageError("--hint is '" + hint + "'; allowed: key=value");
    job.target.hints[hint.substr(0, equals)] = hint.substr(equals + 1);
  }
  return job;
}

int list_patterns() {
  for (const PatternEntry& entry : pattern_table())
    std::cout << text_of({{"pattern", entry.name}, {"summary", entry.summary}, {"options", entry.options}})
              << "\n";
  return 0;
}

int run(int argc, char** argv) {
  World world{};
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world.size);
  std::string error;
  std::unique_ptr<Options> options;
  std::unique_ptr<Pattern> pattern;
  Job job;
  try {
    options = std::make_unique<Options>(argc, argv);
    job = make_job(*options);
    pattern = job.entry->make(*options, world);
    options->check_all_taken();
    if (job.mode == Mode::declared) check_declarable(*pattern, job.entry->name, job.collective);
    if (job.mode == Mode::pnetcdf)
      check_pnetcdf(*pattern, job.entry->name, job.target,
                    job.collective == Collective::blocking && job.directions.front() == Direction::write);
  } catch (const std::exception& caught) {
    error = caught.what();
  }
  error = agree_on_error(error, world);
  if (!error.empty()) {
    if (world.rank == 0) std::cerr << "collio_bench: " << error << std::endl;
    return 2;
  }
  Stage stage = make_stage(job, *pattern, world);
  const std::vector<Record> records = run_all(stage);
  return report(stage, records, *options) ? 0 : 1;
}

}  // namespace
}  // namespace collio::bench

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) return collio::bench::list_patterns();
  MPI_Init(&argc, &argv);
  const int status = collio::bench::run(argc, argv);
  MPI_Finalize();
  return status;
}
