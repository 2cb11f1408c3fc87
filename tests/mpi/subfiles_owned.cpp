// Placeholders that programs without collio copy, link, restore, empty or write to: no job loses the bytes of
// another file, and what is there opens.
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "check.hpp"
#include "open_with.hpp"

using namespace collio::test;
namespace fs = std::filesystem;

namespace {

constexpr int ints = 1000;
constexpr int to_write = MPI_MODE_CREATE | MPI_MODE_RDWR;
#ifdef OPEN_MPI  // its 4.1 writes past a buffer of its own
constexpr bool library_takes_long_names = false;
#else
constexpr bool library_takes_long_names = true;
#endif

bool is_placeholder(const std::string& path) { return raw(path).starts_with("collio placeholder"); }

/// On rank 0 alone, between barriers.
template <class Step>
void on_first(const Program& program, Step&& step) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (program.rank == 0) step();
  MPI_Barrier(MPI_COMM_WORLD);
}

void copy(const std::string& from, const std::string& to) { std::ofstream(to) << raw(from); }

/// Makes the file, or writes to it, with the ints of this `seed`.
void write(Program& program, const std::string& path, int seed, const Pairs& hints = in_subfiles,
           bool syncs = false) {
  MPI_File file = MPI_FILE_NULL;
  program.good(open_with(hints, path, to_write, &file), "MPI_File_open to write");
  if (file == MPI_FILE_NULL) return;
  const auto data = values(program.rank, ints, seed);
  program.good(
      MPI_File_write_at_all(file, 4LL * ints * program.rank, data.data(), ints, MPI_INT, MPI_STATUS_IGNORE),
      "MPI_File_write_at_all");
  if (syncs) program.good(MPI_File_sync(file), "MPI_File_sync");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

void has(Program& program, const std::string& path, int seed, const char* what,
         std::source_location where = std::source_location::current()) {
  MPI_File file = MPI_FILE_NULL;
  program.good(open_with({}, path, MPI_MODE_RDONLY, &file), what, where);
  if (file == MPI_FILE_NULL) return;
  std::vector<int> found(ints, -1);
  MPI_Offset bytes = 0;
  MPI_File_get_size(file, &bytes);
  program.equal(bytes, 4LL * ints * program.size, "size", where);
  MPI_File_read_at_all(file, 4LL * ints * program.rank, found.data(), ints, MPI_INT, MPI_STATUS_IGNORE);
  program.that(found == values(program.rank, ints, seed), what, where);
  program.good(MPI_File_close(&file), "MPI_File_close", where);
}

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return text;
}

void refused(Program& program, const std::string& path, int mode, const std::string& advice,
             std::source_location where = std::source_location::current()) {
  MPI_File file = MPI_FILE_NULL;
  const int code = open_with({}, path, mode, &file);
  program.equal(program.same_error(code, "an open that must fail"), MPI_ERR_READ_ONLY, "class", where);
  if (code != MPI_SUCCESS)
    program.that(text_of(code).find(advice) != std::string::npos, text_of(code).c_str(), where);
  if (file != MPI_FILE_NULL) MPI_File_close(&file);
}

void remove(Program& program, const std::string& path) {
  on_first(program, [&] { program.good(MPI_File_delete(path.c_str(), MPI_INFO_NULL), "MPI_File_delete"); });
  program.that(!fs::exists(path), "the name is gone");
}

void through_a_copy(Program& program) {
  const std::string path = program.temporary("original"), backup = program.temporary("backup");
  write(program, path, 1);
  on_first(program, [&] { copy(path, backup); });
  has(program, backup, 1, "a copy reads as its original");
  refused(program, backup, MPI_MODE_RDWR, "collio cp " + path + " " + backup);
  remove(program, backup);
  has(program, path, 1, "the original after its copy is deleted");

  on_first(program, [&] { copy(path, backup); });
  MPI_File file = MPI_FILE_NULL;
  program.good(open_with({}, backup, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, &file), "MPI_File_open");
  if (file != MPI_FILE_NULL) program.good(MPI_File_close(&file), "MPI_File_close that deletes");
  program.that(!fs::exists(backup), "the copy is deleted when closed");
  has(program, path, 1, "the original after its copy is deleted when closed");

  on_first(program, [&] { copy(path, backup); });
  remove(program, path);
  write(program, backup, 2, {});
  has(program, backup, 2, "the copy after its original is deleted");
  remove(program, backup);
  program.that(!fs::exists(path + ".collio"), "subfiles go with the last placeholder");
}

