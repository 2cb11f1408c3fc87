// Subfiles that become one file while the process goes on.
#include "engine/file/background_join.hpp"

#include <chrono>
#include <fstream>
#include <thread>

#include "subfile_fixture.hpp"

namespace {

using namespace collio;
using test::Subfiles;

/// Whether it comes true within seconds.
template <class Done>
bool soon(Done&& done) {
  for (int i = 0; i < 2000; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(5)))
    if (done()) return true;
  return false;
}

TEST_F(Subfiles, BecomeOneFileInTheBackgroundAndAreHeldUntilThen) {
  storage::SubfileSet set = make({10, 3});
  const auto file = open(set, policy::StorageKind::posix);
  std::string text;
  for (int i = 0; i < 35; ++i) text += static_cast<char>('a' + i % 26);
  ASSERT_TRUE(file->write({0, 35}, reinterpret_cast<const std::byte*>(text.data())).error.ok());
  ASSERT_TRUE(file->close().ok());
  set = test::with_bytes(std::move(set), 35);
  auto use = std::make_shared<storage::SetUse>(set.path(), storage::SetUse::By::many);
  const std::weak_ptr<storage::SetUse> held = use;
  ASSERT_TRUE(engine::join_in_background(set, std::move(use)).ok());
  EXPECT_TRUE(soon([&] { return held.expired(); }));
  EXPECT_EQ(storage::read_text(set.path()).value(), text);
  EXPECT_FALSE(std::filesystem::exists(set.folder()));
}

TEST_F(Subfiles, StayWhereTheBackgroundCannotJoinThem) {
  const storage::SubfileSet set = test::with_bytes(make({10, 3}), 35);
  std::filesystem::remove(set.subfile_path(1));
  auto use = std::make_shared<storage::SetUse>(set.path(), storage::SetUse::By::many);
  const std::weak_ptr<storage::SetUse> held = use;
  testing::internal::CaptureStderr();
  ASSERT_TRUE(engine::join_in_background(set, std::move(use)).ok());
  EXPECT_TRUE(soon([&] { return held.expired(); }));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find(set.path() + " stays in its subfiles"), std::string::npos) << said;
  EXPECT_TRUE(std::filesystem::exists(set.subfile_path(0)));
}

}  // namespace
