// Subfiles of which one turns slow while they are written (an aggregator whose writes are delayed): stripes
// go to the others, and the file has the bytes that were written, whoever wrote them how; and when it is not
// done.
#include <algorithm>
#include <filesystem>
#include <sstream>

#include "check.hpp"
#include "open_with.hpp"

using namespace collio::test;

namespace {

constexpr int unit = 65536, subfiles = 4, block = 7001;
constexpr int step_bytes = 24 * subfiles * unit;

/// One aggregator writes to each subfile: half a ms for a stripe, so that a wait for a core counts for
/// little; one of them 10 ms from its fifth write on, for a while.
Pairs hints(const char* faults = "aggregator=1:write5-120:delay=0.01/all:write:delay=0.0005") {
  return {{"collio_subfiles", "4"}, {"collio_subfile_unit", "65536"},   {"collio_redeal", "enable"},
          {"cb_nodes", "4"},        {"collio_domains", "group_cyclic"}, {"collio_path", "two_phase"},
          {"collio_faults", faults}};
}

char byte_at(MPI_Offset place) { return static_cast<char>((place >> 11) * 31 + place * 7 + 1); }

std::string expected(MPI_Offset from, MPI_Offset bytes) {
  std::string text(static_cast<std::size_t>(bytes), '\0');
  constexpr MPI_Offset run = 1 << 11;  // in which the next byte is 7 more
  for (MPI_Offset i = 0; i < bytes;) {
    const MPI_Offset end = std::min(bytes, i + run - (from + i) % run);
    for (char byte = byte_at(from + i); i < end; ++i, byte = static_cast<char>(byte + 7))
      text[static_cast<std::size_t>(i)] = byte;
  }
  return text;
}

/// Stripes of a step that nobody writes.
struct Hole {
  int first = 0, count = 0;
  [[nodiscard]] bool holds(int at) const { return at >= first * unit && at < (first + count) * unit; }
};

/// Ranks write blocks in turn, `step_bytes` in all, but for those that begin in the hole.
void write_step(Program& program, MPI_File file, MPI_Offset begin, Hole hole = {}) {
  std::string mine;
  std::vector<int> lengths;
  std::vector<MPI_Aint> places;
  for (int at = program.rank * block; at < step_bytes; at += program.size * block) {
    const int bytes = std::min(block, step_bytes - at);
    if (hole.holds(at)) continue;
    lengths.push_back(bytes);
    places.push_back(at);
    mine += expected(begin + at, bytes);
  }
  MPI_Datatype pieces = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), MPI_BYTE,
                           &pieces);
  MPI_Type_commit(&pieces);
  program.good(MPI_File_set_view(file, begin, MPI_BYTE, pieces, "native", MPI_INFO_NULL), "set_view");
  program.good(
      MPI_File_write_at_all(file, 0, mine.data(), static_cast<int>(mine.size()), MPI_BYTE, MPI_STATUS_IGNORE),
      "write_at_all");
  program.good(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), "set_view back");
  MPI_Type_free(&pieces);
}

/// By one rank alone: one block.
void write_alone(Program& program, MPI_File file, int rank, MPI_Offset at) {
  const std::string mine = expected(at, block);
  if (program.rank == rank)
    program.good(MPI_File_write_at(file, at, mine.data(), block, MPI_BYTE, MPI_STATUS_IGNORE), "write_at");
}

void check_content(Program& program, MPI_File file, MPI_Offset bytes, const char* what) {
  MPI_Offset found = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  program.good(MPI_File_get_size(file, &found), "get_size");
  program.equal(found, bytes, what);
  std::string text(static_cast<std::size_t>(bytes), '?');
  program.good(
      MPI_File_read_at_all(file, 0, text.data(), static_cast<int>(bytes), MPI_BYTE, MPI_STATUS_IGNORE),
      "read_at_all");
  program.that(text == expected(0, bytes), what);
  program.good(MPI_File_read_at(file, bytes / 2, text.data(), block, MPI_BYTE, MPI_STATUS_IGNORE), "read_at");
  program.that(text.substr(0, block) == expected(bytes / 2, block), what);
}

/// The lines of the manifest that deal stripes anew; on rank 0.
std::vector<std::string> deals(const Program& program, const std::string& path) {
  std::vector<std::string> found;
  std::istringstream lines(program.rank == 0 ? raw(path + ".collio/manifest") : "");
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("deal ")) found.push_back(line);
  return found;
}

MPI_File open(Program& program, const std::string& path, const Pairs& with, int mode) {
  MPI_File file = MPI_FILE_NULL;
  program.good(open_with(with, path, mode, &file), "MPI_File_open");
  return file;
}

