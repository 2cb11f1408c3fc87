// Shared file pointers on a mount whose locks stay on their node. The program stands in front of fcntl(2):
// each node locks bytes of its own, and no node sees the others'.
#include <dlfcn.h>
#include <fcntl.h>

#include <cstdarg>

#include "check.hpp"
#include "in_front.hpp"
#include "machine/emulated_nodes.hpp"
#include "open_with.hpp"

using namespace collio::test;

namespace {

int own_node = 0;

int lock_here(int fd, int command, void* argument) {
  using Call = int (*)(int, int, ...);
  static const auto real = reinterpret_cast<Call>(dlsym(RTLD_NEXT, "fcntl"));
  if (command != F_OFD_SETLK && command != F_OFD_SETLKW) return real(fd, command, argument);
  struct flock lock = *static_cast<struct flock*>(argument);
  lock.l_start += std::int64_t{own_node} << 50;
  return real(fd, command, &lock);
}

/// A view that collio keeps to itself.
void set_nested_view(Program& program, MPI_File file) {
  MPI_Datatype plain = dealt_ints(0, 2, 5), type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(1, plain, &type);
  MPI_Type_commit(&type);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
  MPI_Type_free(&plain);
}

void run(Program& program, const char* name, const Pairs& hints, bool reach) {
  MPI_File file = MPI_FILE_NULL;
  program.good(open_with(hints, program.temporary(name), MPI_MODE_CREATE | MPI_MODE_RDWR, &file), "open");
  set_nested_view(program, file);
  int mine = program.rank + 1;
  MPI_Offset position = -1;
  program.that((MPI_File_write_shared(file, &mine, 1, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS) == reach,
               "whether write_shared succeeds");
  MPI_Barrier(MPI_COMM_WORLD);
  program.that((MPI_File_get_position_shared(file, &position) == MPI_SUCCESS) == reach,
               "whether get_position_shared succeeds");
  MPI_Barrier(MPI_COMM_WORLD);
  program.good(MPI_File_seek_shared(file, 2, MPI_SEEK_SET), "seek_shared");
  for (int i = 0; i < 3; ++i)
    program.good(MPI_File_write_ordered(file, &mine, 1, MPI_INT, MPI_STATUS_IGNORE), "write_ordered");
  settle(file, MPI_COMM_WORLD);
  std::vector<int> all(static_cast<std::size_t>(3 * program.size), -1);
  program.good(
      MPI_File_read_at(file, 2, all.data(), static_cast<int>(all.size()), MPI_INT, MPI_STATUS_IGNORE),
      "read_at");
  for (std::size_t i = 0; i < all.size(); ++i)
    program.equal(all[i], static_cast<int>(i) % program.size + 1, "an int of an ordered write");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

}  // namespace

extern "C" int fcntl(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  return lock_here(fd, command, argument);
}
extern "C" int fcntl64(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  return lock_here(fd, command, argument);
}

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  run(program, "global", {}, true);
  run(program, "global.subfiles", in_subfiles, true);
  const char* text = std::getenv("COLLIO_RANKS_PER_NODE");
  own_node = collio::machine::read_emulated_nodes(text ? text : "").value().node_of(program.rank);
  run(program, "local", {}, text == nullptr);
  run(program, "local.subfiles", in_subfiles, text == nullptr);
  return program.finish();
}
