// Data in external32 on files in subfiles: the same bytes as the MPI library writes into an ordinary file,
// all forms of calls, and what is not converted.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <random>

#include "check.hpp"
#include "open_with.hpp"

using namespace collio::test;

namespace {

struct Particle {
  int number;
  double place[2];
  short kind[3];
  float mass;
};

/// `type`: of the memory. `etype`: of the view. `elements`: bytes of the elements of a type for which MPICH's
/// own external32 crashes; then the test converts the data of the ordinary file.
struct Kind {
  const char* name;
  MPI_Datatype type, etype;
  std::vector<int> elements;
  [[nodiscard]] const char* of_plain() const { return elements.empty() ? "external32" : "native"; }
};

MPI_Datatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

MPI_Datatype particle() {
  const int lengths[] = {1, 2, 3, 1};
  const MPI_Aint places[] = {offsetof(Particle, number), offsetof(Particle, place), offsetof(Particle, kind),
                             offsetof(Particle, mass)};
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_SHORT, MPI_FLOAT};
  MPI_Datatype fields = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(4, lengths, places, types, &fields);
  MPI_Type_create_resized(fields, 0, sizeof(Particle), &type);
  MPI_Type_free(&fields);
  return committed(type);
}

/// Every other one of these.
MPI_Datatype spread(MPI_Datatype each) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 1, 2, each, &type);
  return committed(type);
}

/// Two etypes for each rank in turn.
MPI_Datatype dealt(const Program& program, MPI_Datatype etype) {
  MPI_Aint lower = 0, extent = 0;
  MPI_Type_get_extent(etype, &lower, &extent);
  const MPI_Aint begin = 2 * program.rank * extent;
  MPI_Datatype block = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed_block(1, 2, &begin, etype, &block);
  MPI_Type_create_resized(block, 0, 2 * program.size * extent, &type);
  MPI_Type_free(&block);
  return committed(type);
}

/// `count` instances of a type, with bytes of this rank.
std::vector<char> data_of(const Program& program, MPI_Datatype type, int count) {
  MPI_Aint lower = 0, extent = 0;
  MPI_Type_get_extent(type, &lower, &extent);
  std::vector<char> data(static_cast<std::size_t>((count + 1) * extent));
  std::mt19937 random(static_cast<unsigned>(program.rank + 1));
  for (char& one : data) one = static_cast<char>(random());
  return data;
}

/// Without what lies between the type's bytes.
std::vector<char> packed(const std::vector<char>& data, MPI_Datatype type, int count) {
  int bytes = 0, position = 0;
  MPI_Pack_size(count, type, MPI_COMM_SELF, &bytes);
  std::vector<char> text(static_cast<std::size_t>(bytes));
  MPI_Pack(data.data(), count, type, text.data(), bytes, &position, MPI_COMM_SELF);
  text.resize(static_cast<std::size_t>(position));
  return text;
}

/// In the order of the file.
std::vector<char> turned_around(std::vector<char> text, const std::vector<int>& elements) {
  std::size_t i = 0;
  for (auto at = text.begin(); at != text.end(); i = (i + 1) % elements.size()) {
    std::reverse(at, at + elements[i]);
    at += elements[i];
  }
  return text;
}

constexpr int count = 24, calls = 6;