/// cp restart restart.bak; the next run empties restart.
void backup_by_cp(Program& program, const Pairs& hints) {
  const std::string path = program.temporary("restart"), backup = program.temporary("restart.bak");
  write(program, path, 1);
  on_first(program, [&] {
    copy(path, backup);
    program.equal(truncate(path.c_str(), 0), 0, "truncate");
  });
  write(program, path, 2, hints);
  has(program, path, 2, "the rewritten file");
  has(program, backup, 1, "its backup");
  write(program, backup, 3, {});
  has(program, backup, 3, "the backup owns its bytes");
  has(program, path, 2, "the rewritten file");
  remove(program, backup);
  has(program, path, 2, "the rewritten file after its backup is deleted");
  remove(program, path);
  on_first(program, [&] {
    for (const auto& entry : fs::directory_iterator(fs::path(path).parent_path()))
      program.that(!entry.path().native().starts_with(path), entry.path().c_str());
  });
}

void joined_with_a_copy(Program& program) {
  for (const char* join : {"close", "background"}) {
    const std::string path = program.temporary("joined"), backup = program.temporary("joined.bak");
    write(program, path, 1);
    on_first(program, [&] { copy(path, backup); });
    Pairs hints = in_subfiles;
    hints.emplace_back("collio_join", join);
    write(program, path, 2, hints);
    has(program, path, 2, "the joined file");
    program.that(!is_placeholder(path), "it is joined");
    has(program, backup, 2, "the copy of its placeholder");
    remove(program, backup);
    program.that(!fs::exists(path + ".collio"), "subfiles go with the last placeholder");
    remove(program, path);
  }
}

void through_a_hard_link(Program& program) {
  const std::string path = program.temporary("one"), link = program.temporary("two");
  write(program, path, 1);
  on_first(program, [&] { fs::create_hard_link(path, link); });
  write(program, link, 2, {});
  remove(program, path);
  has(program, link, 2, "the other name");
  remove(program, link);
  program.that(!fs::exists(path + ".collio"), "subfiles go with the last name");
}

/// A program empties the file; the next open has no hint.
void emptied_without_a_hint(Program& program) {
  const std::string path = program.temporary("emptied");
  write(program, path, 1);
  on_first(program, [&] { program.equal(truncate(path.c_str(), 0), 0, "truncate"); });
  write(program, path, 2, {});
  has(program, path, 2, "an ordinary file");
  program.that(!is_placeholder(path) && !fs::exists(path + ".collio"), "no subfiles are left");
  on_first(program, [&] { fs::remove(path); });
  write(program, path, 1);
  on_first(program, [&] { program.equal(truncate(path.c_str(), 0), 0, "truncate"); });
  remove(program, path);
  program.that(!fs::exists(path + ".collio"), "deleted with its former subfiles");
}

/// A loss of power took the placeholder's text: the file is empty, and older than its manifest.
void lost_placeholder(Program& program) {
  const std::string path = program.temporary("lost");
  write(program, path, 1, in_subfiles, true);
  std::string text = raw(path);
  on_first(program, [&] {
    program.equal(truncate(path.c_str(), 0), 0, "truncate");
    fs::last_write_time(path, fs::last_write_time(path + ".collio/manifest") - std::chrono::seconds(1));
  });
  write(program, path, 2);
  has(program, path, 2, "the new file");
  program.that(fs::exists(path + ".collio/manifest"), "the flushed subfiles stay");
  remove(program, path);
  on_first(program, [&] { std::ofstream(path) << text; });
  has(program, path, 1, "the flushed bytes");
  remove(program, path);
}

