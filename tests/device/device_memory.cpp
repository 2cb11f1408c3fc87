// Buffers in a device's memory, which the CPU cannot touch: collective, split, nonblocking and independent
// calls. argv[1]: the driver.
#include "../mpi/pieces.hpp"
#include "memory.hpp"

using namespace collio::test;

namespace {

constexpr int parts = 4;

struct Round {
  Program& program;
  const Driver& driver;
  const Reports& reports;
  Buffers buffers;
  const char* path_hint;
};

/// Runs of uneven length and distance; `size`: ints from the first to the last.
struct UnevenType {
  UnevenType() {
    for (int i = 0, at = 0; i < 200; ++i) {
      lengths.push_back(1 + i % 7);
      at += i % 5;
      places.push_back(at);
      at += lengths.back();
      ints += lengths.back();
      size = at;
    }
    MPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), MPI_INT, &type);
    MPI_Type_commit(&type);
  }
  UnevenType(const UnevenType&) = delete;
  ~UnevenType() { MPI_Type_free(&type); }
  /// `data` in its places, other ints being -7.
  [[nodiscard]] std::vector<int> spread(const std::vector<int>& data) const {
    std::vector<int> wide(static_cast<std::size_t>(size), -7);
    std::size_t next = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i)
      for (int k = 0; k < lengths[i]; ++k) wide[static_cast<std::size_t>(places[i] + k)] = data[next++];
    return wide;
  }
  std::vector<int> lengths, places;
  int size = 0, ints = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

void collective(const Round& r, MPI_File file) {
  Program& program = r.program;
  const auto data = values(program.rank, parts * part);
  const auto first = r.buffers.make({data.begin(), data.begin() + part});
  MPI_Status status;
  program.good(MPI_File_write_all(file, first->data(), part, MPI_INT, &status), "MPI_File_write_all");
  program.equal(status_bytes(status), part * 4LL, "bytes written");
  MPI_Datatype type = every_second_int();
  const auto wide = r.buffers.make(spread_out({data.begin() + part, data.begin() + 2 * part}));
  program.good(MPI_File_write_all(file, wide->data(), part, type, &status), "MPI_File_write_all");
  program.equal(status_bytes(status), part * 4LL, "bytes written of every second int");
  const auto third = r.buffers.make({data.begin() + 2 * part, data.begin() + 3 * part});
  program.good(MPI_File_write_all_begin(file, third->data(), part, MPI_INT), "MPI_File_write_all_begin");
  program.good(MPI_File_write_all_end(file, third->data(), &status), "MPI_File_write_all_end");
  const auto fourth = r.buffers.make(spread_out({data.begin() + 3 * part, data.end()}));
  MPI_Request request;
  program.good(MPI_File_iwrite_all(file, fourth->data(), part, type, &request), "MPI_File_iwrite_all");
  program.good(MPI_Wait(&request, &status), "MPI_Wait");
  program.equal(status_bytes(status), part * 4LL, "bytes written, nonblocking");

  const auto found = r.buffers.blank(2 * part);
  program.good(MPI_File_read_at_all(file, 0, found->data(), 2 * part, MPI_INT, &status),
               "MPI_File_read_at_all");
  program.that(found->content() == std::vector<int>(data.begin(), data.begin() + 2 * part),
               "ints that were read");
  const auto apart = r.buffers.blank(2 * part);
  program.good(MPI_File_iread_at_all(file, part, apart->data(), part, type, &request),
               "MPI_File_iread_at_all");
  program.good(MPI_Wait(&request, &status), "MPI_Wait");
  program.that(apart->content() == spread_out({data.begin() + part, data.begin() + 2 * part}),
               "every second int that was read, and ints between");
  const auto later = r.buffers.blank(part);
  program.good(MPI_File_read_at_all_begin(file, 2 * part, later->data(), part, MPI_INT),
               "MPI_File_read_at_all_begin");
  program.good(MPI_File_read_at_all_end(file, later->data(), &status), "MPI_File_read_at_all_end");
  program.that(later->content() == std::vector<int>(data.begin() + 2 * part, data.begin() + 3 * part),
               "ints of a split read");
  MPI_Type_free(&type);
}

