// Decompositions, variables and puts of collio.h: what is refused, and what waits for the next commit.
#include "capi/declare.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "capi/create_file.hpp"
#include "capi/error.hpp"
#include "capi/file.hpp"
#include "open_file.hpp"

namespace collio::capi {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

/// A 4 x 6 array, of which this rank has the left half.
class Declared : public ::testing::Test {
 protected:
  Declared() {
    file_.open = opened_.front();
    const std::int64_t shape[] = {4, 6}, start[] = {0, 0}, count[] = {4, 3};
    EXPECT_EQ(make_box(2, shape, start, count, &half_), COLLIO_OK);
  }
  ~Declared() override { EXPECT_EQ(free_decomposition(&half_), COLLIO_OK); }
  collio_variable* variable(std::int64_t offset, std::int64_t record_bytes) {
    collio_variable* made = nullptr;
    EXPECT_EQ(define(&file_, {half_, 8, offset, record_bytes}, &made), COLLIO_OK) << error_text();
    return made;
  }
  std::string refusal(std::int64_t element_bytes, std::int64_t offset, std::int64_t record_bytes) {
    collio_variable* made = nullptr;
    return define(&file_, {half_, element_bytes, offset, record_bytes}, &made) == COLLIO_OK ? ""
                                                                                            : error_text();
  }