void close(Program& program, MPI_File& file) { program.good(MPI_File_close(&file), "MPI_File_close"); }

constexpr int to_make = MPI_MODE_CREATE | MPI_MODE_RDWR;

enum class Length { grows, full, reserved };

/// Six steps, and calls of ranks alone ahead of them.
void test_slow_subfile(Program& program, Length length) {
  constexpr int steps = 6;
  const std::string path = program.path("redeal");
  const bool first_is_slow = length == Length::grows;
  MPI_File file = open(
      program, path,
      first_is_slow ? hints("aggregator=0:write5-120:delay=0.01/all:write:delay=0.0005") : hints(), to_make);
  if (length == Length::full) program.good(MPI_File_set_size(file, steps * step_bytes), "set_size");
  if (length == Length::reserved) program.good(MPI_File_preallocate(file, steps * step_bytes), "preallocate");
  for (int k = 0; k < steps; ++k) {
    const MPI_Offset begin = MPI_Offset{k} * step_bytes;
    if (k % 2 == 0) write_alone(program, file, k % program.size, begin + step_bytes / 3);
    write_step(program, file, begin);
    if (k == 3) program.good(MPI_File_sync(file), "sync");
  }
  check_content(program, file, steps * step_bytes, "content before close");
  close(program, file);

  const auto found = deals(program, path);
  if (program.rank == 0) {
    program.equal(static_cast<long long>(found.size()), length == Length::reserved ? 0 : 1, "deals");
    const bool without_one = !found.empty() && found[0].ends_with(first_is_slow ? " 1 2 3" : " 0 2 3");
    program.that(without_one || length == Length::reserved, "the slow subfile is left out");
  }
  file = open(program, path, {}, MPI_MODE_RDWR);
  check_content(program, file, steps * step_bytes, "content after opening it again");
  write_step(program, file, MPI_Offset{steps} * step_bytes);
  check_content(program, file, (steps + 1) * step_bytes, "content after one more step");
  program.good(MPI_File_set_size(file, step_bytes / 2), "set_size to less");
  check_content(program, file, step_bytes / 2, "content of a shorter file");
  program.good(MPI_File_set_size(file, 0), "set_size to nothing");
  write_step(program, file, 0);
  check_content(program, file, step_bytes, "content written anew");
  close(program, file);
  MPI_File_delete(path.c_str(), MPI_INFO_NULL);
}

/// It stays where it is, also for ranks that first use it when stripes were dealt anew.
void test_shared_pointer(Program& program) {
  constexpr int steps = 4, part = step_bytes / 4, apart = 12345;
  const std::string path = program.path("redeal");
  MPI_File file = open(program, path, hints(), to_make);
  program.good(MPI_File_seek_shared(file, apart, MPI_SEEK_SET), "seek_shared");
  for (int k = 0; k < steps; ++k) {
    const MPI_Offset at = MPI_Offset{k} * step_bytes + MPI_Offset{program.rank} * part;
    const std::string mine = expected(at, part);
    program.good(MPI_File_write_at_all(file, at, mine.data(), part, MPI_BYTE, MPI_STATUS_IGNORE),
                 "write_at_all");
  }
  const std::string mine = expected(apart, block);
  if (program.rank == program.size - 1)
    program.good(MPI_File_write_shared(file, mine.data(), block, MPI_BYTE, MPI_STATUS_IGNORE),
                 "write_shared");
  check_content(program, file, steps * step_bytes, "content with the shared pointer");
  close(program, file);
  if (program.rank == 0) program.equal(static_cast<long long>(deals(program, path).size()), 1, "deals");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_delete(path.c_str(), MPI_INFO_NULL);
}

