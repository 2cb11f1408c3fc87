// What notes show of the function that a process is in.
#include "transport/liveness/above.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "observe/steps.hpp"

namespace collio::transport {
namespace {

std::string name_in(const Above& note) { return note.said().name; }

TEST(Above, NotesShowWhereTheProcessIs) {
  Above first, second;
  const ShownAbove shown(first);
  const double before_s = observe::now_s();
  tell_above("H5Dwrite");
  EXPECT_EQ(name_in(first), "H5Dwrite");
  EXPECT_GE(first.said().since_s, before_s);
  const ShownAbove later(second);  // a file that is opened inside
  EXPECT_EQ(name_in(second), "H5Dwrite");
  tell_above(nullptr);
  EXPECT_EQ(name_in(first) + name_in(second), "");
}

TEST(Above, ANoteThatIsGoneIsNotWritten) {
  Above note;
  std::optional<ShownAbove> shown(std::in_place, note);
  shown.reset();
  tell_above("H5Dread");
  EXPECT_EQ(name_in(note), "");
  tell_above(nullptr);
}

TEST(Above, LongNamesAreCut) {
  Above note;
  const ShownAbove shown(note);
  tell_above("PIOc_write_darray_multi_of_a_kind");
  EXPECT_EQ(name_in(note), "PIOc_write_darray_multi");
  tell_above(nullptr);
}

}  // namespace
}  // namespace collio::transport
