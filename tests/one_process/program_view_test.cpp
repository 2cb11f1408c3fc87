// Which views the MPI library gets at once, which later, and where a view ends. The library is a table of
// functions that note what they are given.
#include "mpiio/open/program_view.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "mpiio/view/check_view.hpp"
#include "types.hpp"

namespace collio::mpiio {
namespace {

using test::Type;

ViewKind kind_of(MPI_Datatype etype, MPI_Datatype filetype, MPI_Offset displacement = 0) {
  return judge_view(etype, filetype, describe_view(displacement, etype, filetype));
}

TEST(JudgeView, TheWholeFileIsBytes) {
  EXPECT_EQ(kind_of(MPI_BYTE, MPI_BYTE), ViewKind::bytes);
  EXPECT_EQ(kind_of(MPI_DOUBLE, MPI_DOUBLE), ViewKind::bytes);
  const Type row(test::row(5, MPI_DOUBLE));
  EXPECT_EQ(kind_of(MPI_DOUBLE, row), ViewKind::bytes);
  EXPECT_EQ(kind_of(MPI_BYTE, MPI_BYTE, 8), ViewKind::plain) << "it begins further on";
  EXPECT_EQ(kind_of(row, row), ViewKind::plain) << "an etype that is not predefined";
}

TEST(JudgeView, AFewPiecesBuiltInOneStepArePlain) {
  const Type few(test::vector(256, 1, 2, MPI_INT)), many(test::vector(257, 1, 2, MPI_INT));
  EXPECT_EQ(kind_of(MPI_INT, few), ViewKind::plain);
  EXPECT_EQ(kind_of(MPI_INT, many), ViewKind::costly);
  const Type twice(test::vector(2, 1, 2, few));
  EXPECT_EQ(kind_of(MPI_INT, twice), ViewKind::costly) << "two steps, 512 pieces";
  const Type small(test::vector(2, 1, 2, MPI_INT)), nested(test::row(2, small));
  EXPECT_EQ(kind_of(MPI_INT, nested), ViewKind::costly) << "two steps, 4 pieces";
  const Type wider(test::resized(small, 0, 64));
  EXPECT_EQ(kind_of(MPI_INT, wider), ViewKind::plain) << "a resize is no step";
  const Type wider_twice(test::resized(wider, 0, 128));
  EXPECT_EQ(kind_of(MPI_INT, wider_twice), ViewKind::costly);
}

TEST(JudgeView, WhatLibrariesMisreadIsCostly) {
  const Type descending(test::blocks({1, 1}, {8, 0}, MPI_INT));
  EXPECT_EQ(kind_of(MPI_INT, descending), ViewKind::costly);
  const Type lower(test::resized(test::vector(2, 1, 2, MPI_INT), -4, 32));
  EXPECT_EQ(kind_of(MPI_INT, lower), ViewKind::costly) << "a lower bound";
  const Type short_extent(test::resized(test::vector(2, 1, 2, MPI_INT), 0, 8));
  EXPECT_EQ(kind_of(MPI_INT, short_extent), ViewKind::costly) << "the next instance lies in this one";
  const Type none(test::row(0, MPI_INT));
  EXPECT_EQ(kind_of(MPI_INT, none), ViewKind::costly);
  EXPECT_EQ(kind_of(MPI_INT, MPI_INT, -4), ViewKind::undescribed);
}

TEST(EndPosition, IsTheFirstEtypeAtOrBehindTheEnd) {
  EXPECT_EQ(end_position(describe_view(0, MPI_INT, MPI_INT), 40), 10);
  EXPECT_EQ(end_position(describe_view(0, MPI_INT, MPI_INT), 41), 11);
  EXPECT_EQ(end_position(describe_view(100, MPI_INT, MPI_INT), 99), 0);
  const Type every_other(test::resized(MPI_INT, 0, 8));
  const access::View view = describe_view(16, MPI_INT, every_other);
  EXPECT_EQ(end_position(view, 16), 0);
  EXPECT_EQ(end_position(view, 20), 1);
  EXPECT_EQ(end_position(view, 24), 1) << "bytes between the pieces";
  EXPECT_EQ(end_position(view, 25), 2);
  const Type none(test::row(0, MPI_INT));
  EXPECT_EQ(end_position(describe_view(0, MPI_INT, none), 40), 0);
}

/// What the library was given.
struct Library {
  struct View {
    MPI_Offset displacement;
    int etype_bytes, filetype_bytes;
  };
  std::vector<View> views;
  std::vector<MPI_Offset> seeks;
  MPI_Offset position = 0;
  int refuses = MPI_SUCCESS;
};
Library* library = nullptr;

class OneLibrary : public ::testing::Test {
 protected:
  OneLibrary() {
    library = &given_;
    real_.File_set_view = [](MPI_File, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
                             const char*, MPI_Info) {
      if (library->refuses != MPI_SUCCESS) return library->refuses;
      int etype_bytes = 0, filetype_bytes = 0;
      MPI_Type_size(etype, &etype_bytes);
      MPI_Type_size(filetype, &filetype_bytes);
      library->views.push_back({displacement, etype_bytes, filetype_bytes});
      return MPI_SUCCESS;
    };
    real_.File_seek = [](MPI_File, MPI_Offset offset, int) {
      library->seeks.push_back(offset);
      return MPI_SUCCESS;
    };
    real_.File_get_position = [](MPI_File, MPI_Offset* offset) {
      *offset = library->position;
      return MPI_SUCCESS;
    };
  }
  Library given_;
  collio_calls real_{};
  ProgramView view_;
};

TEST_F(OneLibrary, GetsACommonEtypeOnce) {
  ProgramView::Unit unit{MPI_DOUBLE, 8, true, false};
  EXPECT_EQ(view_.install_unit(MPI_FILE_NULL, real_, unit, MPI_INFO_NULL), MPI_SUCCESS);
  ASSERT_EQ(given_.views.size(), 1U);
  EXPECT_EQ(given_.views[0].etype_bytes, 8);
  EXPECT_TRUE(view_.has_unit(8));
  EXPECT_FALSE(view_.has_unit(4));
  unit.is_there = true;
  view_.install_unit(MPI_FILE_NULL, real_, unit, MPI_INFO_NULL);
  EXPECT_EQ(given_.views.size(), 1U) << "a seek is all";
  EXPECT_EQ(given_.seeks, (std::vector<MPI_Offset>{0}));
  view_.note_shared_pointer();
  EXPECT_FALSE(view_.has_unit(8)) << "a view sets the shared pointer back";
}

TEST_F(OneLibrary, GetsEtypesThatRanksDoNotShareAsBytes) {
  const Type etype(test::row(3, MPI_INT));
  view_.install_unit(MPI_FILE_NULL, real_, {etype, 12, false, false}, MPI_INFO_NULL);
  ASSERT_EQ(given_.views.size(), 1U);
  EXPECT_EQ(given_.views[0].etype_bytes, 12);
  EXPECT_FALSE(view_.has_unit(12));
  view_.install_unit(MPI_FILE_NULL, real_, {etype, (std::int64_t{2} << 30) + 12, false, false},
                     MPI_INFO_NULL);
  ASSERT_EQ(given_.views.size(), 2U) << "more bytes than an int counts";
}

TEST_F(OneLibrary, GetsTheWholeViewWhenItIsNeededAndKeepsItsPointer) {
  const Type filetype(test::vector(300, 1, 2, MPI_INT));
  view_.set(16, MPI_INT, filetype, ViewKind::costly);
  view_.mark_etype_only();
  given_.position = 7;
  given_.refuses = MPI_ERR_ARG;
  EXPECT_EQ(view_.install(MPI_FILE_NULL, real_), MPI_ERR_ARG);
  EXPECT_FALSE(view_.installed());
  given_.refuses = MPI_SUCCESS;
  EXPECT_EQ(view_.install(MPI_FILE_NULL, real_), MPI_SUCCESS);
  EXPECT_TRUE(view_.installed());
  ASSERT_EQ(given_.views.size(), 1U);
  EXPECT_EQ(given_.views[0].displacement, 16);
  EXPECT_EQ(given_.views[0].filetype_bytes, 1200);
  EXPECT_EQ(given_.seeks, (std::vector<MPI_Offset>{7}));
  view_.install(MPI_FILE_NULL, real_);
  EXPECT_EQ(given_.views.size(), 1U) << "it has it";
}

TEST_F(OneLibrary, GetsPlainViewsAtOnceAgainAfterItMissedOne) {
  EXPECT_FALSE(view_.one_of_many());
  view_.mark_installed();
  view_.set(8, MPI_BYTE, MPI_BYTE, ViewKind::plain);
  EXPECT_TRUE(view_.one_of_many()) << "the first plain one was handed on";
  view_.set(16, MPI_BYTE, MPI_BYTE, ViewKind::plain);
  view_.mark_etype_only();
  EXPECT_TRUE(view_.one_of_many());
  view_.install(MPI_FILE_NULL, real_);
  EXPECT_FALSE(view_.one_of_many());
}

TEST_F(OneLibrary, ARankThatReadsAloneThroughAPartOfTheFileMissesTheView) {
  view_.mark_installed();
  view_.set(0, MPI_BYTE, MPI_BYTE, ViewKind::plain);
  view_.set(0, MPI_BYTE, MPI_BYTE, ViewKind::bytes);
  view_.note_independent();
  EXPECT_TRUE(view_.one_of_many()) << "of the whole file there is nothing to miss";
  view_.set(8, MPI_BYTE, MPI_BYTE, ViewKind::plain);
  view_.note_independent();
  EXPECT_FALSE(view_.one_of_many());
}

}  // namespace
}  // namespace collio::mpiio
