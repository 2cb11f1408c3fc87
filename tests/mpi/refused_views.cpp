// Views against the rules: an error where the MPI library gives one, and of its class. The library is asked
// here, with collio switched off.
#include <array>
#include <functional>

#include "pieces.hpp"

using namespace collio::test;

namespace {

struct Named {
  std::string name;
  MPI_Offset displacement = 0;
  MPI_Datatype etype = MPI_INT, filetype = MPI_INT;
  bool may_be_read =
      false;  ///< by the rules, through a file that is only read: collio does it whatever the library says
};

using Blocks = std::vector<std::pair<int, MPI_Aint>>;

MPI_Datatype blocks_of(const Blocks& blocks, MPI_Datatype of = MPI_BYTE, bool commit = true) {
  std::vector<int> lengths;
  std::vector<MPI_Aint> offsets;
  for (const auto& [length, offset] : blocks) lengths.push_back(length), offsets.push_back(offset);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(static_cast<int>(blocks.size()), lengths.data(), offsets.data(), of, &type);
  if (commit) MPI_Type_commit(&type);
  return type;
}

MPI_Datatype resized(MPI_Datatype type, MPI_Aint extent) {
  MPI_Datatype other = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(type, 0, extent, &other);
  MPI_Type_commit(&other);
  return other;
}

std::vector<Named> views() {
  const MPI_Datatype backward = blocks_of({{1, 4}, {1, 0}}, MPI_INT), below = blocks_of({{1, -4}}, MPI_INT),
                     apart = resized(MPI_INT, 8);
  Blocks many;
  for (int i = 0; i < 1000; ++i) many.push_back({1, 16 * i});
  Blocks turned = many;
  std::ranges::reverse(turned);
  return {
      {"by the rules", 0, MPI_INT, blocks_of({{1, 0}, {1, 8}}, MPI_INT)},
      {"by the rules, many pieces", 0, MPI_INT, blocks_of(many, MPI_INT)},
      {"negative displacement of the view", -4},
      {"MPI_DISPLACEMENT_CURRENT", MPI_DISPLACEMENT_CURRENT},
      {"negative displacement of a piece", 0, MPI_INT, blocks_of({{1, -4}, {1, 8}}, MPI_INT)},
      {"negative displacement of a piece behind the file's begin", 64, MPI_INT,
       blocks_of({{1, -4}, {1, 8}}, MPI_INT)},
      {"descending", 0, MPI_INT, blocks_of({{1, 16}, {1, 0}}, MPI_INT)},
      {"descending, many pieces", 0, MPI_INT, blocks_of(turned, MPI_INT)},
      {"the same piece twice", 0, MPI_INT, blocks_of({{1, 16}, {1, 16}}, MPI_INT), true},
      {"overlap", 0, MPI_BYTE, blocks_of({{8, 0}, {8, 4}}), true},
      {"overlap of pieces that touch", 0, MPI_BYTE, blocks_of({{4, 0}, {4, 4}, {4, 2}}),
       true},  // collio sees one of 8 bytes and one of 4
      {"overlap of a long piece", 0, MPI_BYTE, blocks_of({{100, 0}, {4, 4}, {4, 50}}), true},
      {"a piece of no length, negative", 0, MPI_BYTE, blocks_of({{0, -8}, {4, 0}})},
      {"tiles that overlap", 0, MPI_BYTE, resized(blocks_of({{4, 0}, {4, 8}}), 8)},
      {"a size that is no multiple", 0, MPI_INT, blocks_of({{6, 0}})},
      {"pieces that are no etypes", 0, MPI_INT, blocks_of({{2, 0}, {2, 8}})},
      {"another type of the same size", 0, MPI_INT, MPI_FLOAT},
      {"a larger etype", 0, MPI_DOUBLE, MPI_INT},
      {"no etype", 0, MPI_DATATYPE_NULL, MPI_INT},
      {"no filetype", 0, MPI_INT, MPI_DATATYPE_NULL},
      {"an etype with holes", 0, apart, blocks_of({{1, 0}, {1, 16}}, apart)},
      {"an etype below 0", 0, below, blocks_of({{1, 4}, {1, 16}}, below)},
      {"a descending etype", 0, backward, blocks_of({{1, 0}, {1, 16}}, backward)},
      {"no bytes", 0, MPI_INT, blocks_of({}, MPI_INT)},
  };
}

int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

MPI_File open_file(Program& program, MPI_Comm comm, const std::string& path, int mode,
                   const HintList& hints) {
  MPI_Info info = make_info(hints);
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(comm, path.c_str(), mode, info, &file), "MPI_File_open");
  MPI_Info_free(&info);
  return file;
}

int set(MPI_File file, const Named& view) {
  return class_of(
      MPI_File_set_view(file, view.displacement, view.etype, view.filetype, "native", MPI_INFO_NULL));
}

