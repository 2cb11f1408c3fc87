// Faults injected into collio's calls on the file (collio_faults): every rank gets the same error from the
// same call, of the class that is documented; the file's error handler is called once; counted bytes are in
// the file; no other byte changed; the next call works.
//
//   fault_outcomes                        the drills below, under whatever the environment says of nodes and
//   storage fault_outcomes --drills FILE [--first N]   one drill a line ("key=value;…", drill.hpp), one line
//   of JSON each: for tools/fault_matrix

#include <cstring>
#include <fstream>
#include <span>
#include <stdexcept>

#include "../mpi/check.hpp"
#include "drill.hpp"

using namespace collio::test;

namespace {

struct Expected {
  const char* faults;
  const char* verdict;
};

constexpr Expected writes[] = {
    {"all:write:ENOSPC", "NO_SPACE on all"},
    {"all:write2+:EDQUOT", "QUOTA on all"},
    {"all:write:EIO", "IO on all"},
    {"all:write:EFBIG", "NO_SPACE on all"},
    {"all:write:EROFS", "READ_ONLY on all"},
    {"all:write:EACCES", "ACCESS on all"},
    {"all:write:ENOMEM", "NO_MEM on all"},
    {"all:write:ZERO", "IO on all"},
    {"all:write:short=700,ENOSPC", "NO_SPACE on all"},
    {"all:write1:EIO/all:write2:ENOSPC",
     "NO_SPACE on all"},  // a rank of the independent path stops at its first error
    {"all:write:EINTR=3,short=1", "success"},
    {"all:write:delay=0.002", "success"},
    {"all:write1-3:stuck=0.2", "success"},
    {"all:read:EIO", "success"},  // what cannot be read first is written piece by piece
};

constexpr Expected reads[] = {
    {"all:read:EIO", "IO on all"},
    {"all:read2+:ESTALE", "IO on all"},
    {"all:read:short=700,EACCES", "ACCESS on all"},
    {"all:read:EINTR=2,short=3", "success"},
    {"all:read1-2:stuck=0.2", "success"},
    {"all:write:EIO", "success"},
};

class Drills {
 public:
  explicit Drills(Program& program) : program_(program) {}

  void run(Drill drill, const std::string& verdict) {
    drill.file = program_.path("outcomes");
    const Outcome outcome = run_drill(drill);
    ++count_;
    if (program_.rank != 0) return;
    const bool good = outcome.honest() && (outcome.verdict() == verdict ||
                                           (verdict.ends_with("?") && outcome.verdict() == "success") ||
                                           outcome.verdict() + "?" == verdict);
    const bool named = outcome.message.empty() || outcome.ranks[0].named == 1 ||
                       drill.faults.find(":open:") != std::string::npos;
    if (good && named) return;
    std::fprintf(stderr, "expected %s of %s, direction %s, form %s, path %s, layout %s: %s\n",
                 verdict.c_str(), drill.faults.c_str(), drill.write ? "write" : "read", drill.form.c_str(),
                 drill.hints["collio_path"].c_str(), drill.holes ? "holes" : "dense",
                 outcome.json(drill).c_str());
    program_.that(false, "a drill's outcome");
  }
  [[nodiscard]] int count() const noexcept { return count_; }