/// The same data by one form of call after the other. `plain`: by the library, whose own collective calls may
/// crash (Open MPI 4.1, fcoll vulcan).
void write(Program& program, MPI_File file, const Kind& kind, bool plain) {
  const auto data = data_of(program, kind.type, count);
  int type_bytes = 0, etype_bytes = 0;
  MPI_Type_size(kind.type, &type_bytes);
  MPI_Type_size(kind.etype, &etype_bytes);
  std::vector<char> bytes = packed(data, kind.type, count);
  if (!kind.elements.empty()) bytes = turned_around(std::move(bytes), kind.elements);
  for (int call = 0; call < calls; ++call) {
    const MPI_Offset at = static_cast<MPI_Offset>(call) * count * type_bytes / etype_bytes;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    const void* from = data.data();
    int code = MPI_SUCCESS;
    if (plain && !kind.elements.empty())
      code = MPI_File_write_at(file, at, bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, &status);
    else if (plain || call == 0)
      code = MPI_File_write_at(file, at, from, count, kind.type, &status);
    else if (call == 1)
      code = MPI_File_write_at_all(file, at, from, count, kind.type, &status);
    else if (call == 2)
      code = MPI_File_iwrite_at(file, at, from, count, kind.type, &request);
    else if (call == 3)
      code = MPI_File_iwrite_at_all(file, at, from, count, kind.type, &request);
    else if (call == 4)
      code = MPI_File_write_at_all_begin(file, at, from, count, kind.type);
    else
      MPI_File_seek(file, at, MPI_SEEK_SET), code = MPI_File_write_all(file, from, count, kind.type, &status);
    program.good(code, kind.name);
    if (!plain && (call == 2 || call == 3)) program.good(MPI_Wait(&request, &status), "MPI_Wait");
    if (!plain && call == 4) program.good(MPI_File_write_at_all_end(file, from, &status), "write_at_all_end");
    if (!plain) program.equal(status_bytes(status), static_cast<long long>(count) * type_bytes, "bytes");
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

void read_back(Program& program, MPI_File file, const Kind& kind) {
  const auto data = data_of(program, kind.type, count);
  int type_bytes = 0, etype_bytes = 0;
  MPI_Type_size(kind.type, &type_bytes);
  MPI_Type_size(kind.etype, &etype_bytes);
  for (int call = 0; call < 5; ++call) {
    const MPI_Offset at = static_cast<MPI_Offset>(call) * count * type_bytes / etype_bytes;
    std::vector<char> found(data.size(), '?');
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    if (call == 0) MPI_File_read_at(file, at, found.data(), count, kind.type, &status);
    if (call == 1) MPI_File_read_at_all(file, at, found.data(), count, kind.type, &status);
    if (call == 2) MPI_File_iread_at(file, at, found.data(), count, kind.type, &request);
    if (call == 3) MPI_File_iread_at_all(file, at, found.data(), count, kind.type, &request);
    if (call == 4) {
      program.good(MPI_File_read_at_all_begin(file, at, found.data(), count, kind.type), "begin");
      program.good(MPI_File_read_at_all_end(file, found.data(), &status), "end");
    }
    if (call == 2 || call == 3) program.good(MPI_Wait(&request, &status), "MPI_Wait");
    program.equal(status_bytes(status), static_cast<long long>(count) * type_bytes, "bytes read");
    program.that(packed(found, kind.type, count) == packed(data, kind.type, count), kind.name);
  }
}

void same_as_the_library(Program& program, const Kind& kind) {
  const std::string path = program.temporary(std::string("e32.") + kind.name),
                    plain = program.temporary(std::string("plain.") + kind.name);
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
  MPI_Datatype filetype = dealt(program, kind.etype);
  for (const bool by_library : {false, true}) {
    MPI_File file = MPI_FILE_NULL;
    program.good(by_library ? open_with({}, plain, mode, &file) : open_with(in_subfiles, path, mode, &file),
                 "MPI_File_open");
    program.good(MPI_File_set_view(file, 0, kind.etype, filetype, by_library ? kind.of_plain() : "external32",
                                   MPI_INFO_NULL),
                 "set_view");
    write(program, file, kind, by_library);
    if (!by_library) {
      char representation[MPI_MAX_DATAREP_STRING] = "";
      MPI_Offset displacement = -1;
      MPI_Datatype types[2];
      program.good(MPI_File_get_view(file, &displacement, &types[0], &types[1], representation), "get_view");
      program.that(std::strcmp(representation, "external32") == 0, "the view's representation");
      MPI_Type_free(&types[1]);
      read_back(program, file, kind);
    }
    program.good(MPI_File_close(&file), "MPI_File_close");
  }
  MPI_Type_free(&filetype);
  MPI_File file = MPI_FILE_NULL;
  const std::string expected = raw(plain);
  std::string found(expected.size() + 1, '?');
  MPI_Status status;
  program.good(open_with({}, path, MPI_MODE_RDONLY, &file), "MPI_File_open");
  program.good(MPI_File_read_at_all(file, 0, found.data(), static_cast<int>(found.size()), MPI_BYTE, &status),
               "MPI_File_read_at_all");
  program.equal(status_bytes(status), static_cast<long long>(expected.size()), "bytes of the file");
  found.resize(expected.size());
  program.that(found == expected, (std::string("the library's bytes: ") + kind.name).c_str());
  program.good(MPI_File_close(&file), "MPI_File_close");
}

/// The file ends amid the data: what is there is converted, and no more.
void short_read(Program& program) {
  MPI_File file = MPI_FILE_NULL;
  program.good(open_with(in_subfiles, program.temporary("short"), MPI_MODE_CREATE | MPI_MODE_RDWR, &file),
               "MPI_File_open");
  program.good(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL), "set_view");
  const int two[2] = {1, -2};
  if (program.rank == 0)
    program.good(MPI_File_write_at(file, 0, two, 2, MPI_INT, MPI_STATUS_IGNORE), "MPI_File_write_at");
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  int found[4] = {7, 7, 7, 7};
  MPI_Status status;
  program.good(MPI_File_read_at_all(file, 0, found, 4, MPI_INT, &status), "MPI_File_read_at_all");
  program.equal(status_bytes(status), 8, "bytes that are there");
  program.that(found[0] == 1 && found[1] == -2 && found[2] == 7 && found[3] == 7,
               "what is read of a short file");
  const int next = 10 + program.rank;
  program.good(MPI_File_write_ordered(file, &next, 1, MPI_INT, MPI_STATUS_IGNORE), "MPI_File_write_ordered");
  program.good(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), "set_view");
  unsigned char bytes[4] = {};
  program.good(MPI_File_read_at_all(file, 4 * program.rank, bytes, 4, MPI_BYTE, &status), "read of bytes");
  program.that(bytes[0] == 0 && bytes[3] == next, "big-endian in the file");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

/// Internal data are native ones, and capitals as good as small letters.
void other_names(Program& program) {
  MPI_File file = MPI_FILE_NULL;
  program.good(open_with(in_subfiles, program.temporary("names"), MPI_MODE_CREATE | MPI_MODE_RDWR, &file),
               "MPI_File_open");
  const int value = 1;
  const std::pair<const char*, const char*> cases[] = {
      {"internal", "\1\0\0\0"}, {"EXTERNAL32", "\0\0\0\1"}, {"NATIVE", "\1\0\0\0"}};
  for (const auto& [name, expected] : cases) {
    program.good(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, name, MPI_INFO_NULL), name);
    program.good(MPI_File_write_at_all(file, program.rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE), name);
    MPI_File_sync(file);
    char found[4] = "";
    program.good(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), "set_view");
    program.good(MPI_File_read_at_all(file, 4 * program.rank, found, 4, MPI_BYTE, MPI_STATUS_IGNORE), name);
    program.that(std::memcmp(found, expected, 4) == 0, name);
  }
  program.good(MPI_File_close(&file), "MPI_File_close");
}

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return text;
}

