// What must not be lost of a file in subfiles: a join while others have it open, opens that cannot look at
// it, what MPI_File_sync flushes, deletes that do not know the subfiles. The program stands in front of
// open() and fsync().
#include <dlfcn.h>
#include <fcntl.h>

#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "../fault/overheard.hpp"
#include "in_front.hpp"
#include "open_with.hpp"
#include "pieces.hpp"

using namespace collio::test;
namespace fs = std::filesystem;

namespace {

std::string refused_path;  ///< the engine cannot open it
int refused_with = 0;      ///< errno; 0: it can
std::set<std::string> flushed;

}  // namespace

extern "C" int open(const char* path, int flags, ...) {
  using Open = int (*)(const char*, int, ...);
  static const auto real = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "open"));
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  if (refused_with != 0 && path == refused_path && from_engine(__builtin_return_address(0)))
    return errno = refused_with, -1;
  return real(path, flags, mode);
}

extern "C" int fsync(int fd) {
  static const auto real = reinterpret_cast<int (*)(int)>(dlsym(RTLD_NEXT, "fsync"));
  std::error_code none;
  flushed.insert(fs::read_symlink("/proc/self/fd/" + std::to_string(fd), none).native());
  return real(fd);
}

namespace {

constexpr int in_subfiles_mode = MPI_MODE_CREATE | MPI_MODE_RDWR;

bool is_placeholder(const std::string& path) { return raw(path).starts_with("collio placeholder"); }

bool has_state(const std::string& path, const std::string& state) {
  return raw(path + ".collio/manifest").find("state " + state) != std::string::npos;
}

void fill(Program& program, MPI_File file) {
  const auto data = values(program.rank, 1000);
  program.good(
      MPI_File_write_at_all(file, 4000LL * program.rank, data.data(), 1000, MPI_INT, MPI_STATUS_IGNORE),
      "MPI_File_write_at_all");
}

void make(Program& program, const std::string& path) {
  MPI_File file = MPI_FILE_NULL;
  program.good(open_with(in_subfiles, path, in_subfiles_mode, &file), "MPI_File_open in subfiles");
  fill(program, file);
  program.good(MPI_File_close(&file), "MPI_File_close");
}

/// A rank opens what all write: that is no other program.
void second_handle(Program& program) {
  const std::string path = program.temporary("twice");
  MPI_File file = MPI_FILE_NULL, own = MPI_FILE_NULL;
  program.good(open_with(in_subfiles, path, in_subfiles_mode, &file), "MPI_File_open in subfiles");
  fill(program, file);
  program.good(MPI_File_sync(file), "MPI_File_sync");
  Overheard overheard(program);
  program.good(open_with({}, path, MPI_MODE_RDWR, &own, MPI_COMM_SELF), "MPI_File_open of a rank alone");
  std::vector<int> found(1000, -1);
  program.good(MPI_File_read_at(own, 4000LL * program.rank, found.data(), 1000, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_read_at of a rank alone");
  program.good(MPI_File_close(&own), "MPI_File_close of a rank alone");
  program.that(found == values(program.rank, 1000), "what a rank reads through a handle of its own");
  for (const std::string& line : overheard.lines()) program.that(false, line.c_str());
  program.that(has_state(path, "writing"), "the file is being written after a rank's close");
  MPI_Barrier(MPI_COMM_WORLD);
  program.good(MPI_File_close(&file), "MPI_File_close");
  program.that(has_state(path, "complete"), "the file is complete after the last close");
}

/// The handle of the last rank outlives that of all, and was there before it.
void handle_of_last(Program& program) {
  const std::string path = program.temporary("last");
  make(program, path);
  const int last = program.size - 1;
  MPI_File file = MPI_FILE_NULL, own = MPI_FILE_NULL;
  Overheard overheard(program);
  if (program.rank == last)
    program.good(open_with({}, path, MPI_MODE_RDWR, &own, MPI_COMM_SELF), "MPI_File_open of the last rank");
  MPI_Barrier(MPI_COMM_WORLD);
  program.good(open_with({}, path, MPI_MODE_RDWR, &file), "MPI_File_open");
  program.good(MPI_File_close(&file), "MPI_File_close");
  for (const std::string& line : overheard.lines()) program.that(false, line.c_str());
  program.that(has_state(path, "writing"), "the file is being written while the last rank has it open");
  MPI_Barrier(MPI_COMM_WORLD);
  if (program.rank == last) program.good(MPI_File_close(&own), "MPI_File_close of the last rank");
  MPI_Barrier(MPI_COMM_WORLD);
  program.that(has_state(path, "complete"), "the file is complete when the last rank has closed it");
}

/// A file and its copy in another folder are written at once.
void copied_folder(Program& program) {
  const std::string path = program.temporary("from"), copy = program.temporary("to");
  if (program.rank == 0) fs::create_directory(path);
  MPI_Barrier(MPI_COMM_WORLD);
  make(program, path + "/file");
  if (program.rank == 0) fs::copy(path, copy, fs::copy_options::recursive);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File file = MPI_FILE_NULL, other = MPI_FILE_NULL;
  program.good(open_with({}, path + "/file", MPI_MODE_RDWR, &file), "MPI_File_open");
  program.good(open_with({}, copy + "/file", MPI_MODE_RDWR, &other), "MPI_File_open of a copy");
  fill(program, other);
  program.good(MPI_File_close(&other), "MPI_File_close of a copy");
  program.that(has_state(copy + "/file", "complete"), "the copy is complete when its only handle is closed");
  program.good(MPI_File_close(&file), "MPI_File_close");
  if (program.rank == 0) fs::remove_all(path), fs::remove_all(copy);
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Another handle, of one rank, reads on after a close that was to join.
void join_waits_for_others(Program& program) {
  const std::string path = program.temporary("joined");
  make(program, path);
  MPI_File file = MPI_FILE_NULL, other = MPI_FILE_NULL;
  const int last = program.size - 1;
  if (program.rank == last)
    program.good(open_with({}, path, MPI_MODE_RDONLY, &other, MPI_COMM_SELF), "MPI_File_open of one rank");
  program.good(open_with({{"collio_join", "close"}}, path, MPI_MODE_RDWR, &file), "MPI_File_open to join");
  program.good(MPI_File_close(&file), "MPI_File_close that would join");
  program.that(is_placeholder(path), "the subfiles are kept while another has the file open");
  if (program.rank == last) {
    std::vector<int> found(1000, -1);
    program.good(MPI_File_read_at(other, 4000LL * last, found.data(), 1000, MPI_INT, MPI_STATUS_IGNORE),
                 "MPI_File_read_at");
    program.that(found == values(last, 1000), "what the other handle reads");
    program.good(MPI_File_close(&other), "MPI_File_close of one rank");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  program.good(open_with({{"collio_join", "close"}}, path, MPI_MODE_RDWR, &file), "MPI_File_open to join");
  program.good(MPI_File_close(&file), "MPI_File_close that joins");
  program.that(!is_placeholder(path) && !fs::exists(path + ".collio"), "joined when nobody else has it open");
  program.equal(static_cast<long long>(fs::file_size(path)), 4000LL * program.size,
                "bytes of the joined file");
  MPI_Barrier(MPI_COMM_WORLD);
}

Pairs joined_behind() {
  Pairs hints = in_subfiles;
  hints.emplace_back("collio_join", "background");
  return hints;
}

/// The subfiles are removed last, when others may have the file open already.
bool soon_gone(const std::string& folder) {
  for (int i = 0; i < 5000 && fs::exists(folder); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return !fs::exists(folder);
}

/// An open waits until the file is one; a rank that deletes it need not wait.
void join_behind_the_program(Program& program) {
  const std::string path = program.temporary("behind");
  const auto data = values(program.rank, 100000);
  for (int round = 0; round < 5; ++round) {
    MPI_File file = MPI_FILE_NULL;
    program.good(open_with(joined_behind(), path, in_subfiles_mode, &file), "MPI_File_open");
    program.good(
        MPI_File_write_at_all(file, 400000LL * program.rank, data.data(), 100000, MPI_INT, MPI_STATUS_IGNORE),
        "MPI_File_write_at_all");
    program.good(MPI_File_close(&file), "MPI_File_close that begins to join");
    if (round % 2 == 0) {
      program.good(open_with({}, path, MPI_MODE_RDONLY, &file), "MPI_File_open during a join");
      program.that(!is_placeholder(path), "joined");
      program.that(soon_gone(path + ".collio"), "the subfiles are removed");
      std::vector<int> found(100000, -1);
      program.good(MPI_File_read_at_all(file, 400000LL * program.rank, found.data(), 100000, MPI_INT,
                                        MPI_STATUS_IGNORE),
                   "MPI_File_read_at_all");
      program.that(found == data, "what was joined");
      program.good(MPI_File_close(&file), "MPI_File_close");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (program.rank == 0) program.good(MPI_File_delete(path.c_str(), MPI_INFO_NULL), "MPI_File_delete");
    MPI_Barrier(MPI_COMM_WORLD);
    program.that(!fs::exists(path), "deleted");
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// Ranks open, write and close one file, each for itself and at the same time; who is last joins it.
void join_in_a_crowd(Program& program) {
  const std::string path = program.temporary("crowd");
  Pairs hints = in_subfiles;
  hints.emplace_back("collio_join", "close");
  for (int round = 0; round < 10; ++round) {
    const auto data = values(program.rank, 1000, round);
    for (int part = 0; part < 4; ++part) {
      MPI_File file = MPI_FILE_NULL;
      program.good(open_with(hints, path, in_subfiles_mode, &file, MPI_COMM_SELF),
                   "MPI_File_open in a crowd");
      program.good(MPI_File_write_at(file, 4000LL * program.rank + 1000LL * part, data.data() + 250LL * part,
                                     250, MPI_INT, MPI_STATUS_IGNORE),
                   "MPI_File_write_at in a crowd");
      program.good(MPI_File_close(&file), "MPI_File_close in a crowd");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    std::vector<int> found(1000, -1);
    MPI_File file = MPI_FILE_NULL;
    program.good(open_with({}, path, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, &file),
                 "MPI_File_open of all");
    program.good(
        MPI_File_read_at_all(file, 4000LL * program.rank, found.data(), 1000, MPI_INT, MPI_STATUS_IGNORE),
        "MPI_File_read_at_all");
    program.that(found == data, ("what the crowd wrote in round " + std::to_string(round)).c_str());
    program.good(MPI_File_close(&file), "MPI_File_close of all");
    program.that(!fs::exists(path + ".collio"), "no folder is left");
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// The first rank cannot look whether the file is in subfiles: nobody may take the placeholder for data.
void cannot_look(Program& program) {
  const std::string path = program.temporary("unseen");
  make(program, path);
  for (const int error : {EMFILE, EIO, EACCES}) {
    MPI_File file = MPI_FILE_NULL;
    refused_path = path;
    refused_with = program.rank == 0 ? error : 0;
    const int code = open_with({}, path, MPI_MODE_RDWR, &file);
    refused_with = 0;
    program.same_error(code, "a file that cannot be looked at must not open");
    if (code == MPI_SUCCESS) MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_File file = MPI_FILE_NULL;
  program.good(open_with({}, path, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, &file),
               "MPI_File_open afterwards");
  if (file != MPI_FILE_NULL) program.good(MPI_File_close(&file), "MPI_File_close");
}

/// Hints ask for subfiles of a file that has bytes: it is an ordinary one, which may be left to the library.
void has_bytes_already(Program& program) {
  const std::string path = program.temporary("ordinary");
  if (program.rank == 0) std::ofstream(path) << "some bytes";
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File file = MPI_FILE_NULL;
  program.good(open_with({{"collio_subfiles", "3"}, {"collio_faults", "aggregators:open:EMFILE"}}, path,
                         MPI_MODE_RDWR, &file),
               "MPI_File_open of an ordinary file that collio cannot open");
  if (file != MPI_FILE_NULL) MPI_File_close(&file);
  MPI_Barrier(MPI_COMM_WORLD);
}

/// The placeholder, all subfiles, also those that no rank wrote to, and the folders of all names.
void sync_flushes_all(Program& program) {
  const std::string path = program.temporary("flushed");
  MPI_File file = MPI_FILE_NULL;
  flushed.clear();
  program.good(open_with(in_subfiles, path, in_subfiles_mode, &file), "MPI_File_open");
  program.that(program.rank != 0 || flushed.contains(path),
               "the placeholder is flushed before the manifest counts bytes");
  const int one = 1;
  if (program.rank == 0)
    program.good(MPI_File_write_at(file, 2800, &one, 1, MPI_INT, MPI_STATUS_IGNORE), "MPI_File_write_at");
  MPI_Barrier(MPI_COMM_WORLD);
  flushed.clear();
  program.good(MPI_File_sync(file), "MPI_File_sync");
  std::vector<std::string> wanted{fs::path(path).parent_path().native(), path + ".collio"};
  for (const auto& entry : fs::directory_iterator(path + ".collio"))
    if (entry.path().filename() != "manifest") wanted.push_back(entry.path().native());
  std::ranges::sort(wanted);
  program.equal(static_cast<long long>(wanted.size()), 5, "folders and subfiles");
  for (const std::string& name : wanted) {
    int here = flushed.contains(name) ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    program.that(here != 0, (name + " is flushed").c_str());
  }
  program.good(MPI_File_close(&file), "MPI_File_close");
  MPI_Barrier(MPI_COMM_WORLD);
  if (program.rank == 0) program.good(MPI_File_delete(path.c_str(), MPI_INFO_NULL), "MPI_File_delete");
  MPI_Barrier(MPI_COMM_WORLD);
}

void delete_without_manifest(Program& program) {
  const std::string path = program.temporary("undeleted"), manifest = path + ".collio/manifest";
  make(program, path);
  if (program.rank == 0) {
    const std::string text = raw(manifest);
    std::ofstream(manifest) << "X" << text.substr(1);
    const int code = MPI_File_delete(path.c_str(), MPI_INFO_NULL);
    program.that(code != MPI_SUCCESS, "MPI_File_delete of a file with a damaged manifest");
    char words[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, words, &length);
    program.that(std::string(words).find("collio fsck") != std::string::npos, "what to do is told");
    program.that(is_placeholder(path), "nothing is deleted");
    std::ofstream(manifest) << text;
    program.good(MPI_File_delete(path.c_str(), MPI_INFO_NULL), "MPI_File_delete");
    program.that(!fs::exists(path) && !fs::exists(path + ".collio"), "all is deleted");
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Its subfiles would go, and what others have written with them.
void delete_while_others_have_it(Program& program) {
  const std::string path = program.temporary("in_use");
  make(program, path);
  MPI_File file = MPI_FILE_NULL;
  program.good(open_with({}, path, MPI_MODE_RDONLY, &file), "MPI_File_open");
  MPI_Barrier(MPI_COMM_WORLD);
  if (program.rank == 0) {
    int error_class = MPI_SUCCESS;
    MPI_Error_class(MPI_File_delete(path.c_str(), MPI_INFO_NULL), &error_class);
    program.equal(error_class, MPI_ERR_FILE_IN_USE, "class of MPI_File_delete of an open file");
    program.that(is_placeholder(path) && fs::exists(path + ".collio/manifest"), "nothing is deleted");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  std::vector<int> found(1000);
  program.good(
      MPI_File_read_at_all(file, 4000LL * program.rank, found.data(), 1000, MPI_INT, MPI_STATUS_IGNORE),
      "MPI_File_read_at_all");
  program.that(found == values(program.rank, 1000), "what others read");
  program.good(MPI_File_close(&file), "MPI_File_close");
  MPI_Barrier(MPI_COMM_WORLD);
  if (program.rank == 0) program.good(MPI_File_delete(path.c_str(), MPI_INFO_NULL), "MPI_File_delete");
  MPI_Barrier(MPI_COMM_WORLD);
}

/// A symbolic link to a file, which may not be there yet, is as good as its own name; the file outlives it.
void through_a_link(Program& program) {
  const std::string path = program.temporary("linked"), link = path + ".link";
  if (program.rank == 0) fs::create_directory(path), fs::create_symlink(path + "/own", link);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File file = MPI_FILE_NULL;
  program.good(open_with({{"collio_subfiles", "3"}}, link, in_subfiles_mode, &file), "MPI_File_open");
  fill(program, file);
  program.good(MPI_File_close(&file), "MPI_File_close");
  if (program.rank == 0) program.that(fs::exists(path + "/own.collio/manifest"), "subfiles beside the file");
  for (const std::string& name : {path + "/own", link})
    for (const int mode : {MPI_MODE_RDONLY, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE}) {
      if (mode != MPI_MODE_RDONLY && name != link) continue;
      program.good(open_with({}, name, mode, &file), "open by either name");
      std::vector<int> found(1000);
      program.good(
          MPI_File_read_at_all(file, 4000LL * program.rank, found.data(), 1000, MPI_INT, MPI_STATUS_IGNORE),
          "MPI_File_read_at_all");
      program.that(found == values(program.rank, 1000), "content by either name");
      program.good(MPI_File_close(&file), "MPI_File_close");
    }
  MPI_Barrier(MPI_COMM_WORLD);  // in OMPIO each rank deletes the link, which must not be made again before
  if (program.rank == 0) {
    program.that(!fs::exists(fs::symlink_status(link)), "the link is deleted when its file is closed");
    fs::create_symlink(path + "/own", link);
    program.good(MPI_File_delete(link.c_str(), MPI_INFO_NULL), "MPI_File_delete of the link");
    program.that(!fs::exists(fs::symlink_status(link)), "the link is deleted");
    program.that(fs::exists(path + "/own.collio/manifest") && is_placeholder(path + "/own"),
                 "its file is not");
    program.good(MPI_File_delete((path + "/own").c_str(), MPI_INFO_NULL), "MPI_File_delete");
    program.that(fs::is_empty(path), "all is deleted");
    fs::remove(path);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  second_handle(program);
  handle_of_last(program);
  copied_folder(program);
  join_waits_for_others(program);
  join_behind_the_program(program);
  join_in_a_crowd(program);
  cannot_look(program);
  has_bytes_already(program);
  sync_flushes_all(program);
  delete_without_manifest(program);
  delete_while_others_have_it(program);
  through_a_link(program);
  return program.finish();
}