  test::OpenedFile<> opened_;
  collio_file file_;
  collio_decomposition* half_ = nullptr;
  double data_[12] = {};
};

TEST_F(Declared, ABoxHasItsShapeAndItsElements) {
  int dims = 0;
  std::int64_t shape[2], elements = 0, map[12];
  EXPECT_EQ(inquire(half_, &dims, shape, &elements), COLLIO_OK);
  EXPECT_EQ(dims, 2);
  EXPECT_EQ(shape[1], 6);
  EXPECT_EQ(elements, 12);
  EXPECT_EQ(indices(half_, map), COLLIO_OK);
  EXPECT_EQ(map[3], 6) << "the second row begins there";
  EXPECT_EQ(inquire(nullptr, &dims, shape, &elements), COLLIO_ERR_ARGUMENT);
}

TEST_F(Declared, WrongDecompositionsAreRefused) {
  collio_decomposition* made = nullptr;
  const std::int64_t shape[] = {4}, start[] = {2}, count[] = {3}, outside[] = {4};
  EXPECT_EQ(make_box(1, shape, start, count, &made), COLLIO_ERR_ARGUMENT) << "elements 2 to 4 of 4";
  EXPECT_EQ(make_box(0, shape, start, count, &made), COLLIO_ERR_ARGUMENT);
  EXPECT_EQ(make_box(1, shape, nullptr, count, &made), COLLIO_ERR_ARGUMENT);
  EXPECT_EQ(make_map(1, shape, -1, start, &made), COLLIO_ERR_ARGUMENT);
  EXPECT_EQ(make_map(1, shape, 1, outside, &made), COLLIO_ERR_ARGUMENT);
  EXPECT_EQ(made, nullptr);
}

TEST_F(Declared, AVariablesNumbersAreChecked) {
  EXPECT_EQ(refusal(8, 0, 0), "");
  EXPECT_EQ(refusal(0, 0, 0), "element_bytes is 0; allowed: 1 to 1048576");
  EXPECT_EQ(refusal(8, -1, 0), "offset is -1; allowed: 0 and more");
  EXPECT_EQ(refusal(8, 0, 191),
            "record_bytes is 191; allowed: 0 for no records, or 192 and more, the array's bytes");
  EXPECT_EQ(refusal(8, 0, 192), "");
  EXPECT_EQ(file_.variables.size(), 2U);
}

TEST_F(Declared, ARecordHasItsPlaceInTheFile) {
  const collio_variable& records = *variable(1000, 500);
  EXPECT_EQ(offset_of(records, 0).value(), 1000);
  EXPECT_EQ(offset_of(records, 3).value(), 2500);
  EXPECT_FALSE(offset_of(records, -1).ok());
  EXPECT_FALSE(offset_of(records, most / 500).ok()) << "its end is beyond 2^63";
  EXPECT_FALSE(offset_of(*variable(1000, 0), 1).ok()) << "it has no records";
}

TEST_F(Declared, PutsWaitForTheCommitAndErrorsDoToo) {
  collio_variable* const records = variable(0, 192);
  EXPECT_EQ(put(records, 0, data_, nullptr), COLLIO_OK);
  EXPECT_FALSE(file_.writes.none());
  EXPECT_TRUE(file_.writes.error.ok());
  EXPECT_EQ(put(records, -1, data_, nullptr), COLLIO_ERR_ARGUMENT);
  EXPECT_EQ(file_.writes.error.message, "record is -1; allowed: 0 and more")
      << "the commit fails on all ranks";
  EXPECT_EQ(put(records, 1, nullptr, nullptr), COLLIO_ERR_ARGUMENT);
  EXPECT_TRUE(file_.reads.none());
  EXPECT_EQ(get(records, 0, data_, nullptr), COLLIO_OK);
  EXPECT_FALSE(file_.reads.none());
  EXPECT_EQ(cancel(&file_), COLLIO_OK);
  EXPECT_TRUE(file_.writes.none() && file_.reads.none());
}

TEST_F(Declared, AnArrayWithElementsTwiceCanBeReadAlone) {
  collio_decomposition* twice = nullptr;
  const std::int64_t shape[] = {4}, map[] = {1, 1};
  ASSERT_EQ(make_map(1, shape, 2, map, &twice), COLLIO_OK);
  collio_variable* made = nullptr;
  ASSERT_EQ(define(&file_, {twice, 8, 0, 0}, &made), COLLIO_OK);
  EXPECT_EQ(put(made, 0, data_, nullptr), COLLIO_ERR_ARGUMENT);
  EXPECT_EQ(get(made, 0, data_, nullptr), COLLIO_OK);
  EXPECT_EQ(undefine(&made), COLLIO_OK);
  EXPECT_EQ(made, nullptr);
  free_decomposition(&twice);
}

TEST_F(Declared, ALayoutOfMemoryHasCountsAndStrides) {
  collio_variable* const one = variable(0, 0);
  const std::int64_t counts[] = {4, 3}, strides[] = {5, 1};
  double wide[20] = {};
  collio_layout layout{2, counts, strides};
  EXPECT_EQ(put(one, 0, wide, &layout), COLLIO_OK) << error_text();
  layout.strides = nullptr;
  EXPECT_EQ(put(one, 0, wide, &layout), COLLIO_ERR_ARGUMENT);
  layout = {33, counts, strides};
  EXPECT_EQ(put(one, 0, wide, &layout), COLLIO_ERR_ARGUMENT);
}

TEST(CreateFile, ModesThatDoNotGoTogetherAreRefused) {
  for (const int mode :
       {int{COLLIO_READ}, int{COLLIO_WRITE}, COLLIO_READ | COLLIO_WRITE, COLLIO_WRITE | COLLIO_CREATE,
        COLLIO_WRITE | COLLIO_CREATE | COLLIO_EXCLUSIVE, COLLIO_WRITE | COLLIO_TRUNCATE})
    EXPECT_TRUE(check_modes(mode).ok()) << mode;
  for (const int mode : {0, 1 << 20, COLLIO_READ | COLLIO_CREATE, COLLIO_READ | COLLIO_TRUNCATE,
                         int{COLLIO_CREATE}, COLLIO_WRITE | COLLIO_EXCLUSIVE, COLLIO_READ | COLLIO_WHOLE})
    EXPECT_EQ(check_modes(mode).kind, core::ErrorClass::argument) << mode;
}

TEST(CreateFile, AFileIsMadeEmptiedAndResizedUnlessAnotherHasItsName) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/f";
  std::uint64_t inode = 0, other = 0;
  EXPECT_EQ(create_file(path, COLLIO_WRITE, inode).kind, core::ErrorClass::no_such_file);
  EXPECT_TRUE(create_file(path, COLLIO_WRITE | COLLIO_CREATE, inode).ok());
  EXPECT_EQ(create_file(path, COLLIO_WRITE | COLLIO_CREATE | COLLIO_EXCLUSIVE, other).kind,
            core::ErrorClass::file_exists);
  std::int64_t bytes = 0;
  EXPECT_TRUE(truncate_file({path, inode}, 77).ok());
  EXPECT_TRUE(size_of({path, inode}, bytes).ok());
  EXPECT_EQ(bytes, 77);
  EXPECT_TRUE(create_file(path, COLLIO_WRITE | COLLIO_TRUNCATE, other).ok());
  EXPECT_EQ(other, inode);
  EXPECT_TRUE(size_of({path, inode}, bytes).ok());
  EXPECT_EQ(bytes, 0);
  std::filesystem::rename(path, folder.path() + "/g");
  EXPECT_TRUE(create_file(path, COLLIO_WRITE | COLLIO_CREATE, other).ok());
  EXPECT_EQ(size_of({path, inode}, bytes).kind, core::ErrorClass::no_such_file);
  EXPECT_EQ(truncate_file({path, inode}, 5).kind, core::ErrorClass::no_such_file);
  EXPECT_TRUE(size_of({path, other}, bytes).ok());
  EXPECT_EQ(bytes, 0);
}

}  // namespace
}  // namespace collio::capi
