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

#include "content.hpp"
#include "json.hpp"
#include "memory.hpp"
#include "operation.hpp"
#include "pattern.hpp"
#include "verify.hpp"

namespace collio::bench {
namespace {

struct Job {
  const PatternEntry* entry = nullptr;
  bool floor = false;
  std::vector<Direction> directions;
  int steps = 1;
  bool keep = false;
  Target target;
};

/// What all ranks need for every operation.
struct Stage {
  const Job& job;
  const Pattern& pattern;
  World world;
  std::vector<Extent> covered;        // of the file as this mode leaves it
  std::int64_t floor_offset = 0;      // where this rank's share starts in floor mode
  std::vector<unsigned char> buffer;  // this rank's bytes
  Scratch scratch;
  std::int64_t base = 0;  // resident bytes when all of the above was there

  [[nodiscard]] std::int64_t file_end() const {
    return covered.empty() ? 0 : covered.back().offset + covered.back().length;
  }
  [[nodiscard]] Share share() const {
    return {file_end() * world.rank / world.size, file_end() * (world.rank + 1) / world.size};
  }
};

/// One operation's line in the report; the same on every rank.
struct Record {
  Direction direction;
  int step;
  Seconds seconds;
  std::int64_t peak;
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

[[nodiscard]] Seconds slowest(const Seconds& mine) {
  std::array<double, 6> all{mine.open, mine.set_view, mine.data, mine.whole, mine.sync, mine.close};
  MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return {all[0], all[1], all[2], all[3], all[4], all[5]};
}

void remove_file(const Stage& stage) {
  if (stage.world.rank == 0) std::remove(stage.job.target.path.c_str());
  MPI_Barrier(MPI_COMM_WORLD);
}

void fill(Stage& stage) {
  if (stage.job.floor)
    fill_content(stage.floor_offset, stage.buffer.data(), stage.buffer.size());
  else
    fill_buffer(stage.pattern, stage.buffer);
}

/// Wrong bytes after the operation. Untimed, not collective.
[[nodiscard]] Findings check(Stage& stage, Direction direction) {
  if (direction == Direction::write)
    return check_file(stage.job.target.path, stage.covered, stage.share(), stage.scratch);
  const std::span<const unsigned char> buffer = stage.buffer;
  const std::int64_t wrong =
      stage.job.floor
          ? static_cast<std::int64_t>(count_wrong(stage.floor_offset, buffer.data(), buffer.size()))
          : wrong_in_buffer(stage.pattern, buffer);
  return {wrong, 0,
          wrong == 0
              ? std::string()
              : std::to_string(wrong) + " of " + std::to_string(buffer.size()) + " bytes read are wrong"};
}

[[nodiscard]] Record run_operation(Stage& stage, Direction direction, int step) {
  if (direction == Direction::write) {
    if (!stage.job.keep) remove_file(stage);
    fill(stage);
  } else if (!stage.buffer.empty()) {
    std::memset(stage.buffer.data(), 0xEE, stage.buffer.size());
  }
  if (stage.base == 0) stage.base = settle_memory();
  reset_peak();
  Outcome outcome = stage.job.floor
                        ? run_floor(direction, stage.job.target, stage.floor_offset, stage.buffer)
                        : run_mpiio(direction, stage.job.target, stage.pattern.calls(), stage.buffer);
  std::int64_t peak = peak_above(stage.base);
  MPI_Allreduce(MPI_IN_PLACE, &peak, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  std::string error = agree_on_error(outcome.error, stage.world);
  Findings findings;
  if (error.empty()) {
    findings = check(stage, direction);
    error = agree_on_error(findings.text, stage.world);
  }
  return {direction,
          step,
          slowest(outcome.seconds),
          peak,
          sum_over_ranks(findings.wrong_bytes),
          sum_over_ranks(findings.wrong_hole_bytes),
          error};
}

[[nodiscard]] Stage make_stage(const Job& job, const Pattern& pattern, World world) {
  Stage stage{job, pattern, world, joined_extents(pattern), 0, {}, {}, 0};
  std::int64_t bytes = 0;
  for (const Call& call : pattern.calls()) bytes += call.bytes;
  if (job.floor) {
    MPI_Exscan(&bytes, &stage.floor_offset, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (world.rank == 0) stage.floor_offset = 0;
    stage.covered = {{0, sum_over_ranks(bytes)}};
  }
  stage.buffer.resize(static_cast<std::size_t>(bytes));
  return stage;
}

/// All operations; stops after the first that failed, as its file is not what the next expects.
[[nodiscard]] std::vector<Record> run_all(Stage& stage) {
  std::vector<Record> records;
  if (stage.job.directions.front() == Direction::read && !stage.job.keep) {
    remove_file(stage);
    const std::string error = agree_on_error(
        prepare_file(stage.job.target.path, stage.covered, stage.share(), stage.scratch), stage.world);
    if (!error.empty()) records.push_back({Direction::read, 0, {}, 0, 0, 0, "making the file: " + error});
  }
  for (const Direction direction : stage.job.directions)
    for (int step = 0; step < stage.job.steps && (records.empty() || records.back().usable()); ++step)
      records.push_back(run_operation(stage, direction, step));
  if (!stage.job.keep) remove_file(stage);
  return records;
}

struct Library {
  std::string version;  // first line of what the MPI says of itself, up to a comma
  std::string device;   // MPICH's "ch4:ucx" and the like; empty elsewhere
};

[[nodiscard]] Library library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string all(text.data());
  std::replace(all.begin(), all.end(), '\t', ' ');
  Library library{all.substr(0, all.find_first_of("\n,")), {}};
  const std::string key = "MPICH Device:";
  if (const std::size_t at = all.find(key); at != std::string::npos) {
    const std::size_t start = all.find_first_not_of(' ', at + key.size());
    library.device = all.substr(start, all.find('\n', start) - start);
  }
  return library;
}

[[nodiscard]] std::string operations_json(const std::vector<Record>& records, std::int64_t bytes) {
  std::string list;
  for (const Record& record : records) {
    json::Object line;
    line.add("operation", name_of(record.direction))
        .add("step", record.step)
        .add("seconds", record.seconds.whole);
    line.add("set_view_s", record.seconds.set_view)
        .add("data_s", record.seconds.data)
        .add("open_s", record.seconds.open);
    line.add("sync_s", record.seconds.sync).add("close_s", record.seconds.close).add("bytes", bytes);
    line.add("verified", record.error.empty())
        .add("wrong_bytes", record.wrong_bytes)
        .add("wrong_hole_bytes", record.wrong_hole_bytes);
    line.add("peak_rss_above_buffer_bytes", record.peak);
    list += (list.empty() ? "" : ", ") + line.text();
  }
  return "[" + list + "]";
}

/// Print the one line; true when every byte was right. Collective.
[[nodiscard]] bool report(const Stage& stage, const std::vector<Record>& records, const Options& options) {
  const std::int64_t bytes = sum_over_ranks(static_cast<std::int64_t>(stage.buffer.size()));
  const std::int64_t pieces = sum_over_ranks(stage.pattern.pieces());
  std::int64_t peak = 0;
  std::vector<std::string> errors;
  for (const Record& record : records) {
    peak = std::max(peak, record.peak);
    if (!record.error.empty()) errors.push_back(std::string(name_of(record.direction)) + ": " + record.error);
  }
  const Library library = library_version();
  json::Object line;
  line.add("program", "collio_bench")
      .add("version", 1)
      .add("pattern", stage.job.entry->name)
      .add("mode", stage.job.floor ? "floor" : "mpiio");
  line.add("ranks", stage.world.size)
      .add("mpi", library.version)
      .add("mpi_device", library.device)
      .add("file", stage.job.target.path);
  line.add("parameters", options.in_force())
      .add("hints", stage.job.target.hints)
      .add("bytes", bytes)
      .add("pieces", pieces);
  line.add("file_bytes", stage.file_end())
      .add("hole_bytes", stage.file_end() - covered_bytes(stage.covered))
      .add("verified", errors.empty());
  line.add("peak_rss_above_buffer_bytes", peak)
      .add("errors", errors)
      .add_raw("operations", operations_json(records, bytes));
  if (stage.world.rank == 0) std::cout << line.text() << std::endl;
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
  job.floor = options.one_of("mode", {"mpiio", "floor"}) == "floor";
  const std::string operation = options.one_of("operation", {"write,read", "write", "read"});
  if (operation != "read") job.directions.push_back(Direction::write);
  if (operation != "write") job.directions.push_back(Direction::read);
  job.steps = static_cast<int>(options.number("steps", 1, {1, 100000}));
  job.keep = options.flag("keep");
  job.target.sync = !options.flag("no-sync");
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
    std::cout << json::Object()
                     .add("pattern", entry.name)
                     .add("summary", entry.summary)
                     .add("options", entry.options)
                     .text()
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
