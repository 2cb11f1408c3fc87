// MPI's data calls in the engine's terms, on a file of one rank: arguments, modes, file pointers and
// statuses.
#include "mpiio/calls/data_calls.hpp"

#include <gtest/gtest.h>

#include "library_here.hpp"
#include "mpiio/view/check_view.hpp"
#include "open_file.hpp"
#include "types.hpp"

namespace collio::mpiio {
namespace {

using core::ErrorClass;
using policy::Direction;
using test::OpenedFile;

constexpr MPI_Offset not_found = -1;

/// of the library
MPI_Offset pointer = 0;

class DataCalls : public ::testing::Test {
 protected:
  DataCalls() {
    pointer = 0;
    here_.calls.File_get_position = [](MPI_File, MPI_Offset* offset) {
      *offset = pointer;
      return MPI_SUCCESS;
    };
    here_.calls.File_seek = [](MPI_File, MPI_Offset offset, int) {
      pointer = offset;
      return MPI_SUCCESS;
    };
  }
  static DataCall call(Direction direction, Place begin, std::string& bytes, MPI_Offset offset = 0) {
    return {MPI_FILE_NULL, direction,        begin,
            offset,        bytes.data(),     static_cast<MPI_Count>(bytes.size()),
            MPI_BYTE,      MPI_STATUS_IGNORE};
  }
  static core::Error error_of(OpenFile& file, const DataCall& call) {
    MPI_Offset offset = not_found;
    return request_of(file, call, offset).error;
  }
  test::LibraryHere here_;
};

TEST_F(DataCalls, WrongArgumentsAreErrorsOfTheRequest) {
  const OpenedFile<OpenFile> opened;
  std::string bytes(8, 'x');
  DataCall one = call(Direction::write, Place::at, bytes);
  EXPECT_TRUE(error_of(*opened.front(), one).ok());
  one.count = -1;
  EXPECT_EQ(error_of(*opened.front(), one).kind, ErrorClass::argument);
  one.count = 8, one.type = MPI_DATATYPE_NULL;
  EXPECT_EQ(error_of(*opened.front(), one).kind, ErrorClass::type);
  one.type = MPI_BYTE, one.offset = -1;
  EXPECT_EQ(error_of(*opened.front(), one).kind, ErrorClass::argument);
  one.begin = Place::here;
  EXPECT_TRUE(error_of(*opened.front(), one).ok()) << "the offset is not used";
}

TEST_F(DataCalls, TheModeForbidsReadsOrWrites) {
  const OpenedFile<OpenFile> read({}, {.reads = true, .writes = false}),
      written({}, {.reads = false, .writes = true});
  std::string bytes(8, 'x');
  const DataCall write = call(Direction::write, Place::at, bytes),
                 get = call(Direction::read, Place::at, bytes);
  EXPECT_EQ(check_mode(*read.front(), write).kind, ErrorClass::read_only);
  EXPECT_TRUE(check_mode(*read.front(), get).ok());
  EXPECT_EQ(check_mode(*written.front(), get).kind, ErrorClass::access);
  EXPECT_TRUE(check_mode(*written.front(), write).ok());
  EXPECT_EQ(error_of(*read.front(), write).kind, ErrorClass::read_only);
}

TEST_F(DataCalls, OffsetsCountEtypesAndPartsOfOneAreNone) {
  const OpenedFile<OpenFile> opened;
  opened.file().view = describe_view(100, MPI_INT, MPI_INT);
  std::string bytes(8, 'x');
  MPI_Offset offset = not_found;
  const engine::CallRequest request =
      request_of(*opened.front(), call(Direction::write, Place::at, bytes, 3), offset);
  EXPECT_EQ(offset, 3);
  EXPECT_EQ(request.position, 12);
  EXPECT_EQ(request.memory.bytes(), 8);
  EXPECT_EQ(request.operation, "write_at_all");
  bytes.resize(6);
  EXPECT_EQ(error_of(*opened.front(), call(Direction::write, Place::at, bytes)).kind, ErrorClass::argument);
}

TEST_F(DataCalls, AtTheFilePointerACallBeginsWhereTheLibraryHasIt) {
  const OpenedFile<OpenFile> opened;
  std::string bytes(8, 'x');
  pointer = 5;
  MPI_Offset offset = not_found;
  const engine::CallRequest request =
      request_of(*opened.front(), call(Direction::read, Place::here, bytes), offset);
  EXPECT_EQ(offset, 5);
  EXPECT_EQ(request.operation, "read_all");
  opened.front()->pointer_meanwhile = 9;
  EXPECT_EQ(opened.front()->position(MPI_FILE_NULL), 9);
  EXPECT_EQ(opened.front()->move_to(MPI_FILE_NULL, 11), MPI_SUCCESS);
  EXPECT_EQ(opened.front()->position(MPI_FILE_NULL), 11);
  EXPECT_EQ(pointer, 5) << "a call under way gives the library the view";
}

TEST_F(DataCalls, AViewWithoutBytesTakesNone) {
  const OpenedFile<OpenFile> opened;
  const test::Type none(test::row(0, MPI_INT));
  opened.file().view = describe_view(0, MPI_INT, none);
  std::string bytes(8, 'x'), empty;
  EXPECT_EQ(error_of(*opened.front(), call(Direction::write, Place::at, bytes)).kind, ErrorClass::argument);
  EXPECT_TRUE(error_of(*opened.front(), call(Direction::write, Place::at, empty)).ok());
  EXPECT_TRUE(error_of(*opened.front(), call(Direction::read, Place::at, bytes)).ok());
}

TEST_F(DataCalls, AStatusHasTheBytes) {
  MPI_Status status;
  set_status(&status, (std::int64_t{3} << 31) + 1);
  MPI_Count bytes = 0;
  int cancelled = 1;
  MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  MPI_Test_cancelled(&status, &cancelled);
  EXPECT_EQ(bytes, (std::int64_t{3} << 31) + 1);
  EXPECT_EQ(cancelled, 0);
  set_status(MPI_STATUS_IGNORE, 1);
}

/// The same bytes and pointers by each rank's own calls in one step, and by the usual way.
class CollectiveCalls : public DataCalls, public ::testing::WithParamInterface<const char*> {};

TEST_P(CollectiveCalls, MoveBytesThePointerAndTheStatus) {
  OpenedFile<OpenFile> opened(test::Hints{{"romio_cb_write", GetParam()}, {"romio_cb_read", GetParam()}});
  MPI_File handle = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_SELF, opened.path().c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &handle);
  remember_file(handle, opened.front());
  std::string bytes = "0123456789", there(10, ' ');
  MPI_Status status;
  MPI_Count moved = 0;
  pointer = 4;
  DataCall write = call(Direction::write, Place::here, bytes),
           get = call(Direction::read, Place::here, there);
  write.handle = get.handle = handle;
  write.status = get.status = &status;
  EXPECT_EQ(collective(write), MPI_SUCCESS);
  EXPECT_EQ(pointer, 14);
  MPI_Get_elements_x(&status, MPI_BYTE, &moved);
  EXPECT_EQ(moved, 10);
  EXPECT_EQ(opened.content(), std::string(4, '\0') + bytes);
  pointer = 10;
  EXPECT_EQ(collective(get), MPI_SUCCESS);
  MPI_Get_elements_x(&status, MPI_BYTE, &moved);
  EXPECT_EQ(moved, 4);
  EXPECT_EQ(pointer, 20) << "by what was asked for, also beyond the end";
  EXPECT_EQ(there.substr(0, 4), "6789");
  write.begin = Place::at;
  write.offset = -1;
  pointer = 7;
  int error_class = MPI_SUCCESS;
  MPI_Error_class(collective(write), &error_class);
  EXPECT_EQ(error_class, MPI_ERR_ARG);
  EXPECT_EQ(pointer, 7);
  forget_file(handle);
  MPI_File_close(&handle);
}
INSTANTIATE_TEST_SUITE_P(Hints, CollectiveCalls, ::testing::Values("disable", "automatic"));

TEST_F(DataCalls, FilesAreFoundByHandleUntilTheyAreForgotten) {
  const OpenedFile<OpenFile> one, other;
  MPI_File handle = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_SELF, one.path().c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &handle);
  EXPECT_EQ(file_of_call(handle), nullptr);
  remember_file(handle, one.front());
  EXPECT_EQ(file_of_call(handle), one.front().get());
  EXPECT_EQ(files_at(one.path()).size(), 1U);
  EXPECT_TRUE(files_at(other.path()).empty());
  remember_file(handle, other.front());
  EXPECT_EQ(file_of_call(handle), other.front().get()) << "a handle may come again";
  EXPECT_EQ(forget_file(handle), other.front());
  EXPECT_EQ(file_of_call(handle), nullptr);
  EXPECT_EQ(forget_file(handle), nullptr);
  MPI_File_close(&handle);
}

TEST_F(DataCalls, TheSharedPointerIsANumberOfItsView) {
  const OpenedFile<OpenFile> opened;
  engine::File& file = opened.file();
  SharedPointer& shared = opened.front()->shared_pointer;
  const engine::Visit visit(file, "set_view");
  shared.begin_view(visit, true);
  EXPECT_TRUE(shared.kept_here() && shared.for_all_ranks());
  EXPECT_EQ(shared.take(file, 5).value(), 0);
  EXPECT_EQ(shared.take(file, 2).value(), 5);
  EXPECT_TRUE(shared.set(file, 100).ok());
  EXPECT_EQ(shared.take(file, 0).value(), 100);
  shared.begin_view(visit, true);
  EXPECT_EQ(shared.take(file, 1).value(), 0) << "a view begins at 0";
  shared.close();
  shared.remove(file);
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(opened.path()).parent_path()))
    files += entry.exists() ? 1 : 0;
  EXPECT_EQ(files, 1U) << "the file alone is left";
}

}  // namespace
}  // namespace collio::mpiio
