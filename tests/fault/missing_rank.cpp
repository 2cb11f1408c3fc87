// A rank that comes to a collective call late, or stands still in the middle of one: the others say which one
// it is while they wait, once for all of them, and again, and that it went on. With --different a rank makes
// another call: then nothing goes on, and what was said is for the launcher's output. --kill kills a rank in
// the middle, for launchers that do not end the job then.
#include <dlfcn.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <sstream>
#include <thread>

#include "../mpi/in_front.hpp"
#include "dealt_file.hpp"
#include "machine/emulated_nodes.hpp"
#include "overheard.hpp"

using namespace collio::test;

namespace {

constexpr int count = 20000;
enum class Here { nothing, stop, kill, sleep };
std::atomic<Here> at_write{Here::nothing}, at_send{Here::nothing};
std::atomic<int> blocking_receives{0};

void do_once(std::atomic<Here>& what) {
  switch (what.exchange(Here::nothing)) {
    case Here::nothing:
      return;
    case Here::stop:
      raise(SIGSTOP);
      return;
    case Here::kill:
      raise(SIGKILL);
      return;
    case Here::sleep:
      std::this_thread::sleep_for(std::chrono::milliseconds(3500));
      return;
  }
}

/// Every rank is an aggregator and writes to the file itself.
DealtFile every_rank_writes(const Program& program) {
  return {.hints = {{"collio_storage", "posix"},
                    {"collio_path", "two_phase"},
                    {"cb_nodes", std::to_string(program.size)},
                    {"cb_config_list", "*:*"}}};
}

/// What has to be said: the missing ranks, and why.
struct Expected {
  std::string call, missing;
};

/// `act(file)` makes the same collective calls on all ranks, but some of them late. Collective.
void check(Program& program, const std::string& what, const Expected& expected,
           const std::function<void(MPI_File)>& act) {
  Overheard overheard(program);
  MPI_File file = open_dealt(program, program.temporary("missing"), every_rank_writes(program));
  act(file);
  if (file != MPI_FILE_NULL) MPI_File_close(&file);
  int waited = 0, on = 0, others = 0;
  const auto lines = overheard.lines();
  for (const std::string& line : lines) {
    const bool of_this = line.find("missing: " + expected.call + " (collective call ") != std::string::npos;
    const bool tells = line.find(") has waited for ") != std::string::npos;
    const bool right =
        of_this && line.find(expected.missing) != std::string::npos && line.find("rank") != std::string::npos;
    waited += tells && right ? 1 : 0;
    on += of_this && line.find(" went on after ") != std::string::npos ? 1 : 0;
    others += tells && !right ? 1 : 0;
  }
  if (program.rank != 0) return;
  program.that(waited >= 2 && waited <= 4,
               (what + ": it must be told, and again, and not by everybody").c_str());
  program.that(on >= 1 && on <= 2, (what + ": that it went on must be told").c_str());
  program.equal(others, 0, (what + ": things told that are wrong").c_str());
  if (waited >= 2 && on >= 1 && others == 0) return;
  for (const std::string& line : lines) std::fprintf(stderr, "%s: %s\n", what.c_str(), line.c_str());
}

void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(3500)); }

/// A child that wakes this process up again when it was stopped.
pid_t waker(int after_s) {
  const pid_t child = fork();
  if (child != 0) return child;
  sleep(static_cast<unsigned>(after_s));
  kill(getppid(), SIGCONT);
  _exit(0);
}

