// What an open file's parts may be used for, which is the compiler's to check: what must not compile does
// not.
#include <gtest/gtest.h>

#include <type_traits>

#include "engine/file/buffers.hpp"
#include "engine/file/file.hpp"

namespace collio::engine {
namespace {

template <class T>
concept Agrees = requires(T& t) { t.agreement; } || requires(T& t) { t.comm; } || requires(T& t) { t.roll; };
template <class T>
concept HasWindows =
    requires(T& t) { t.slots(); } || requires(T& t) { t.pool; } || requires(T& t) { t.shortage; };
template <class T>
concept HintsMayChange = requires(T& t, policy::Hints hints) { t.settings.hints = hints; };

TEST(OpenFile, AgreesInAVisitOnly) {
  EXPECT_TRUE(Agrees<Ranks> && Agrees<Visit>);
  EXPECT_FALSE(Agrees<File>);
  EXPECT_FALSE(std::is_copy_constructible_v<Visit>);
}

TEST(OpenFile, HasACallsMemoryInItsBuffersOnly) {
  EXPECT_TRUE(HasWindows<Buffers>);
  EXPECT_FALSE(HasWindows<File>);
  EXPECT_TRUE((std::is_constructible_v<Buffers, const Visit&>));
  EXPECT_FALSE((std::is_constructible_v<Buffers, File&>));
}

TEST(OpenFile, KeepsItsSettings) {
  EXPECT_FALSE(HintsMayChange<File>);
  EXPECT_TRUE(std::is_const_v<decltype(File::path)> && std::is_const_v<decltype(File::rank)>);
}

}  // namespace
}  // namespace collio::engine