/// What the library says for itself, to one rank.
int native_class(Program& program, const std::string& path, int mode, const Named& view) {
  MPI_File file = open_file(program, MPI_COMM_SELF, path, mode, {{"collio_enable", "disable"}});
  const int found = set(file, view);
  MPI_File_close(&file);
  return found;
}

/// A refused view leaves the file as it was: at its next good view it works.
void still_works(Program& program, MPI_File file, int mode) {
  const Named good{"good", 0, MPI_INT, MPI_INT};
  program.equal(set(file, good), MPI_SUCCESS, "class of setting a good view");
  std::vector<int> data(10, program.rank);
  const int code =
      mode == MPI_MODE_RDONLY
          ? MPI_File_read_at_all(file, 10 * program.rank, data.data(), 10, MPI_INT, MPI_STATUS_IGNORE)
          : MPI_File_write_at_all(file, 10 * program.rank, data.data(), 10, MPI_INT, MPI_STATUS_IGNORE);
  program.good(code, "a collective call afterwards");
}

/// All ranks set it, or the last alone.
void set_by(Program& program, const std::string& path, int mode, const Named& view, bool all) {
  const Named good{"good", 0, MPI_INT, MPI_INT};
  const int native = native_class(program, program.path("alone." + std::to_string(program.rank)), mode, view);
  const int expected = mode == MPI_MODE_RDONLY && view.may_be_read ? MPI_SUCCESS : native;
  MPI_File file = open_file(program, MPI_COMM_WORLD, path, mode, {});
  const int found = set(file, all || program.rank == program.size - 1 ? view : good);
  const std::string what =
      "class of " + view.name + (all ? "" : ", on one rank") + ", mode " + std::to_string(mode);
  // A library that takes it may do what it likes with a place before the file; collio does not.
  const bool own_rule = expected == MPI_SUCCESS && view.displacement < 0;
  program.equal(found, own_rule ? MPI_ERR_ARG : expected, what.c_str());
  still_works(program, file, mode);
  MPI_File_close(&file);
}

/// 14 bytes in a row, so made that MPICH takes them for pieces out of order.
MPI_Datatype row_in_disguise() {
  MPI_Datatype low = MPI_DATATYPE_NULL, three = MPI_DATATYPE_NULL, both = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_SHORT, -6, 10, &low);
  MPI_Type_vector(1, 3, 7, MPI_SHORT, &three);
  const std::array<int, 2> lengths{1, 2};
  const std::array<MPI_Aint, 2> offsets{0, 2};
  const std::array<MPI_Datatype, 2> types{low, three};
  MPI_Type_create_struct(2, lengths.data(), offsets.data(), types.data(), &both);
  const MPI_Datatype type = resized(both, 14);
  for (MPI_Datatype* part : {&low, &three, &both}) MPI_Type_free(part);
  return type;
}

/// A lawful view that the library may refuse, on the last rank; the others' is one that the library is given
/// whole. Then a call that the library has to do.
void lawful_beside_plain(Program& program, const std::string& path, MPI_Datatype odd) {
  const bool last = program.rank == program.size - 1;
  const MPI_Datatype plain = blocks_of({{1, 0}, {1, 4}}, MPI_SHORT);
  MPI_File file = open_file(program, MPI_COMM_WORLD, path, MPI_MODE_RDWR, {});
  program.equal(set(file, {"", 0, MPI_SHORT, last ? odd : plain}), MPI_SUCCESS,
                "class of a lawful view beside plain ones");
  std::array<short, 10> data{};
  program.good(MPI_File_read_at_all(file, 0, data.data(), 10, MPI_SHORT, MPI_STATUS_IGNORE),
               "read_at_all through it");
  const int code = class_of(MPI_File_set_atomicity(file, 1));
  int lowest = code, highest = code;
  MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &highest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  program.equal(lowest, highest, "lowest class of set_atomicity, and the highest");
  still_works(program, file, MPI_MODE_RDWR);
  MPI_File_close(&file);
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  const std::string path = program.temporary("views");
  for (const std::string& name : {path, program.temporary("alone." + std::to_string(program.rank))}) {
    std::ofstream(name, std::ios::app) << "";
    program.temporary(name);
  }
  for (int rank = 0; rank < program.size; ++rank) program.temporary("alone." + std::to_string(rank));
  MPI_Barrier(MPI_COMM_WORLD);
  for (const int mode : {MPI_MODE_RDWR, MPI_MODE_RDONLY, MPI_MODE_WRONLY})
    for (const Named& view : views())
      for (const bool all : {true, false})
        if (all || program.size > 1) set_by(program, path, mode, view, all);
  for (const MPI_Datatype odd : {row_in_disguise(), resized(row_in_disguise(), 20)})
    lawful_beside_plain(program, path, odd);
  return program.finish();
}