std::string ranks_text(std::vector<int> ranks, const char* after_one, const char* after_several) {
  std::string text = ranks.size() > 1 ? "ranks " : "rank ";
  for (std::size_t i = 0; i < ranks.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(ranks[i]);
  return text + (ranks.size() > 1 ? after_several : after_one);
}

/// Nothing goes on: the ranks that are left end after a while, without their file.
void without_end(Program& program, const std::string& how) {
  alarm(7);
  MPI_File file = open_dealt(program, program.temporary("endless"), every_rank_writes(program));
  const auto data = values(program.rank, count);
  MPI_File_write_all(file, data.data(), count, MPI_INT, MPI_STATUS_IGNORE);
  if (program.rank == program.size - 1 && how == "--different")
    MPI_File_set_size(file, 0);  // the MPI library's, in which it waits for the others
  if (program.rank == program.size - 1 && how == "--kill") at_write = at_send = Here::kill;
  MPI_File_write_all(file, data.data(), count, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_all(file, data.data(), count, MPI_INT, MPI_STATUS_IGNORE);
  pause();
}

}  // namespace

// In front of the C library's and the MPI library's: what collio calls in the middle of a call.
extern "C" ssize_t pwrite64(int fd, const void* data, size_t bytes, off64_t offset) {
  do_once(at_write);
  static auto* const next =
      reinterpret_cast<ssize_t (*)(int, const void*, size_t, off64_t)>(dlsym(RTLD_NEXT, "pwrite64"));
  return next(fd, data, bytes, offset);
}
extern "C" ssize_t pwrite(int fd, const void* data, size_t bytes, off_t offset) {
  return pwrite64(fd, data, bytes, offset);
}
extern "C" int PMPI_Issend(const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                           MPI_Request* request) {
  do_once(at_send);
  return COLLIO_BEHIND(PMPI_Issend)(data, n, type, to, tag, comm, request);
}

/// A rank that looks for others' messages must not wait for the rest of one.
extern "C" int PMPI_Recv(void* data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                         MPI_Status* status) {
  if (from_engine(__builtin_return_address(0))) ++blocking_receives;
  return COLLIO_BEHIND(PMPI_Recv)(data, n, type, from, tag, comm, status);
}

int main(int argc, char** argv) {
  Program program(argc, argv, 100);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  const std::string no_memory = program.no_node_memory();  // in which ranks see what the others do
  if (argc > 1 && !no_memory.empty()) return program.skip(no_memory);
  if (argc > 1) without_end(program, argv[1]);
  const char* text = std::getenv("COLLIO_RANKS_PER_NODE");
  const int most = collio::machine::read_emulated_nodes(text ? text : "").value().most_ranks;
  const int per_node = most > 0 ? most : program.size;
  const bool alone = per_node == 1;
  const int last = program.size - 1;
  const auto data = values(program.rank, count);
  const auto write = [&](MPI_File file) {
    program.good(MPI_File_write_all(file, data.data(), count, MPI_INT, MPI_STATUS_IGNORE),
                 "MPI_File_write_all");
  };
  const auto late = [&](std::vector<int> ranks) {
    // The last rank may be alone on its node.
    const bool unheard =
        alone || (ranks.size() == 1 && ranks[0] % per_node == 0 && ranks[0] == program.size - 1);
    return unheard ? "no word from " + ranks_text(ranks, "", "")
                   : ranks_text(ranks, " has not come to it", " have not come to it");
  };
  check(program, "last rank late", {"write_all", late({last})}, [&](MPI_File file) {
    write(file);
    if (program.rank == last) nap();
    write(file);
  });
  if (program.size > 3)
    check(program, "first and fourth rank late", {"write_all", late({0, 3})}, [&](MPI_File file) {
      write(file);
      if (program.rank == 0 || program.rank == 3) nap();
      write(file);
    });
  check(program, "late to close", {"close", late({last})}, [&](MPI_File file) {
    write(file);
    if (program.rank == last) nap();
  });
  check(program, "posted late", {"iwrite_all", late({last})}, [&](MPI_File file) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (program.rank == last) nap();
    MPI_File_iwrite_all(file, data.data(), count, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  });
  for (const Here how : {Here::stop, Here::sleep}) {
    const std::string silent = alone ? "no word from rank 1" : "rank 1 has given no sign of life for ";
    check(program, how == Here::stop ? "stopped" : "held up", {"write_at_all", silent}, [&](MPI_File file) {
      const pid_t child = program.rank == 1 && how == Here::stop ? waker(4) : 0;
      if (program.rank == 1) at_write = how;
      program.good(MPI_File_write_at_all(file, 0, data.data(), count, MPI_INT, MPI_STATUS_IGNORE),
                   "MPI_File_write_at_all");
      at_write = at_send = Here::nothing;
      if (child > 0) waitpid(child, nullptr, 0);
      MPI_Barrier(MPI_COMM_WORLD);
    });
  }
  program.equal(blocking_receives.load(), 0, "receives that block");
  return program.finish();
}
