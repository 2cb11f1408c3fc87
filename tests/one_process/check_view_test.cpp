// What MPI demands of a view, and which views may break its rules.
#include "mpiio/view/check_view.hpp"

#include <gtest/gtest.h>

#include "mpiio/view/ask_library.hpp"
#include "types.hpp"

namespace collio::mpiio {
namespace {

using core::ErrorClass;
using test::Type;

core::Error checked(MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
                    const ViewCheck& check = {}) {
  return check_view(describe_view(displacement, etype, filetype), etype, check);
}
constexpr ViewCheck pieces{.pieces = true}, written{.pieces = true, .writes = true};

TEST(CheckView, ADescriptionHasTheEtypesBytes) {
  const Type type(test::vector(3, 2, 5, MPI_INT));
  const access::View view = describe_view(7, MPI_INT, type);
  EXPECT_EQ(view.displacement, 7);
  EXPECT_EQ(view.etype_bytes, 4);
  ASSERT_TRUE(view.filetype);
  EXPECT_EQ(view.filetype->size(), 24);
  EXPECT_FALSE(describe_view(0, MPI_DATATYPE_NULL, type).filetype);
  EXPECT_FALSE(describe_view(0, MPI_INT, MPI_DATATYPE_NULL).filetype);
}

TEST(CheckView, DisplacementsAreNotNegativeAndFiletypesAreWholeEtypes) {
  EXPECT_EQ(checked(-1, MPI_BYTE, MPI_BYTE).kind, ErrorClass::argument);
  const Type three(test::row(3, MPI_SHORT));
  EXPECT_EQ(checked(0, MPI_INT, three).kind, ErrorClass::argument) << "6 bytes";
  EXPECT_TRUE(checked(0, MPI_SHORT, three).ok());
}

TEST(CheckView, PiecesAscendFromZero) {
  const Type descending(test::blocks({1, 1}, {8, 0}, MPI_INT));
  EXPECT_TRUE(checked(0, MPI_INT, descending).ok()) << "nobody asks";
  EXPECT_EQ(checked(0, MPI_INT, descending, pieces).kind, ErrorClass::type);
  const Type negative(test::blocks({1, 1}, {-8, 0}, MPI_INT));
  EXPECT_EQ(checked(0, MPI_INT, negative, pieces).kind, ErrorClass::type);
  const Type good(test::blocks({1, 2}, {0, 8}, MPI_INT));
  EXPECT_TRUE(checked(0, MPI_INT, good, written).ok());
}

TEST(CheckView, PiecesOverlapOnlyWhereNobodyWrites) {
  const Type overlapping(test::blocks({2, 2}, {0, 4}, MPI_INT));
  EXPECT_TRUE(checked(0, MPI_INT, overlapping, pieces).ok());
  EXPECT_EQ(checked(0, MPI_INT, overlapping, written).kind, ErrorClass::type);
}

TEST(CheckView, PiecesAreWholeEtypesInTheirPlaces) {
  const Type odd(test::resized(test::blocks({1, 1}, {0, 6}, MPI_INT), 0, 12));
  EXPECT_EQ(checked(0, MPI_INT, odd, pieces).kind, ErrorClass::type) << "a piece at byte 6";
  EXPECT_TRUE(checked(0, MPI_SHORT, odd, pieces).ok());
  const Type wide(test::resized(MPI_INT, 0, 6));
  EXPECT_EQ(checked(0, MPI_INT, wide, pieces).kind, ErrorClass::type) << "an extent of 6 bytes";
}

TEST(AskLibrary, ViewsAreDoubtfulThatMayBreakTheRules) {
  const auto doubtful = [](MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype) {
    return is_doubtful(describe_view(displacement, etype, filetype), etype);
  };
  const Type good(test::vector(3, 1, 2, MPI_INT)), descending(test::blocks({1, 1}, {8, 0}, MPI_INT)),
      overlapping(test::blocks({2, 2}, {0, 4}, MPI_INT)), part(test::row(3, MPI_SHORT));
  EXPECT_FALSE(doubtful(0, MPI_INT, good));
  EXPECT_TRUE(doubtful(-4, MPI_INT, good));
  EXPECT_TRUE(doubtful(0, MPI_INT, descending));
  EXPECT_TRUE(doubtful(0, MPI_INT, overlapping));
  EXPECT_TRUE(doubtful(0, MPI_INT, part));
  EXPECT_TRUE(doubtful(0, MPI_INT, MPI_DATATYPE_NULL));
  EXPECT_TRUE(doubtful(0, descending, descending)) << "an etype out of order";
}

}  // namespace
}  // namespace collio::mpiio
