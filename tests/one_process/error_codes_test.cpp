// collio's errors as MPI's: classes, codes and texts; the library's functions are the linked one's.
#include "mpiio/library/error_codes.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "library_here.hpp"
#include "temporary_file.hpp"

namespace collio::mpiio {
namespace {

using core::ErrorClass;

int class_of_code(int code) {
  int found = -1;
  MPI_Error_class(code, &found);
  return found;
}
std::string text_of_code(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  EXPECT_EQ(error_string(code, text, &length), MPI_SUCCESS);
  EXPECT_EQ(static_cast<std::size_t>(length), std::strlen(text));
  return text;
}

TEST(ErrorCodes, EachClassHasItsMpiClassAndBack) {
  for (auto kind = static_cast<int>(ErrorClass::other); kind <= static_cast<int>(ErrorClass::no_space);
       ++kind) {
    const auto one = static_cast<ErrorClass>(kind);
    EXPECT_EQ(class_of(class_of_code(error_code({one, "x"}))), one) << kind;
  }
  EXPECT_EQ(class_of_code(error_code({ErrorClass::no_space, "x"})), MPI_ERR_NO_SPACE);
  EXPECT_EQ(class_of_code(error_code({ErrorClass::read_only, "x"})), MPI_ERR_READ_ONLY);
  EXPECT_EQ(class_of(MPI_ERR_RANK), ErrorClass::other) << "collio has no class for it";
}

TEST(ErrorCodes, ACodeIsMadeOnceAndHasTheLatestText) {
  const test::LibraryHere here;
  const int first = error_code({ErrorClass::io, "disk 1"});
  EXPECT_EQ(text_of_code(first), "collio: disk 1");
  EXPECT_EQ(error_code({ErrorClass::io, "disk 2"}), first);
  EXPECT_EQ(text_of_code(first), "collio: disk 2");
  EXPECT_NE(error_code({ErrorClass::quota, "q"}), first);
  EXPECT_NE(text_of_code(MPI_ERR_ARG), "") << "the library's own";
}

TEST(ErrorCodes, ALongTextIsShortened) {
  const test::LibraryHere here;
  const std::string text = text_of_code(error_code({ErrorClass::type, std::string(5000, 'x') + "end"}));
  EXPECT_LT(text.size(), static_cast<std::size_t>(MPI_MAX_ERROR_STRING));
  EXPECT_TRUE(text.starts_with("collio: xxx"));
}

int seen = MPI_SUCCESS;
void note(MPI_File*, int* code, ...) { seen = *code; }

TEST(ErrorCodes, AnErrorGoesToTheFilesHandlerAndIsReturned) {
  const test::LibraryHere here;
  const test::TemporaryFile path;
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_SELF, path.path().c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  EXPECT_EQ(class_of_code(raise(file, {ErrorClass::io, "x"})), MPI_ERR_IO) << "files return errors";
  EXPECT_EQ(seen, MPI_SUCCESS);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_File_create_errhandler(note, &handler);
  MPI_File_set_errhandler(file, handler);
  EXPECT_EQ(class_of_code(raise(file, {ErrorClass::quota, "full"})), MPI_ERR_QUOTA);
  EXPECT_EQ(class_of_code(seen), MPI_ERR_QUOTA);
  EXPECT_EQ(text_of_code(seen), "collio: full");
  MPI_Errhandler_free(&handler);
  MPI_File_close(&file);
}

}  // namespace
}  // namespace collio::mpiio
