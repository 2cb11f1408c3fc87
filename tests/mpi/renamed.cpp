// A file that loses its name while it is open, and whose name another file may then have: what is written and
// read is the file that was opened, on whichever rank it is served, and no other file gets a byte.
#include <fcntl.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "machine/emulated_nodes.hpp"
#include "pieces.hpp"

using namespace collio::test;

namespace {

constexpr int count = 40000, block = 8;
const std::string others_bytes = "another file of that name";

/// How the name is lost: renamed and taken by another file, or removed.
enum class Loss { renamed, replaced, removed };

/// An open file without its name, of which rank 0 knows another way to it.
class Lost {
 public:
  /// Opened to be read if it has ints, else to be written too.
  Lost(Program& program, Loss loss, const HintList& hints, const std::vector<int>& ints = {})
      : program_(program),
        loss_(loss),
        name_(program.temporary("named")),
        moved_(program.temporary("moved")) {
    if (program.rank == 0) {
      unlink(name_.c_str());
      std::ofstream(name_).write(reinterpret_cast<const char*>(ints.data()),
                                 static_cast<std::streamsize>(4 * ints.size()));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Info info = make_info(hints);
    program.good(MPI_File_open(MPI_COMM_WORLD, name_.c_str(), ints.empty() ? MPI_MODE_RDWR : MPI_MODE_RDONLY,
                               info, &file),
                 "MPI_File_open");
    MPI_Info_free(&info);
    if (program.rank == 0) lose_name();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  Lost(const Lost&) = delete;

  /// Closes the file: it has so many bytes, and another file of its name none of them.
  void close(long bytes) {
    program_.good(MPI_File_close(&file), "MPI_File_close");
    if (program_.rank != 0) return;
    program_.equal(lseek(descriptor_, 0, SEEK_END), bytes, "bytes of the file that was opened");
    ::close(descriptor_);
    std::stringstream text;
    text << std::ifstream(name_).rdbuf();
    if (loss_ == Loss::replaced)
      program_.that(text.str() == others_bytes, "the bytes of the other file");
    else
      program_.that(access(name_.c_str(), F_OK) != 0, "no file has its name");
  }

  MPI_File file = MPI_FILE_NULL;

 private:
  void lose_name() {
    descriptor_ = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC);
    if (loss_ == Loss::removed)
      program_.that(unlink(name_.c_str()) == 0, "unlink");
    else
      program_.that(std::rename(name_.c_str(), moved_.c_str()) == 0, "rename");
    if (loss_ == Loss::replaced) std::ofstream(name_) << others_bytes;
  }

  Program& program_;
  Loss loss_;
  std::string name_, moved_;
  int descriptor_ = -1;
};

void set_view(Program& program, MPI_File file, MPI_Datatype etype, MPI_Datatype type) {
  program.good(MPI_File_set_view(file, 0, etype, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
}

void read_back(Program& program, MPI_File file, MPI_Offset at, const std::vector<int>& data) {
  settle(file, MPI_COMM_WORLD);
  std::vector<int> found(data.size());
  program.good(MPI_File_read_at_all(file, at, found.data(), static_cast<int>(found.size()), MPI_INT,
                                    MPI_STATUS_IGNORE),
               "MPI_File_read_at_all");
  program.that(found == data, "data read through the open file");
}

void interleaved(Program& program, Loss loss) {
  Lost lost(program, loss, {});
  MPI_Datatype type = dealt_ints(program.rank, program.size, block);
  set_view(program, lost.file, MPI_INT, type);
  MPI_Type_free(&type);
  const auto data = values(program.rank, count);
  program.good(MPI_File_write_all(lost.file, data.data(), count, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_write_all");
  read_back(program, lost.file, 0, data);
  lost.close(4L * count * program.size);
}

/// One aggregator, as on a file system behind a network: the other ranks have no handle of their own.
const HintList few{{"cb_nodes", "1"}};

void contiguous(Program& program, Loss loss) {
  HintList hints = few;
  hints["collio_path"] = "independent";
  Lost lost(program, loss, hints);
  const auto data = values(program.rank, count);
  set_view(program, lost.file, MPI_INT, MPI_INT);
  const MPI_Offset at = MPI_Offset{count} * program.rank;
  program.good(MPI_File_write_at_all(lost.file, at, data.data(), count, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_write_at_all");
  read_back(program, lost.file, at, data);
  lost.close(4L * count * program.size);
}

/// Every rank reads through a view whose parts overlap, which Open MPI itself refuses.
void unordered(Program& program, Loss loss) {
  Lost lost(program, loss, few, values(0, 2 * count));
  const int lengths[] = {count, count};
  const MPI_Aint twice[] = {0, 4 * (count / 2)};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(2, lengths, twice, MPI_INT, &type);
  MPI_Type_commit(&type);
  set_view(program, lost.file, MPI_INT, type);
  MPI_Type_free(&type);
  std::vector<int> expected = values(0, count);
  for (const int one : values(0, count, count / 2)) expected.push_back(one);
  read_back(program, lost.file, 0, expected);
  lost.close(8L * count);
}

/// A rank writes and reads by itself. `reached`: it can, else it is told so.
void independent(Program& program, Loss loss, bool reached) {
  Lost lost(program, loss, few);
  const int pieces = 1000;  // more than the MPI library is given a view of
  std::vector<int> lengths(pieces, 1), at;
  for (int i = 0; i < pieces; ++i) at.push_back(program.size * (i * 2 + i % 2) + program.rank);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_indexed(pieces, lengths.data(), at.data(), MPI_INT, &type);
  MPI_Type_commit(&type);
  set_view(program, lost.file, MPI_INT, type);
  MPI_Type_free(&type);
  const auto data = values(program.rank, pieces);
  std::vector<int> found(pieces);
  const int wrote = MPI_File_write_at(lost.file, 0, data.data(), pieces, MPI_INT, MPI_STATUS_IGNORE);
  const int read = MPI_File_read_at(lost.file, 0, found.data(), pieces, MPI_INT, MPI_STATUS_IGNORE);
  program.that((wrote == MPI_SUCCESS) == reached, "whether the write succeeds");
  program.that((read == MPI_SUCCESS) == reached, "whether the read succeeds");
  if (reached) program.that(found == data, "data that was read");
  settle(lost.file, MPI_COMM_WORLD);
  MPI_Offset size = 0;
  MPI_File_get_size(lost.file, &size);
  lost.close(static_cast<long>(size));
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  const char* placed = std::getenv("COLLIO_RANKS_PER_NODE");
  const auto nodes = collio::machine::read_emulated_nodes(placed ? placed : "").value();
  // The aggregator is rank 0, and ranks of other nodes have nobody to get the file from.
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(version, &length);
  const bool overlaps =
      std::string(version).find("Open MPI") == std::string::npos;  // which refuses such views
  const bool reached = !collio_is_on() || nodes.node_of(program.rank) == nodes.node_of(0);
  for (const Loss loss : {Loss::replaced, Loss::renamed, Loss::removed}) {
    interleaved(program, loss);
    contiguous(program, loss);
    if (overlaps) unordered(program, loss);
    independent(program, loss, reached);
  }
  return program.finish();
}