/// Types that are no loop, pieces that overlap, and reads that end with the file.
void unusual_types(const Round& r, MPI_File file) {
  Program& program = r.program;
  const UnevenType uneven;
  const auto data = values(program.rank, uneven.ints);
  const auto wide = r.buffers.make(uneven.spread(data));
  program.good(MPI_File_write_at_all(file, 0, wide->data(), 1, uneven.type, MPI_STATUS_IGNORE),
               "MPI_File_write_at_all");
  const auto found = r.buffers.blank(uneven.size);
  program.good(MPI_File_read_at_all(file, 0, found->data(), 1, uneven.type, MPI_STATUS_IGNORE),
               "MPI_File_read_at_all");
  program.that(found->content() == uneven.spread(data), "ints of an uneven type, and ints between");

  MPI_Datatype sliding;  // three ints from every int on
  MPI_Type_vector(50, 3, 1, MPI_INT, &sliding);
  MPI_Type_commit(&sliding);
  const auto narrow = r.buffers.make({data.begin(), data.begin() + 52});
  program.good(MPI_File_write_at_all(file, 0, narrow->data(), 1, sliding, MPI_STATUS_IGNORE),
               "MPI_File_write_at_all");
  MPI_Type_free(&sliding);
  const auto back = r.buffers.blank(150);
  program.good(MPI_File_read_at_all(file, 0, back->data(), 150, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_read_at_all");
  std::vector<int> expected;
  for (std::size_t i = 0; i < 150; ++i) expected.push_back(data[i / 3 + i % 3]);
  program.that(back->content() == expected, "ints of pieces that overlap");

  const auto beyond = r.buffers.blank(2 * part);
  MPI_Status status;
  program.good(MPI_File_read_at_all(file, (parts - 1) * part, beyond->data(), 2 * part, MPI_INT, &status),
               "MPI_File_read_at_all");
  program.equal(status_bytes(status), part * 4LL, "bytes read up to the end of the file");
  const auto content = beyond->content();
  program.that(std::all_of(content.begin() + part, content.end(), [](int one) { return one == -7; }),
               "ints beyond the end of the file");
}

/// One type with absolute addresses: the device's memory on some, the program's own too.
void absolute_addresses(const Round& r, MPI_File file) {
  Program& program = r.program;
  const auto data = values(program.rank, 3 * block);
  const auto one = r.buffers.make({data.begin(), data.begin() + 2 * block});
  const Ints other(std::vector<int>{data.begin() + 2 * block, data.end()});
  const int lengths[] = {2 * block, block};
  MPI_Aint places[2];
  MPI_Get_address(one->data(), &places[0]);
  MPI_Get_address(other.data(), &places[1]);
  MPI_Datatype type, from_first;
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &type);
  places[1] -= places[0];
  places[0] = 0;
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &from_first);
  for (MPI_Datatype* t : {&type, &from_first}) MPI_Type_commit(t);
  program.good(MPI_File_write_at_all(file, 0, MPI_BOTTOM, 1, type, MPI_STATUS_IGNORE),
               "MPI_File_write_at_all");
  program.good(MPI_File_write_at_all(file, 3 * block, one->data(), 1, from_first, MPI_STATUS_IGNORE),
               "MPI_File_write_at_all");
  const auto found = r.buffers.blank(6 * block);
  program.good(MPI_File_read_at_all(file, 0, found->data(), 6 * block, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_read_at_all");
  std::vector<int> twice = data;
  twice.insert(twice.end(), data.begin(), data.end());
  program.that(found->content() == twice, "ints from absolute addresses, and from another buffer's");
  one->fill(-1);
  other.fill(-1);
  program.good(MPI_File_read_at_all(file, 0, MPI_BOTTOM, 1, type, MPI_STATUS_IGNORE), "MPI_File_read_at_all");
  program.that(one->content() == std::vector<int>(data.begin(), data.begin() + 2 * block),
               "ints to absolute addresses");
  program.that(other.content() == std::vector<int>(data.begin() + 2 * block, data.end()),
               "ints to absolute addresses of the program");
  for (MPI_Datatype* t : {&type, &from_first}) MPI_Type_free(t);
}

/// Buffers longer than any staging: many windows, rounds and pieces.
void long_buffers(const Round& r, MPI_File file) {
  Program& program = r.program;
  constexpr int ints = 300001;
  const auto data = values(program.rank, ints);
  const auto buffer = r.buffers.make(data);
  program.good(MPI_File_write_at_all(file, 3, buffer->data(), ints, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_write_at_all");
  const auto found = r.buffers.blank(ints);
  program.good(MPI_File_read_at_all(file, 3, found->data(), ints, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_read_at_all");
  program.that(found->content() == data, "ints of a long buffer");
  MPI_Datatype type = every_second_int();
  const auto wide = r.buffers.make(spread_out(data)), apart = r.buffers.blank(2 * ints);
  program.good(MPI_File_write_at_all(file, 7, wide->data(), ints, type, MPI_STATUS_IGNORE),
               "MPI_File_write_at_all");
  program.good(MPI_File_read_at_all(file, 7, apart->data(), ints, type, MPI_STATUS_IGNORE),
               "MPI_File_read_at_all");
  program.that(apart->content() == wide->content(), "every second int of a long buffer");
  MPI_Type_free(&type);
}

/// Nothing to move for some ranks, or for all, wherever their buffers are.
void nothing_to_move(const Round& r, MPI_File file) {
  Program& program = r.program;
  const auto buffer = r.buffers.make(values(program.rank, block));
  const int count = program.rank == 0 ? block : 0;
  program.good(MPI_File_write_at_all(file, 0, buffer->data(), count, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_write_at_all");
  program.good(MPI_File_read_at_all(file, 0, buffer->data(), count, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_read_at_all");
  program.good(MPI_File_read_at_all(file, 0, buffer->data(), 0, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_read_at_all");
  program.good(MPI_File_read_at_all(file, 0, nullptr, 0, MPI_INT, MPI_STATUS_IGNORE), "MPI_File_read_at_all");
  program.that(buffer->content() == values(program.rank, block),
               "ints that were written and read by the first rank");
}

/// Through a view that stays with collio; on one rank alone the MPI library has it.
void independent(const Round& r, MPI_File file) {
  Program& program = r.program;
  if (program.size == 1) return;
  set_long_view(program, file);
  const auto data = values(program.rank, 2 * part, 5);
  const auto one = r.buffers.make({data.begin(), data.begin() + part});
  const auto wide = r.buffers.make(spread_out({data.begin() + part, data.end()}));
  MPI_Datatype type = every_second_int();
  program.good(MPI_File_write_at(file, 0, one->data(), part, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_write_at");
  MPI_Request request;
  program.good(MPI_File_iwrite_at(file, part, wide->data(), part, type, &request), "MPI_File_iwrite_at");
  program.good(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  settle(file, MPI_COMM_WORLD);
  const auto found = r.buffers.blank(2 * part);
  MPI_Status status;
  program.good(MPI_File_read_at(file, 0, found->data(), 2 * part, MPI_INT, &status), "MPI_File_read_at");
  program.equal(status_bytes(status), 8LL * part, "bytes of an independent read");
  program.that(found->content() == data, "ints of independent calls");
  MPI_Type_free(&type);
}

/// The bytes that were staged are those of ranks on the device.
void check_report(const Round& r, const std::string& name) {
  r.program.good(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  const int mine = r.buffers.on_device() ? 1 : 0;
  int on_device = 0;
  MPI_Allreduce(&mine, &on_device, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (r.program.rank != 0) return;
  const std::string expected =
      "\"device\":{\"from_device\":" + std::to_string(2LL * 4 * part * on_device) + ",";
  r.program.that(r.reports.of(name).find(expected) != std::string::npos,
                 ("the report has " + expected).c_str());
  if (r.program.size == 1) return;
  const char* ranks_a_node = std::getenv("COLLIO_RANKS_PER_NODE");
  const bool one_layer =
      (ranks_a_node && std::string(ranks_a_node) == "1") || !r.program.no_node_memory().empty();
  if (std::string(r.path_hint) == "two_layer" && one_layer) return;
  r.program.that(r.reports.of(name).find(std::string("\"path\":\"") + r.path_hint) != std::string::npos,
                 "calls take the path that was asked for");
}

void one_round(const Round& r, const std::string& name) {
  const std::intptr_t before = r.driver.current();
  MPI_File file = open_with(r.program, name, r.path_hint);
  collective(r, file);
  check_dealt(r.program, name, parts, "ints from the device");
  unusual_types(r, file);
  absolute_addresses(r, file);
  nothing_to_move(r, file);
  if (r.buffers.of_all()) long_buffers(r, file);
  independent(r, file);
  r.program.good(MPI_File_close(&file), "MPI_File_close");
  r.program.equal(r.driver.current(), before, "the thread's current context");
  if (collio_is_on()) check_report(r, name);
  r.driver.forget();
}

/// A call asks once about a buffer of one piece, and not at all about one without bytes.
void few_queries(Program& program, const Driver& driver, MPI_File file) {
  const auto data = values(program.rank, part);
  int before = driver.queries();
  program.good(MPI_File_write_at_all(file, 0, data.data(), part, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_write_at_all");
  program.equal(driver.queries() - before, 1, "queries of a call");
  before = driver.queries();
  program.good(MPI_File_write_at_all(file, 0, data.data(), 0, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_write_at_all");
  program.equal(driver.queries() - before, 0, "queries of a call without bytes");
}

/// Memory that the CPU can touch goes without the driver's copies.
void no_staging(Program& program, const Driver& driver, const std::string& name) {
  MPI_File file = open_with(program, name, "auto");
  few_queries(program, driver, file);
  driver.fail_from(1);
  for (const Kind kind : {Kind::managed, Kind::pinned}) {
    const Ints data(driver, kind, values(program.rank, part)),
        found(driver, kind, std::vector<int>(part, -7));
    program.good(MPI_File_write_at_all(file, 0, data.data(), part, MPI_INT, MPI_STATUS_IGNORE),
                 "MPI_File_write_at_all");
    program.good(MPI_File_read_at_all(file, 0, found.data(), part, MPI_INT, MPI_STATUS_IGNORE),
                 "MPI_File_read_at_all");
    program.that(found.content() == data.content(), "managed and pinned memory");
  }
  program.equal(driver.copies(), 0, "copies of memory that the CPU can touch");
  driver.fail_from(0);
  const Ints data(driver, Kind::pool, values(program.rank, part)),
      found(driver, Kind::pool, std::vector<int>(part, -7));
  program.good(MPI_File_write_at_all(file, 0, data.data(), part, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_write_at_all");
  program.good(MPI_File_read_at_all(file, 0, found.data(), part, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_read_at_all");
  program.that(found.content() == data.content(), "memory of a pool");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

constexpr int host_calls = 20;  // more than those that all look for a driver

/// Ranks do not wait for each other in the calls on it. Its first ones, before the driver is there.
MPI_File open_unmet(Program& program, const std::string& name) {
  MPI_Info info = make_info({{"romio_cb_read", "disable"}, {"romio_cb_write", "disable"}});
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file),
               "MPI_File_open");
  MPI_Info_free(&info);
  const auto data = values(program.rank, part);
  const MPI_Offset at = MPI_Offset{4} * part * program.rank;
  for (int i = 0; i < host_calls; ++i)
    program.good(MPI_File_write_at_all(file, at, data.data(), part, MPI_INT, MPI_STATUS_IGNORE),
                 "MPI_File_write_at_all");
  return file;
}

/// Such a call that is not one of those that look for a driver, with a buffer on the device.
void first_on_device(Program& program, const Driver& driver, MPI_File* file) {
  const MPI_Offset at = MPI_Offset{4} * part * (program.size + program.rank);
  const Ints data(driver, Kind::device, values(program.rank, part)),
      found(driver, Kind::device, std::vector<int>(part, -7));
  program.good(MPI_File_write_at_all(*file, at, data.data(), part, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_write_at_all from a device that came later");
  program.good(MPI_File_read_at_all(*file, at, found.data(), part, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_read_at_all to a device that came later");
  program.that(found.content() == data.content(), "a driver that came between calls");
  program.good(MPI_File_close(file), "MPI_File_close");
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  const Reports reports(program);
  MPI_File file = open_dealt(program, program.temporary("before"));  // collio has begun when the driver comes
  const auto data = values(program.rank, part);
  program.good(MPI_File_write_all(file, data.data(), part, MPI_INT, MPI_STATUS_IGNORE), "MPI_File_write_all");
  MPI_File unmet = open_unmet(program, program.temporary("unmet"));
  const Driver driver(argv[1]);
  driver.begin();
  first_on_device(program, driver, &unmet);
  program.good(MPI_File_write_at_all(file, 0, data.data(), part, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_write_at_all");
  program.good(MPI_File_close(&file), "MPI_File_close");
  no_staging(program, driver, program.temporary("unstaged"));
  if (const std::string why = program.no_node_memory(); !why.empty() && program.rank == 0)
    program.left_out(why);
  const char* paths[] = {"two_layer", "two_phase", "independent"};
  for (const char* path : paths)
    for (const Ranks ranks : {Ranks::all, Ranks::odd})
      one_round({program, driver, reports, Buffers(driver, ranks, program.rank), path},
                program.temporary(path + std::to_string(static_cast<int>(ranks))));
  return program.finish();
}