void is_told(Program& program, int code, const char* what) {
  program.that(text_of(code).find("not converted to external32") != std::string::npos, what);
}

void what_is_not_converted(Program& program) {
  MPI_File file = MPI_FILE_NULL;
  program.good(open_with(in_subfiles, program.temporary("refused"), MPI_MODE_CREATE | MPI_MODE_RDWR, &file),
               "MPI_File_open");
  const auto view = [&](MPI_Datatype etype, const char* representation) {
    return MPI_File_set_view(file, 0, etype, etype, representation, MPI_INFO_NULL);
  };
  int code = view(MPI_LONG, "external32");
  program.equal(program.same_error(code, "an etype with another size in external32"), MPI_ERR_TYPE, "class");
  is_told(program, code, "why the etype is refused");
  code = view(MPI_INT, "sample");
  program.equal(program.same_error(code, "another representation"), MPI_ERR_UNSUPPORTED_DATAREP, "class");
  program.that(text_of(code).find("\"sample\"") != std::string::npos, "the representation is named");
  if (program.size > 1)
    program.equal(program.same_error(view(MPI_INT, program.rank == 0 ? "native" : "external32"),
                                     "representations that differ"),
                  MPI_ERR_NOT_SAME, "class");
  program.good(view(MPI_BYTE, "external32"), "set_view");
  const long value = 5;
  code = MPI_File_write_at_all(file, 8 * program.rank, &value, 1, MPI_LONG, MPI_STATUS_IGNORE);
  program.equal(program.same_error(code, "data with another size in external32"), MPI_ERR_TYPE, "class");
  is_told(program, code, "why the data are refused");
  code = MPI_File_write_shared(file, &value, 1, MPI_LONG, MPI_STATUS_IGNORE);
  program.equal(program.same_error(code, "the same at the shared pointer"), MPI_ERR_TYPE, "class");
  MPI_Offset bytes = -1, at = -1;
  MPI_File_get_size(file, &bytes);
  program.equal(bytes, 0, "bytes of the file: nothing was written");
  program.good(MPI_File_get_position_shared(file, &at), "MPI_File_get_position_shared");
  program.equal(at, 0, "the shared pointer, which refused data do not move");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  MPI_Datatype particles = particle(), doubles = spread(MPI_DOUBLE), spread_particles = spread(particles);
  const Kind kinds[] = {{"char", MPI_CHAR, MPI_CHAR, {}},
                        {"short", MPI_SHORT, MPI_SHORT, {}},
                        {"int", MPI_INT, MPI_INT, {}},
                        {"float", MPI_FLOAT, MPI_FLOAT, {}},
                        {"double", MPI_DOUBLE, MPI_DOUBLE, {}},
                        {"int64", MPI_INT64_T, MPI_INT64_T, {}},
                        {"ints_in_bytes", MPI_INT, MPI_BYTE, {}},
                        {"cxx_bool", MPI_CXX_BOOL, MPI_CXX_BOOL, {}},
                        {"cxx_complex", MPI_CXX_DOUBLE_COMPLEX, MPI_CXX_DOUBLE_COMPLEX, {8, 8}},
                        {"spread_doubles", doubles, MPI_DOUBLE, {}},
                        {"particles", particles, MPI_BYTE, {4, 8, 8, 2, 2, 2, 4}},
                        {"spread_particles", spread_particles, MPI_SHORT, {4, 8, 8, 2, 2, 2, 4}}};
  for (const Kind& kind : kinds) same_as_the_library(program, kind);
  short_read(program);
  other_names(program);
  what_is_not_converted(program);
  for (MPI_Datatype* type : {&particles, &doubles, &spread_particles}) MPI_Type_free(type);
  return program.finish();
}
