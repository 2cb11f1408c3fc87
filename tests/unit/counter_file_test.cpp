// A number in a file: one sum of all threads and processes, 0 in each generation, errors with the path.
#include "storage/counter_file.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "temporary_folder.hpp"

namespace collio::storage {
namespace {

class CounterFiles : public ::testing::Test {
 protected:
  const test::TemporaryFolder temporary_;
  const std::string& folder_ = temporary_.path();
};

TEST_F(CounterFiles, ProcessesAndThreadsAddToOneNumber) {
  constexpr int processes = 4, threads = 3, times = 200;
  const std::string path = folder_ + "/number";
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    CounterFile counter(path);
    std::vector<int> lost(threads);
    std::vector<std::thread> running;
    for (int t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        std::int64_t last = -1;
        for (int i = 0; i < times; ++i) {
          const auto before = counter.add(7, 3);
          if (!before || before.value() <= last || before.value() % 3 != 0)
            ++lost[static_cast<std::size_t>(t)];
          if (before) last = before.value();
        }
      });
    for (std::thread& one : running) one.join();
    ::_exit(std::count(lost.begin(), lost.end(), 0) == threads ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "a sum was lost, or came twice";
  }
  EXPECT_EQ(CounterFile(path).add(7, 0).value(), processes * threads * times * 3);
}

TEST_F(CounterFiles, IsZeroInEachGeneration) {
  CounterFile counter(folder_ + "/number"), other(folder_ + "/number");
  EXPECT_EQ(counter.add(1, 5).value(), 0);
  EXPECT_EQ(other.add(1, 5).value(), 5);
  EXPECT_EQ(other.add(2, 1).value(), 0);
  EXPECT_TRUE(counter.set(2, 1LL << 40).ok());
  EXPECT_EQ(other.add(2, -1).value(), 1LL << 40);
  EXPECT_EQ(counter.add(3, 0).value(), 0);
}

TEST_F(CounterFiles, AFileThatIsCutBeginsAnew) {
  const std::string path = folder_ + "/number";
  CounterFile counter(path);
  EXPECT_EQ(counter.add(1, 5).value(), 0);
  ASSERT_EQ(::truncate(path.c_str(), 9), 0);
  EXPECT_EQ(counter.add(1, 5).value(), 0);
}

TEST_F(CounterFiles, ErrorsHaveThePath) {
  CounterFile counter(folder_ + "/none/number");
  const auto before = counter.add(1, 1);
  ASSERT_FALSE(before.ok());
  EXPECT_NE(before.error().message.find(folder_ + "/none/number"), std::string::npos)
      << before.error().message;
  EXPECT_FALSE(counter.set(1, 1).ok());
}

}  // namespace
}  // namespace collio::storage
