// Times of steps and calls that a process leaves for `collio run --trace`.
#include "observe/trace.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "observe/steps.hpp"

namespace collio::observe {
namespace {

/// The lines that a process leaves when it ends: one of its own, as it keeps one trace.
std::vector<nlohmann::json> left_by(const std::function<void()>& run) {
  const std::string folder = testing::TempDir() + "trace." + std::to_string(::getpid());
  std::filesystem::create_directory(folder);
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("COLLIO_TRACE", (folder + "/t").c_str(), 1);
    run();
    std::exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  std::vector<nlohmann::json> lines;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  }
  std::filesystem::remove_all(folder);
  return lines;
}

TEST(Trace, HasStepsAndCallsInMicroseconds) {
  const auto lines = left_by([] {
    start_trace(3);
    const double begin = now_s();
    trace_step(Step::pack, begin, begin + 0.5);
    trace_call({"write_all", "two_layer", "/scratch/a \"b\".nc", 77, begin, begin + 1});
  });
  ASSERT_EQ(lines.size(), 1);
  const nlohmann::json& line = lines[0];
  EXPECT_EQ(line["rank"], 3);
  EXPECT_EQ(line["left_out"], 0);
  ASSERT_EQ(line["steps"].size(), 1);
  EXPECT_EQ(line["names"][line["steps"][0][0].get<int>()], "pack");
  EXPECT_NEAR(line["steps"][0][3].get<double>(), 5e5, 1);
  ASSERT_EQ(line["calls"].size(), 1);
  EXPECT_EQ(line["calls"][0][2], "/scratch/a \"b\".nc");
  EXPECT_EQ(line["calls"][0][3], 77);
  EXPECT_EQ(line["calls"][0][4], line["steps"][0][1]);
  EXPECT_EQ(line["calls"][0][5], line["steps"][0][2]);
  EXPECT_NEAR(line["calls"][0][6].get<double>(), 1e6, 1);
}

TEST(Trace, ScopesOfStepsAreTraced) {
  const auto lines = left_by([] {
    start_trace(0);
    Steps steps;
    const Steps::Scope outer(steps, Step::exchange);
    const Steps::Scope inner(steps, Step::place);
  });
  ASSERT_EQ(lines.size(), 1);
  std::vector<std::string> names;
  for (const nlohmann::json& step : lines[0]["steps"])
    names.push_back(lines[0]["names"][step[0].get<int>()].get<std::string>());
  EXPECT_EQ(names, (std::vector<std::string>{"exchange", "place", "exchange"}));
}

TEST(Trace, ThreadsAndCopiesOfTheProcessAreApart) {
  const auto lines = left_by([] {
    start_trace(0);
    trace_step(Step::pack, 0, 1);
    std::thread([] { trace_step(Step::pack, 0, 1); }).join();
    if (const pid_t copy = ::fork(); copy == 0)
      std::exit(0);
    else
      ::waitpid(copy, nullptr, 0);
  });
  ASSERT_EQ(lines.size(), 1);
  const nlohmann::json& steps = lines[0]["steps"];
  ASSERT_EQ(steps.size(), 2);
  EXPECT_NE(steps[0][1], steps[1][1]);
}

TEST(Trace, IsBounded) {
  constexpr int kept = 1 << 17, more = 20000;
  const auto lines = left_by([] {
    start_trace(0);
    for (int i = 0; i < kept + more; ++i) trace_step(Step::wait, i, i + 1);
  });
  std::size_t steps = 0;
  for (const nlohmann::json& line : lines) steps += line["steps"].size();
  EXPECT_EQ(steps, kept);
  EXPECT_EQ(lines.back()["left_out"], more);
}

TEST(Trace, FirstRanksAlone) {
  EXPECT_EQ(left_by([] { start_trace(63); }).size(), 1);
  EXPECT_TRUE(left_by([] { start_trace(64); }).empty());
}

TEST(Trace, WithoutAFileNothingIsKept) {
  EXPECT_FALSE(traced);
  trace_step(Step::wait, 0, 1);
}

}  // namespace
}  // namespace collio::observe
