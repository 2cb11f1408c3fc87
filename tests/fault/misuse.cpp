// What programs get wrong in collective calls, and check mode finds: an error of one class on all ranks, or a
// warning that names the ranks and the place. Nobody hangs, and the file works afterwards. Without check
// mode: what can be known is an error too, and what needs no agreement goes well.
#include <cstring>
#include <functional>

#include "../mpi/pieces.hpp"
#include "overheard.hpp"

using namespace collio::test;

namespace {

constexpr int count = 1000;

MPI_File open_checked(Program& program, const char* check, int mode = MPI_MODE_CREATE | MPI_MODE_RDWR) {
  MPI_Info info = make_info({{"collio_check", check}});
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary("misuse").c_str(), mode, info, &file),
               "MPI_File_open");
  MPI_Info_free(&info);
  return file;
}

void write_and_read(Program& program, MPI_File file) {
  const auto data = values(program.rank, count);
  std::vector<int> found(count);
  const MPI_Offset at = static_cast<MPI_Offset>(program.rank) * count * static_cast<MPI_Offset>(sizeof(int));
  program.good(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL),
               "MPI_File_set_view afterwards");
  program.good(MPI_File_write_at_all(file, at, data.data(), count, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_write_at_all afterwards");
  program.good(MPI_File_read_at_all(file, at, found.data(), count, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_read_at_all afterwards");
  program.that(found == data, "data afterwards");
}

void not_same(Program& program, int code, const char* what) {
  program.equal(program.same_error(code, what), MPI_ERR_NOT_SAME, what);
}

void different_calls(Program& program, const char* check) {
  MPI_File file = open_checked(program, check);
  std::vector<int> data(count, program.rank);
  const bool odd = program.rank == program.size - 1;
  const auto write = [&] { return MPI_File_write_all(file, data.data(), count, MPI_INT, MPI_STATUS_IGNORE); };
  const auto view = [&] { return MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL); };
  const bool first_half = program.rank < program.size / 2;
  not_same(program, odd ? MPI_File_read_all(file, data.data(), count, MPI_INT, MPI_STATUS_IGNORE) : write(),
           "some write, some read");
  not_same(program, odd ? view() : write(), "set_view before write_all");
  not_same(program, odd ? write() : view(), "write_all before set_view");
  // Between nodes, where the first half are some: the nodes' first ranks compare their calls.
  not_same(program, first_half ? write() : MPI_File_preallocate(file, 100000), "write_all and preallocate");
  not_same(program, first_half ? view() : MPI_File_preallocate(file, 100000), "set_view and preallocate");
  if (std::string(check) != "disable") {
    not_same(program,
             odd ? MPI_File_write_at_all(file, 0, data.data(), count, MPI_INT, MPI_STATUS_IGNORE) : write(),
             "write_all and write_at_all");
    not_same(program, odd ? MPI_File_set_atomicity(file, 0) : MPI_File_set_size(file, 0),
             "set_atomicity and set_size");
    int code = MPI_SUCCESS;
    MPI_Request request = MPI_REQUEST_NULL;
    if (odd) {
      code = write();
    } else {
      MPI_File_iwrite_all(file, data.data(), count, MPI_INT, &request);
      code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    not_same(program, code, "write_all and iwrite_all");
  }
  write_and_read(program, file);
  MPI_File_close(&file);
}

/// The last rank closes while the others still write: they are told, and it waits for them.
void close_early(Program& program, const char* check) {
  MPI_File file = open_checked(program, check);
  std::vector<int> data(count, program.rank);
  int error_class = MPI_ERR_NOT_SAME;
  if (program.rank < program.size - 1)
    MPI_Error_class(MPI_File_write_at_all(file, 0, data.data(), count, MPI_INT, MPI_STATUS_IGNORE),
                    &error_class);
  program.equal(error_class, MPI_ERR_NOT_SAME, "class of the error of a write while another rank closes");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

/// Rank r flushes the file r times, as ROMIO lets it.
[[maybe_unused]] void sync_unequally(Program& program, const char* check) {
  MPI_File file = open_checked(program, check);
  write_and_read(program, file);
  std::vector<int> data(count, program.rank);
  MPI_Request request = MPI_REQUEST_NULL;
  program.good(MPI_File_iwrite_all(file, data.data(), count, MPI_INT, &request), "MPI_File_iwrite_all");
  for (int i = 0; i < program.rank; ++i) program.good(MPI_File_sync(file), "MPI_File_sync");
  program.good(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  write_and_read(program, file);
  const int code = MPI_File_close(&file);
  if (std::string(check) == "disable")
    program.good(code, "MPI_File_close after unequal numbers of MPI_File_sync");
  else
    not_same(program, code, "MPI_File_close after unequal numbers of MPI_File_sync");
}

/// In the second of three calls one rank uses another form: the report has all ranks' bytes in the right
/// records.
void differ_in_form(Program& program) {
  for (const int other : {0, program.size - 1}) {
    Reports reports(program);
    const std::string path = program.temporary("forms");
    MPI_File file = MPI_FILE_NULL;
    MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    const std::vector<char> data(64, 'x');
    const MPI_Offset at = MPI_Offset{64} * program.rank;
    for (int i = 0; i < 3; ++i) {
      MPI_File_seek(file, at, MPI_SEEK_SET);
      if (i == 1 && program.rank == other)
        program.good(MPI_File_write_at_all(file, at, data.data(), 64, MPI_BYTE, MPI_STATUS_IGNORE),
                     "write_at_all");
      else
        program.good(MPI_File_write_all(file, data.data(), 64, MPI_BYTE, MPI_STATUS_IGNORE), "write_all");
    }
    program.good(MPI_File_close(&file), "MPI_File_close");
    if (program.rank != 0) continue;
    const std::string report = reports.of(path);
    std::vector<std::string> calls;
    for (std::size_t from = 0; (from = report.find("{\"operation\":\"", from)) != std::string::npos; ++from)
      calls.push_back(report.substr(from + 14, report.find('}', from) - from));
    program.equal(static_cast<int>(calls.size()), 3, ("records of calls in " + report).c_str());
    const std::string bytes = "\"bytes\":" + std::to_string(64 * program.size) + ",";
    for (const std::string& call : calls)
      program.that(call.find(bytes) != std::string::npos, ("bytes of all ranks in " + call).c_str());
    if (calls.size() == 3) program.that(calls[1].starts_with("write\""), ("the name of " + calls[1]).c_str());
  }
}

/// Mode, hints and file at open.
void open_differently(Program& program) {
  const bool odd = program.rank == program.size - 1;
  const std::string here = program.temporary("opened"), there = program.temporary("other");
  const auto open = [&](const std::string& name, int mode, const HintList& hints) {
    MPI_File file = MPI_FILE_NULL;
    MPI_Info info = make_info(hints);
    const int code = MPI_File_open(MPI_COMM_WORLD, name.c_str(), mode, info, &file);
    MPI_Info_free(&info);
    if (code == MPI_SUCCESS) MPI_File_close(&file);
    return code;
  };
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
  if (program.rank == 0)
    for (const std::string& name : {here, there}) std::ofstream(name) << name;
  MPI_Barrier(MPI_COMM_WORLD);
  program.good(open(here, mode, {{"collio_check", "enable"}}), "open alike");
  program.same_error(open(here, odd ? mode : MPI_MODE_RDWR, {{"collio_check", "enable"}}),
                     "open with different modes");
  not_same(program, open(here, mode, {{"collio_check", "enable"}, {"cb_nodes", odd ? "2" : "1"}}),
           "open with different hints");
  not_same(program, open(odd ? there : here, mode, {{"collio_check", "enable"}}), "open different files");
}

using Blocks = std::vector<std::pair<int, MPI_Aint>>;

MPI_Datatype type_of(const Blocks& blocks, MPI_Datatype of = MPI_BYTE) {
  std::vector<int> lengths;
  std::vector<MPI_Aint> offsets;
  for (const auto& [length, offset] : blocks) lengths.push_back(length), offsets.push_back(offset);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(static_cast<int>(blocks.size()), lengths.data(), offsets.data(), of, &type);
  MPI_Type_commit(&type);
  return type;
}

void wrong_views(Program& program) {
  const bool odd = program.rank == program.size - 1;
  MPI_File file = open_checked(program, "enable");
  const auto set = [&](MPI_Datatype etype, const Blocks& blocks) {
    MPI_Datatype type = type_of(blocks, etype);
    const int code = MPI_File_set_view(file, 0, etype, type, "native", MPI_INFO_NULL);
    MPI_Type_free(&type);
    return code;
  };
  const Blocks good{{4, 0}, {4, 16}};
  program.good(set(MPI_INT, good), "a view by the rules");
  for (const Blocks& wrong :
       {Blocks{{4, 64}, {4, 0}}, Blocks{{4, 0}, {4, 8}}, Blocks{{4, 0}, {4, 18}}, Blocks{{2, -16}, {2, 16}}})
    program.equal(program.same_error(set(MPI_INT, odd ? wrong : good), "a view against the rules"),
                  MPI_ERR_TYPE, "class of the error");
  MPI_File_set_errhandler(file, MPI_ERRORS_RETURN);
  not_same(
      program,
      MPI_File_set_view(file, 0, odd ? MPI_INT : MPI_BYTE, odd ? MPI_INT : MPI_BYTE, "native", MPI_INFO_NULL),
      "etypes of different sizes");
  write_and_read(program, file);
  MPI_File_close(&file);
}

/// Not in check mode: the mode forbids one rank's call.
void forbidden(Program& program) {
  MPI_File file = open_checked(program, "disable", MPI_MODE_RDONLY);
  std::vector<int> data(count);
  const int code = program.rank == program.size - 1
                       ? MPI_File_write_at_all(file, 0, data.data(), count, MPI_INT, MPI_STATUS_IGNORE)
                       : MPI_File_read_at_all(file, 0, data.data(), count, MPI_INT, MPI_STATUS_IGNORE);
  program.same_error(code, "a write on one rank of a file that is read");
  MPI_File_close(&file);
}

/// Pieces that ranks write, and what is to be said of them.
struct Overlapping {
  std::string name;
  Deal deal;
  std::string said;  ///< empty: nothing
};

/// Every rank's pieces alone; then the last rank writes some of the first's bytes too.
std::vector<Overlapping> cases_for(int ranks) {
  Dice dice(11);
  std::vector<Overlapping> all;
  all.push_back({"no overlap", deal_out(dice, {ranks, 0, 3 << 20, 1, 200, 5}), ""});
  Deal one(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) one[static_cast<std::size_t>(r)] = {{r * 1000, 1000}};
  const std::string first_last =
      "ranks 0 and " + std::to_string(ranks - 1) + " write the same bytes: the first at offset ";
  one.back().insert(one.back().begin(), {999, 1});
  all.push_back({"one byte", one, first_last + "999; 1 bytes in all"});
  Deal many(static_cast<std::size_t>(ranks));
  for (int k = 0; k < 200000; ++k) many[static_cast<std::size_t>(k % ranks)].push_back({12LL * k, 12});
  int shared = 0;
  for (int k = 100 * ranks; k < 200000; k += 50 * ranks, ++shared) many.back().push_back({12LL * k + 4, 4});
  std::ranges::sort(many.back(), {}, &Piece::offset);
  all.push_back(
      {"many pieces", many,
       first_last + std::to_string(1200 * ranks + 4) + "; " + std::to_string(4 * shared) + " bytes in all"});
  return all;
}

void overlapping_writes(Program& program) {
  Reports reports(program);
  for (const Overlapping& one : cases_for(program.size)) {
    for (const char* check : {"enable", "strict"}) {
      Overheard overheard(program);
      const std::string path = program.temporary("overlap");
      MPI_File file = MPI_FILE_NULL;
      MPI_Info info = make_info({{"collio_check", check}});
      MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
      MPI_Info_free(&info);
      const Pieces& mine = one.deal[static_cast<std::size_t>(program.rank)];
      Blocks blocks;
      for (const Piece& piece : mine) blocks.emplace_back(piece.length, piece.offset);
      MPI_Datatype type = type_of(blocks);
      std::vector<char> data(static_cast<std::size_t>(bytes_of(mine)), 'x');
      MPI_File_set_view(file, 0, MPI_BYTE, type, "native", MPI_INFO_NULL);
      const int code =
          MPI_File_write_all(file, data.data(), static_cast<int>(data.size()), MPI_BYTE, MPI_STATUS_IGNORE);
      MPI_Type_free(&type);
      const bool fails = !one.said.empty() && std::string(check) == "strict";
      if (fails)
        program.equal(program.same_error(code, "overlapping writes when strict"), MPI_ERR_ARG,
                      "class of the error");
      else
        program.good(code, "MPI_File_write_all");
      MPI_File_close(&file);
      std::string told;
      for (const std::string& line : overheard.lines()) told += line + "\n";
      if (program.rank != 0) continue;
      program.that((told.find(" write the same bytes") != std::string::npos) == !one.said.empty(),
                   one.name.c_str());
      program.that(one.said.empty() || told.find(one.said) != std::string::npos,
                   (one.name + " (" + check + "): told " + told + ", expected " + one.said).c_str());
      program.that(one.said.empty() || reports.of(path).find(one.said) != std::string::npos,
                   (one.name + ": the report does not say it").c_str());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on() || program.size == 1) return program.skip("collio is not preloaded, or one rank");
  for (const char* check : {"disable", "enable"}) different_calls(program, check);
  for (const char* check : {"disable", "enable"}) {
    close_early(program, check);
#ifndef OPEN_MPI  // whose own MPI_File_sync waits for all ranks
    sync_unequally(program, check);
#endif
  }
  differ_in_form(program);
#ifdef OPEN_MPI
  if (const std::string why = program.no_node_memory(); !why.empty()) {
    if (program.rank == 0) program.left_out("Open MPI's ranks wait for one whose open fails; " + why);
  } else
#endif
    open_differently(program);
  wrong_views(program);
  forbidden(program);
  overlapping_writes(program);
  return program.finish();
}
