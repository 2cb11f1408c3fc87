// Files in subfiles that another program wrote (tests/golden/make_subfiles.py): what the engine reads of
// them, and would write of the same values.
#include <gtest/gtest.h>

#include "subfile_fixture.hpp"

namespace {

using namespace collio::storage;
using collio::core::Extent;

TEST(GoldenSubfiles, AreReadAndWouldBeWrittenAlike) {
  for (const std::string name : {"plain.nc", "one", "empty", "100%.nc", "dealt"}) {
    const std::string path = std::string(COLLIO_GOLDEN_DATA "/subfiles/") + name;
    const FoundFile found = look_for_subfiles(path);
    ASSERT_TRUE(found.set && found.error.ok()) << name << ": " << found.error.message;
    const SubfileSet& set = *found.set;
    EXPECT_EQ(set.placeholder().text(), read_text(path).value());
    EXPECT_EQ(text_of(set.manifest()), read_text(set.manifest_path()).value());
    EXPECT_EQ(set.manifest().complete, name != "100%.nc");
    EXPECT_EQ(set.manifest().born, 1'700'000'000'123'456'789);

    const std::string bytes = read_text(path + ".bytes").value();
    const auto size = static_cast<std::int64_t>(bytes.size());
    EXPECT_EQ(set.manifest().file_bytes, size);
    EXPECT_EQ(set.manifest().synced_bytes, size / 2);
    EXPECT_EQ(check_subfiles(set, {}).whole_bytes, size);
    EXPECT_EQ(length_by(set, {}).value(), size);
    std::string read;
    set.for_each_part(Extent{0, size}, [&](const SubfilePart& part, std::int64_t) {
      read += read_text(set.subfile_path(part.subfile))
                  .value()
                  .substr(static_cast<std::size_t>(part.extent.offset),
                          static_cast<std::size_t>(part.extent.length));
    });
    EXPECT_EQ(read, bytes);
  }
}

}  // namespace