 private:
  Program& program_;
  int count_ = 0;
};

/// Small windows, so that every aggregator has several.
Drill on_path(const Program& program, const char* path) {
  Drill drill;
  drill.hints = {{"collio_path", path}, {"cb_buffer_size", "65536"}, {"collio_window", "32768"}};
  if (path == std::string("two_phase")) {
    drill.hints["cb_nodes"] = std::to_string(program.size);
    drill.hints["cb_config_list"] = "*:*";
  }
  return drill;
}

void all_fail(Program& program, Drills& drills) {
  for (const char* path : {"two_phase", "two_layer", "independent"}) {
    int turn = 0;
    for (const bool write : {true, false})
      for (const Expected& e : write ? std::span<const Expected>(writes) : std::span<const Expected>(reads)) {
        Drill drill = on_path(program, path);
        constexpr const char* forms[] = {"blocking", "nonblocking", "blocking", "split"};
        drill.write = write;
        drill.faults = e.faults;
        drill.form = forms[turn % 4];
        drill.holes = ++turn % 3 == 0;
        const bool stops = path == std::string("independent") && std::strstr(e.faults, "EIO/");
        const std::string verdict = stops ? "IO on all" : e.verdict;
        // One rank alone may need no more than one transfer, and never meet the second.
        drills.run(drill, program.size == 1 && verdict != "success" ? verdict + "?" : verdict);
      }
  }
}

/// The same through collio.h.
void library_fails(Program& program, Drills& drills) {
  constexpr const char* paths[] = {"two_phase", "two_layer", "independent"};
  constexpr const char* forms[] = {"commit", "request", "epoch", "pieces"};
  std::size_t turn = 0;
  for (const bool write : {true, false})
    for (const Expected& e : write ? std::span<const Expected>(writes) : std::span<const Expected>(reads))
      for (const char* form : forms) {
        Drill drill = on_path(program, paths[turn % 3]);
        drill.write = write;
        drill.faults = e.faults;
        drill.form = form;
        drill.holes = ++turn % 2 == 0 && !std::strstr(e.faults, "EIO/");  // on a disk that is one write
        const bool stops = drill.hints["collio_path"] == "independent" && drill.form != "epoch" &&
                           std::strstr(e.faults, "EIO/");
        const std::string verdict = stops ? "IO on all" : e.verdict;
        drills.run(drill, program.size == 1 && verdict != "success" ? verdict + "?" : verdict);
      }
}

void one_fails(Program& program, Drills& drills) {
  for (const char* path : {"two_phase", "two_layer", "independent"})
    for (const bool write : {true, false})
      for (int rank = 0; rank < program.size; rank += 2) {
        Drill drill = on_path(program, path);
        drill.write = write;
        drill.faults = std::to_string(rank) + (write ? ":write2+:ENOSPC" : ":read2+:EIO");
        // In two layers any rank may serve a window: this one may have had none.
        drills.run(drill, std::string(write ? "NO_SPACE" : "IO") + " on all" +
                              (path == std::string("two_layer") || path == std::string("independent") ||
                                       program.size == 1
                                   ? "?"
                                   : ""));
      }
}

/// Ranks that open the file when they first need it, and aggregators, which open it with the program.
void opening_fails(Program& program, Drills& drills) {
  Drill drill = on_path(program, "independent");
  drill.hints["cb_nodes"] = "1";
  drill.faults = "1-1000:open:EMFILE";
  if (program.size > 1) drills.run(drill, "IO on all?");
  drill.faults = "aggregators:open:EMFILE";
  drills.run(drill, "success");  // left to the MPI library
}

/// On rank 0 or on all: there at once, and on all ranks when the file is closed. The flush after it works.
void flushing_fails(Program& program, const std::string& faults, int expected) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "collio_faults", faults.c_str());
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary("sync").c_str(),
                             MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file),
               "MPI_File_open");
  MPI_Info_free(&info);
  const int code = MPI_File_sync(file);
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  const bool here = program.rank == 0 || faults.starts_with("all");
  program.equal(error_class, here ? expected : MPI_SUCCESS, "class of the error of a flush");
  program.good(MPI_File_sync(file), "the next flush");
  const int closed = MPI_File_close(&file);
  if (expected == MPI_SUCCESS)
    program.good(closed, "MPI_File_close");
  else
    program.equal(program.same_error(closed, "a flush that failed on one rank must fail the close on all"),
                  expected, "class of the error");
}

/// From line `first` on; a line on stdout before and after each, so that the reader of the lines knows which
/// one hangs.
int run_file(Program& program, const char* path, long first) {
  std::ifstream in(path);
  long number = 0;
  for (std::string line; std::getline(in, line); ++number) {
    if (number < first || line.empty()) continue;
    const Drill drill = parse_drill(line);
    if (program.rank == 0) std::printf("begin %ld\n", number), std::fflush(stdout);
    const Outcome outcome = run_drill(drill);
    if (program.rank == 0)
      std::printf("end %ld %s\n", number, outcome.json(drill).c_str()), std::fflush(stdout);
  }
  return program.finish();
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (argc >= 3 && std::strcmp(argv[1], "--drills") == 0) {
    alarm(0);  // who reads the outcomes looks after the time
    return run_file(program, argv[2], argc >= 5 ? std::atol(argv[4]) : 0);
  }
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  Drills drills(program);
  all_fail(program, drills);
  library_fails(program, drills);
  one_fails(program, drills);
  opening_fails(program, drills);
  flushing_fails(program, "0:sync1:EIO", MPI_ERR_IO);
  flushing_fails(program, "all:sync1:ENOSPC", MPI_ERR_NO_SPACE);
  flushing_fails(program, "all:sync:EINTR=2", MPI_SUCCESS);
  if (program.rank == 0) std::printf("%d drills\n", drills.count());
  return program.finish();
}
