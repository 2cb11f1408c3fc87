// collio_fuzz: differential fuzzer for collective MPI-IO.
//
// Every case runs twice, through collio (when preloaded) and through the MPI library's own I/O, on two files;
// both must match a byte model of the datatypes, views and files that the fuzzer keeps itself. Case k of seed
// S is the same everywhere.
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "alone.hpp"
#include "case.hpp"
#include "in_subfiles.hpp"
#include "known_native.hpp"
#include "options.hpp"
#include "session.hpp"
#include "shrink.hpp"
#include "view_probe.hpp"

namespace collio::differential {
namespace {

struct Position {
  const char* seed_text = "";
  std::uint64_t seed = 0;
  long number = -1;
  int ranks = 0;
  long max_bytes = 0;
  const char* faults = "";  ///< or --independent
  const char* subfiles = "";
};
Position position;

void on_signal(int signal_number) {
  char line[400];
  const int n =
      std::snprintf(line, sizeof line,
                    "collio_fuzz: signal %d (%s) in case %ld during '%s'\n  rerun: mpiexec -n %d collio_fuzz "
                    "--seed %llu --max-bytes %ld --case %ld --verbose%s%s\n",
                    signal_number, signal_number == SIGALRM ? "no progress: hang" : "crash", position.number,
                    stage(), position.ranks, static_cast<unsigned long long>(position.seed),
                    position.max_bytes, position.number, position.faults, position.subfiles);
  if (write(STDERR_FILENO, line, static_cast<std::size_t>(n)) < 0) _exit(4);
  _exit(3);
}

void watch_signals() {
  for (int number : {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) signal(number, on_signal);
}

/// True when the MPI_File calls of this process go to collio.
bool collio_is_preloaded() {
  Dl_info where{};
  void* symbol = dlsym(RTLD_DEFAULT, "MPI_File_write_all");
  return symbol != nullptr && dladdr(symbol, &where) != 0 &&
         std::strstr(where.dli_fname, "collio") != nullptr;
}

/// The communicator of one case: the world, the world in another order, or one of several parts.
struct Group {
  MPI_Comm comm = MPI_COMM_WORLD;
  int color = 0;
};

Group draw_group(Random& random) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int draw = random.small(0, 99);
  if (size == 1 || draw < 60) return {};
  std::vector<int> colors, keys;
  for (int i = 0; i < size; ++i) {
    colors.push_back(draw < 75 ? 0 : random.small(0, 1));
    keys.push_back(random.small(0, 1000));
  }
  Group group;
  group.color = colors[static_cast<std::size_t>(rank)];
  MPI_Comm_split(MPI_COMM_WORLD, group.color, keys[static_cast<std::size_t>(rank)], &group.comm);
  return group;
}

class Fuzzer {
 public:
  explicit Fuzzer(const Options& options)
      : options_(options),
        library_(running_library()),
        probe_(options.directory + "/collio_fuzz_view." + std::to_string(getpid())) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    long pid = getpid();
    MPI_Bcast(&pid, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    base_ = options.directory + "/collio_fuzz." + std::to_string(pid) + ".";
  }

  ~Fuzzer() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ != 0) return;
    for (const char* color : {"0", "1"})
      for (const char* side : {".c", ".n", ".rules"})
        MPI_File_delete((base_ + color + side).c_str(), MPI_INFO_NULL);  // with its subfiles
  }

  /// Runs one case; false on the first difference. Collective over the world.
  bool run(long number) {
    position.number = number;
    alarm(options_.watchdog_s);
    Random random(mix(options_.seed, static_cast<std::uint64_t>(number)));
    const std::uint64_t case_seed = random.next();
    const Group group = draw_group(random);
    MPI_Comm_size(group.comm, &group_size_);
    Case subject =
        random_case(mix(case_seed, static_cast<std::uint64_t>(group.color)), group_size_, options_.max_bytes);
    if (options_.faults)  // by "disable" an error is one rank's: tests/mpi/unmet.cpp
      for (const char* key : {"romio_cb_write", "romio_cb_read"}) subject.hints.erase(key);
    if (options_.verbose) describe(group, subject);
    attempt(group, subject);
    const bool bad = agree(MPI_COMM_WORLD, !findings_.empty());
    if (bad) report(number, group, subject);
    if (bad && options_.shrink) shrink_case(group, subject);
    if (group.comm != MPI_COMM_WORLD) {
      MPI_Comm done = group.comm;
      MPI_Comm_free(&done);
    }
    return !bad;
  }