/// In a call long enough, what goes to the slow subfile is left out and dealt to the others, which then have
/// no byte of the first attempt: where nobody writes there are zeros.
void test_in_mid_call(Program& program, Length length) {
  constexpr int fast = 4, all = fast + 2;
  constexpr Hole hole{30, 20};
  const std::string path = program.path("redeal");
  MPI_File file =
      open(program, path, hints("aggregator=1:write101-108:delay=0.03/all:write:delay=0.002"), to_make);
  if (length == Length::full) {
    program.good(MPI_File_set_size(file, all * step_bytes), "set_size");
    program.good(MPI_File_sync(file), "sync");
  }
  for (int k = 0; k < all; ++k)
    write_step(program, file, MPI_Offset{k} * step_bytes, k < fast ? Hole{} : hole);
  std::string text(std::size_t{all} * step_bytes, '?');
  program.good(MPI_File_read_at_all(file, 0, text.data(), all * step_bytes, MPI_BYTE, MPI_STATUS_IGNORE),
               "read_at_all");
  std::string right = expected(0, all * step_bytes);
  for (int k = fast; k < all; ++k)
    for (int at = 0; at < step_bytes; at += block)
      if (hole.holds(at)) std::fill_n(right.begin() + k * step_bytes + at, block, '\0');
  program.that(text == right, "content with holes");
  const std::string noted =
      "\nbytes " + std::to_string(length == Length::full ? fast * step_bytes : 0) + "\n";
  if (program.rank == 0)
    program.that(raw(path + ".collio/manifest").find(noted) != std::string::npos,
                 "the manifest asks for what was written before");
  close(program, file);
  if (program.rank == 0) {
    const auto found = deals(program, path);
    program.equal(static_cast<long long>(found.size()), 1, "deals");
    const std::string first = std::to_string(fast * step_bytes / unit);
    program.that(!found.empty() && found[0] == "deal " + first + " 0 2 3", "dealt from the slow call on");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_delete(path.c_str(), MPI_INFO_NULL);
}

/// The end of the bytes written and the length that the program has set lie in one stripe: a call long enough
/// that ends between them leaves the length.
void test_length_in_last_stripe(Program& program) {
  constexpr int fast = 4, apart = 1000;
  constexpr MPI_Offset bytes = fast * step_bytes + 4 * apart;
  const std::string path = program.path("redeal");
  MPI_File file =
      open(program, path, hints("aggregator=1:write103-110:delay=0.03/all:write:delay=0.002"), to_make);
  program.good(MPI_File_set_size(file, bytes), "set_size");
  for (int k = 0; k < fast; ++k) write_step(program, file, MPI_Offset{k} * step_bytes + apart);
  write_step(program, file, 2 * apart + MPI_Offset{fast - 1} * step_bytes);
  MPI_Offset found = 0;
  program.good(MPI_File_get_size(file, &found), "get_size");
  program.equal(found, bytes, "length as it was set");
  std::string text(bytes, '?');
  program.good(MPI_File_read_at_all(file, 0, text.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE), "read_at_all");
  const std::string right = expected(apart, fast * step_bytes + apart);
  program.that(text == std::string(apart, '\0') + right + std::string(2 * apart, '\0'),
               "content between zeros");
  close(program, file);
  if (program.rank == 0) program.equal(static_cast<long long>(deals(program, path).size()), 1, "deals");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_delete(path.c_str(), MPI_INFO_NULL);
}

void test_joined(Program& program) {
  const std::string path = program.path("redeal");
  Pairs with = hints();
  with.emplace_back("collio_join", "close");
  MPI_File file = open(program, path, with, to_make);
  for (int k = 0; k < 4; ++k) write_step(program, file, MPI_Offset{k} * step_bytes);
  close(program, file);
  if (program.rank == 0) program.that(raw(path) == expected(0, 4 * step_bytes), "the joined file");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_delete(path.c_str(), MPI_INFO_NULL);
}

enum class Others { have_it_open, have_written };

/// Another open of the file knows where its stripes are, or has written where nobody else has.
void test_others(Program& program, Others others) {
  constexpr int steps = 4;
  const std::string path = program.path("redeal");
  MPI_File file =
      open(program, path, hints("aggregator=1:write5-200:delay=0.01/all:write:delay=0.0005"), to_make);
  write_step(program, file, 0);
  const bool only_reads = others == Others::have_it_open;  // and may have it open for a while
  MPI_File other = open(program, path, {}, only_reads ? MPI_MODE_RDONLY : MPI_MODE_RDWR);
  if (others == Others::have_written) {
    write_alone(program, other, 2, (steps - 1) * step_bytes + unit);
    close(program, other);
  }
  for (int k = 1; k < steps; ++k) write_step(program, file, MPI_Offset{k} * step_bytes);
  if (others == Others::have_it_open) {
    check_content(program, other, steps * step_bytes, "content by the other open");
    if (program.rank == 0) program.that(deals(program, path).empty(), "no deal beside another open");
    close(program, other);
  }
  write_step(program, file, MPI_Offset{steps} * step_bytes);
  check_content(program, file, (steps + 1) * step_bytes, "content beside another open");
  close(program, file);
  const auto found = static_cast<long long>(deals(program, path).size());
  if (program.rank == 0)
    program.equal(found, others == Others::have_it_open ? 1 : 0, "deals when it is closed");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_delete(path.c_str(), MPI_INFO_NULL);
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  for (const Length length : {Length::grows, Length::full, Length::reserved})
    test_slow_subfile(program, length);
  for (const Length length : {Length::grows, Length::full}) test_in_mid_call(program, length);
  test_length_in_last_stripe(program);
  test_shared_pointer(program);
  test_joined(program);
  for (const Others others : {Others::have_it_open, Others::have_written}) test_others(program, others);
  return program.finish();
}
