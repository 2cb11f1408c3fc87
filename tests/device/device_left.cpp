// Nonblocking calls that are left to the MPI library, as one rank has a datatype that collio cannot describe:
// the program stands in front of the function that tells constructors. The other ranks' buffers are in a
// device's memory. argv[1]: the driver.
#include "memory.hpp"

using namespace collio::test;

namespace {

MPI_Datatype unknown = MPI_DATATYPE_NULL;
constexpr int no_constructor = 9999;

}  // namespace

extern "C" {
int MPI_Type_get_envelope(MPI_Datatype type, int* ints, int* addresses, int* types, int* combiner) {
  const int code = PMPI_Type_get_envelope(type, ints, addresses, types, combiner);
  if (type == unknown) *combiner = no_constructor;
  return code;
}
#if MPI_VERSION >= 4
int MPI_Type_get_envelope_c(MPI_Datatype type, MPI_Count* ints, MPI_Count* addresses, MPI_Count* counts,
                            MPI_Count* types, int* combiner) {
  const int code = PMPI_Type_get_envelope_c(type, ints, addresses, counts, types, combiner);
  if (type == unknown) *combiner = no_constructor;
  return code;
}
#endif
}

namespace {

constexpr int many = 20;  // files, of which the last have no communicators of their own

struct Left {
  Program& program;
  const Driver& driver;
  MPI_Datatype apart;  ///< every second int

  /// One call: rank 0 with the datatype that is not described, the others with ints apart on the device. What
  /// it returns.
  int call(MPI_File file, bool write, void* buffer) const {
    const bool first = program.rank == 0;
    MPI_Request request;
    const int count = first ? 1 : part;
    MPI_Datatype type = first ? unknown : apart;
    const int code = write ? MPI_File_iwrite_at_all(file, 0, buffer, count, type, &request)
                           : MPI_File_iread_at_all(file, 0, buffer, count, type, &request);
    return code != MPI_SUCCESS ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  [[nodiscard]] std::unique_ptr<Ints> make(const std::vector<int>& data) const {
    return program.rank == 0 ? std::make_unique<Ints>(data)
                             : std::make_unique<Ints>(driver, Kind::device, spread_out(data));
  }
};

void write_and_read(const Left& left, MPI_File file, const std::string& name) {
  const auto data = left.make(values(left.program.rank, part)), found = left.make(std::vector<int>(part, -7));
  left.program.good(left.call(file, true, data->data()), "MPI_File_iwrite_at_all");
  settle(file, MPI_COMM_WORLD);
  check_dealt(left.program, name, 1, "ints that the library wrote");
  left.program.good(left.call(file, false, found->data()), "MPI_File_iread_at_all");
  left.program.that(found->content() == data->content(), "ints that the library read");
}

/// The last rank's copies fail behind the one that tries.
void failing(const Left& left, MPI_File file) {
  const auto data = left.make(values(left.program.rank, part));
  for (const bool write : {true, false}) {
    MPI_Barrier(MPI_COMM_WORLD);
    left.driver.fail_from(left.program.rank == left.program.size - 1 ? 2 : 0);
    left.program.equal(left.program.same_error(left.call(file, write, data->data()), "a copy that fails"),
                       MPI_ERR_IO, "error class of a copy that fails");
  }
  left.driver.fail_from(0);
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  const Driver driver(argv[1]);
  driver.begin();
  const Left left{program, driver, every_second_int()};
  MPI_Type_contiguous(part, MPI_INT, &unknown);
  MPI_Type_commit(&unknown);
  std::vector<MPI_File> files;
  std::string last;
  for (int i = 0; i < many; ++i) {
    last = program.temporary("left." + std::to_string(i));
    files.push_back(open_with(program, last, "auto"));
    set_long_view(program, files.back());
    if (i == 0 || i == many - 1) write_and_read(left, files.back(), last);
  }
  failing(left, files.back());
  write_and_read(left, files.back(), last);
  for (MPI_File& file : files) program.good(MPI_File_close(&file), "MPI_File_close");
  return program.finish();
}