  void print_summary(long cases, long failed) const {
    if (rank_ != 0) return;
    std::printf("collio_fuzz: %ld cases, %d ranks, seed %llu, collio %s: %ld with differences\n", cases,
                position.ranks, static_cast<unsigned long long>(options_.seed),
                preloaded_ ? "preloaded" : "absent", failed);
    if (options_.faults)
      std::printf("  calls that failed as faults wanted, seen by rank 0: %ld\n", failed_calls_);
    for (const auto& [name, count] : tolerated_)
      std::printf("  the MPI library's own I/O, known fault seen by rank 0: %s (%ld)\n", name.c_str(), count);
  }

 private:
  static bool agree(MPI_Comm comm, bool mine) {
    int flag = mine ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &flag, 1, MPI_INT, MPI_MAX, comm);
    return flag != 0;
  }

  [[nodiscard]] std::string path(const Group& group, const char* side) const {
    return base_ + std::to_string(group.color) + side;
  }

  void describe(const Group& group, const Case& subject) const {
    int rank = 0;
    MPI_Comm_rank(group.comm, &rank);
    if (rank == 0)
      std::fprintf(stderr, "case %ld, group %d of %d ranks: %s", position.number, group.color, group_size_,
                   text(subject).c_str());
  }

  void keep(const char* side, const std::vector<Finding>& findings) {
    for (const Finding& finding : findings)
      findings_.push_back({finding.kind, std::string(side) + ": " + finding.detail});
  }

  void keep_native(const char* side, const Case& subject, const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
      if (const char* known = native_known(library_, subject, finding))
        ++tolerated_[known];
      else
        keep(side, {finding});
    }
  }

  /// Why the library's own I/O cannot be tried on this case; null when it can. Collective over the group.
  const char* why_not_natively(const Group& group, const Case& subject) {
    if (const char* why = native_unsafe(library_, subject)) return why;
    int rank = 0;
    MPI_Comm_rank(group.comm, &rank);
    set_stage("trying the view alone");
    return agree(group.comm, !probe_.accepts(subject, rank)) ? "not tried: set_view refuses a legal file type"
                                                             : nullptr;
  }

  [[nodiscard]] Session session(const Group& group, Calls calls) {
    const std::string rules = options_.faults ? path(group, ".rules") : "";
    return {group.comm, path(group, ".c"), Engine::preloaded, true, rules, &failed_calls_,
            calls,      options_.subfiles};
  }

  /// By independent calls. Those that the MPI library serves have its faults. Collective over the group.
  void attempt_alone(const Group& group, const Case& subject, FileModel& model, bool natively) {
    const Case costly = with_costly_views(subject);
    if (options_.subfiles || !library_takes_part(costly)) {
      keep("collio", run_session(session(group, Calls::independent), costly, model));
    } else if (natively) {
      const Calls calls =
          library_ == Library::open_mpi ? Calls::independent_blocking : Calls::independent;  // README.md
      keep_native("collio with the MPI library", costly, run_session(session(group, calls), costly, model));
    } else {
      ++tolerated_["not tried: collio leaves independent calls to the MPI library"];
    }
  }

  /// Runs the case on both sides and crosses them over; collective over the group.
  void attempt(const Group& group, const Case& subject) {
    findings_.clear();
    FileModel model(subject);
    const char* unsafe = why_not_natively(group, subject);
    if (preloaded_ && options_.independent)
      attempt_alone(group, subject, model, unsafe == nullptr);
    else if (preloaded_)
      keep("collio", run_session(session(group, Calls::collective), subject, model));
    if (unsafe != nullptr) ++tolerated_[unsafe];
    if (!options_.native || unsafe != nullptr) return;
    FileModel again(subject);
    const auto native = run_session({group.comm, path(group, ".n"), Engine::native, true}, subject, again);
    keep_native("native", subject, native);
    const bool differs = agree(group.comm, !findings_.empty() || !native.empty());
    if (preloaded_ && !differs && subject.mode != Mode::read_only && subject.seed % 4 == 0)
      cross_read(group, subject, model);
  }

  /// Reads the native file through collio and collio's file natively.
  void cross_read(const Group& group, const Case& subject, const FileModel& written) {
    const Case reading = read_back_case(subject, static_cast<std::int64_t>(written.bytes().size()));
    if (native_unsafe(library_, reading) != nullptr) return;
    FileModel model = written;
    keep("collio reading the native file",
         run_session({group.comm, path(group, ".n"), Engine::preloaded, false}, reading, model));
    // What is not joined only collio reads.
    const bool apart = agree(group.comm, is_in_subfiles(path(group, ".c")));
    keep_native(
        apart ? "collio reading its subfiles" : "native reading collio's file", reading,
        run_session({group.comm, path(group, ".c"), apart ? Engine::preloaded : Engine::native, false},
                    reading, model));
  }

  void report(long number, const Group& group, const Case& subject) const {
    int rank = 0;
    MPI_Comm_rank(group.comm, &rank);
    for (std::size_t i = 0; i < findings_.size() && i < 6; ++i)
      std::fprintf(stderr, "collio_fuzz: case %ld, group %d rank %d: [%s] %s\n", number, group.color, rank,
                   findings_[i].kind.c_str(), findings_[i].detail.c_str());
    const bool mine = agree(group.comm, !findings_.empty());
    if (mine && rank == 0)
      std::fprintf(stderr, "collio_fuzz: case %ld, group %d of %d: %s", number, group.color, group_size_,
                   text(subject).c_str());
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0)
      std::fprintf(stderr,
                   "collio_fuzz: rerun: mpiexec -n %d collio_fuzz --seed %llu --max-bytes %lld --case %ld "
                   "--verbose --shrink%s%s\n",
                   position.ranks, static_cast<unsigned long long>(options_.seed),
                   static_cast<long long>(options_.max_bytes), number, position.faults, position.subfiles);
  }

  void shrink_case(const Group& group, const Case& subject) {
    if (agree(group.comm, !findings_.empty())) {
      const Case smallest = shrink(subject, 2000, [&](const Case& candidate) {
        alarm(options_.watchdog_s);
        attempt(group, candidate);
        return agree(group.comm, !findings_.empty());
      });
      attempt(group, smallest);
      int rank = 0;
      MPI_Comm_rank(group.comm, &rank);
      for (const Finding& finding : findings_)
        std::fprintf(stderr, "collio_fuzz: shrunk, rank %d: [%s] %s\n", rank, finding.kind.c_str(),
                     finding.detail.c_str());
      if (rank == 0) std::fprintf(stderr, "collio_fuzz: shrunk to: %s", text(smallest).c_str());
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  const Options& options_;
  Library library_;
  ViewProbe probe_;
  bool preloaded_ = collio_is_preloaded();
  int rank_ = 0;
  int group_size_ = 0;
  std::string base_;
  std::vector<Finding> findings_;
  std::map<std::string, long> tolerated_;
  long failed_calls_ = 0;
};

/// Whether there is a next case. Collective.
bool goes_on(const Options& options, long next, double begin_s) {
  if (options.minutes <= 0)
    return next < (options.only_case >= 0 ? options.only_case + 1 : options.first + options.cases);
  int more = MPI_Wtime() - begin_s < options.minutes * 60 ? 1 : 0;
  MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return more != 0;
}

int fuzz(const Options& options) {
  MPI_Comm_size(MPI_COMM_WORLD, &position.ranks);
  position.seed = options.seed;
  position.max_bytes = static_cast<long>(options.max_bytes);
  position.faults = options.faults ? " --faults" : options.independent ? " --independent" : "";
  position.subfiles = options.subfiles ? " --subfiles" : "";
  watch_signals();
  if (options.require_collio && !collio_is_preloaded()) {
    std::fprintf(stderr, "collio_fuzz: libcollio_mpiio.so is not preloaded\n");
    return 2;
  }
  Fuzzer fuzzer(options);
  const long first = options.only_case >= 0 ? options.only_case : options.first;
  const double begin_s = MPI_Wtime();
  long failed = 0, number = first;
  for (; goes_on(options, number, begin_s); ++number) {
    failed += fuzzer.run(options.only_case >= 0 ? options.only_case : number) ? 0 : 1;
    if (failed > 0 && !options.keep_going) return 1;
  }
  alarm(options.watchdog_s);
  fuzzer.print_summary(number - first, failed);
  return failed > 0 ? 1 : 0;
}

}  // namespace
}  // namespace collio::differential

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto options = collio::differential::parse(argc, argv);
  const int code = collio::differential::fuzz(options);
  MPI_Finalize();
  return code;
}