/// After a loss of power: behind the flushed bytes some are missing.
void short_behind_the_flushed(Program& program) {
  const std::string path = program.temporary("short");
  write(program, path, 1, in_subfiles, true);
  const auto flushed = static_cast<long long>(sizeof(int)) * ints * program.size;
  MPI_File file = MPI_FILE_NULL;
  program.good(open_with({}, path, MPI_MODE_RDWR, &file), "MPI_File_open");
  const auto data = values(program.rank, ints, 2);
  MPI_File_write_at_all(file, flushed + 4LL * ints * program.rank, data.data(), ints, MPI_INT,
                        MPI_STATUS_IGNORE);
  program.good(MPI_File_close(&file), "MPI_File_close");
  const long long stripe = (flushed / 700 + 2) / 3 * 3, there = stripe * 700 + 5;  // in subfile 0
  std::string subfile;
  for (const auto& entry : fs::directory_iterator(path + ".collio"))
    if (entry.path().native().ends_with(".0000")) subfile = entry.path().native();
  on_first(program, [&] { fs::resize_file(subfile, static_cast<std::uintmax_t>(stripe / 3 * 700 + 5)); });
  program.good(open_with({}, path, MPI_MODE_RDONLY, &file), "MPI_File_open of what is there");
  if (file != MPI_FILE_NULL) {
    MPI_Offset bytes = 0;
    MPI_Status status;
    std::vector<int> found(2 * ints, -1);
    MPI_File_get_size(file, &bytes);
    program.equal(bytes, there, "size: up to the first byte that is missing");
    MPI_File_read_at_all(file, 0, found.data(), ints, MPI_INT, &status);
    found.resize(ints);
    program.that(found == values(0, ints, 1), "the flushed bytes");
    MPI_File_read_at(file, there - 3, found.data(), 4 * ints, MPI_BYTE, &status);
    program.equal(status_bytes(status), 3, "bytes of a read beyond the first that is missing");
    MPI_File_read_at_all(file, there + 700, found.data(), ints, MPI_INT, &status);
    program.equal(status_bytes(status), 0, "bytes behind it");
    program.good(MPI_File_close(&file), "MPI_File_close");
  }
  const int code = open_with({}, path, MPI_MODE_RDWR, &file);
  program.equal(program.same_error(code, "an open to write"), MPI_ERR_BAD_FILE, "class");
  program.that(text_of(code).find("collio fsck --repair " + path) != std::string::npos, "what to do");
  on_first(program, [&] { fs::resize_file(subfile, 0); });
  program.same_error(open_with({}, path, MPI_MODE_RDONLY, &file), "flushed bytes are missing");
  on_first(program, [&] { fs::remove_all(path + ".collio"), fs::remove(path); });
}

/// A name that is longer than those of its subfiles may be.
void long_name(Program& program) {
  std::string path = program.temporary("");
  const std::size_t bytes = path.size() - path.rfind('/') - 1;
  path += std::string(255 - bytes, 'n');
  write(program, path, 1);
  program.that(is_placeholder(path), "in subfiles");
  has(program, path, 1, "a file with a name of 255 bytes");
  remove(program, path);
  on_first(program, [&] {
    for (const auto& entry : fs::directory_iterator(fs::path(path).parent_path()))
      program.that(!entry.path().native().starts_with(path.substr(0, path.size() - 60)),
                   entry.path().c_str());
  });
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  through_a_copy(program);
  backup_by_cp(program, in_subfiles);
  backup_by_cp(program, {});
  joined_with_a_copy(program);
  through_a_hard_link(program);
  emptied_without_a_hint(program);
  lost_placeholder(program);
  short_behind_the_flushed(program);
  if (library_takes_long_names) long_name(program);
  return program.finish();
}
