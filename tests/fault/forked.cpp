// A program that forks while collio's files are open, or become one file in the background: the child ends at
// once by exit(), says nothing, and the parent's calls go on.
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "dealt_file.hpp"
#include "overheard.hpp"

using namespace collio::test;

namespace {

constexpr int count = 4 << 20;  // ints of a rank: 16 MiB, which take a while to join

/// On rank 0, whose process joins.
void child_ends(Program& program, const char* when) {
  if (program.rank != 0) return;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) std::exit(0);
  int status = -1;
  pid_t ended = 0;
  for (int i = 0; i < 1000 * static_cast<int>(slowness()) && ended == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ended = waitpid(child, &status, WNOHANG);
  }
  program.that(ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, when);
  if (ended == child) return;
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
}

void write_and_close(Program& program, const std::string& name,
                     const std::map<std::string, std::string>& hints, bool fork_between) {
  MPI_File file = open_dealt(program, name, {.block = 1 << 18, .hints = hints});
  const auto data = values(program.rank, count);
  program.good(MPI_File_write_all(file, data.data(), count, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_write_all");
  if (fork_between) child_ends(program, "a child ends while a file is open");
  std::vector<int> found(count);
  program.good(MPI_File_read_at_all(file, 0, found.data(), count, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_read_at_all");
  program.that(found == data, "the file's data");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv, 60);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  if (const std::string why = program.no_room_for_files(); !why.empty()) return program.skip(why);
  write_and_close(program, program.temporary("forked"), {{"collio_path", "two_layer"}}, true);
  Overheard overheard(program);
  write_and_close(program, program.temporary("joined"),
                  {{"collio_subfiles", "4"}, {"collio_join", "background"}}, false);
  child_ends(program, "a child ends while its parent joins subfiles");
  for (const std::string& line : overheard.lines())
    program.that(line.find("collio: ") == std::string::npos, line.c_str());
  return program.finish();
}
