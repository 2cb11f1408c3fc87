// storage/probe: what targets that work, fail and do not answer are measured as, and what it may cost.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <future>

#include "storage/probe/measure.hpp"
#include "temporary_folder.hpp"

namespace collio::storage::probe {
namespace {

namespace fs = std::filesystem;
constexpr std::int64_t mib = 1 << 20;

using Folder = test::TemporaryFolder;

Target device(const std::string& path) {
  return {path, path, [path] { return OwnedFile(::open(path.c_str(), O_WRONLY | O_CLOEXEC)); }};
}

Budget small() { return {3, sample_of(mib)}; }

Measurement measure_one(const Target& target, const MeasureLimits& limits = {}) {
  return measure({target}, small(), 4, limits).front();
}

TEST(ProbeMeasure, FolderIsMeasuredAndLeftEmpty) {
  const Folder folder;
  const auto one = measure_one({"here", folder.path(), {}});
  EXPECT_EQ(one.state, State::measured) << one.error.message;
  EXPECT_EQ(one.samples.size(), 3);
  EXPECT_EQ(one.bytes, 3 * mib);
  EXPECT_GT(one.bytes_per_s, 0);
  EXPECT_EQ(one.way == Way::direct, one.no_direct.empty());
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(ProbeMeasure, WithoutDirectBytesAreSynced) {
  const Folder folder;
  const auto one = measure_one({"here", folder.path(), {}}, {.direct = false});
  EXPECT_EQ(one.state, State::measured) << one.error.message;
  EXPECT_EQ(one.way, Way::synced);
  EXPECT_TRUE(one.no_direct.empty());
}

// The seam for files that lie on one server of a file system: the caller makes the file, the probe fills it.
TEST(ProbeMeasure, CallersFilesAreWritten) {
  const Folder folder;
  const std::string path = folder.path() + "/file";
  const Target target{
      "server 3", folder.path(),
      [path] { return OwnedFile(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)); }};
  EXPECT_EQ(measure_one(target).state, State::measured);
  EXPECT_EQ(fs::file_size(path), mib);
}

TEST(ProbeMeasure, FullTargetSaysSo) {
  const auto one = measure_one(device("/dev/full"));
  EXPECT_EQ(one.state, State::full);
  EXPECT_EQ(one.error.kind, core::ErrorClass::no_space);
  EXPECT_EQ(one.error.message,
            "target /dev/full: the probe's file cannot be written: No space left on device; free some space "
            "there, or leave this target out");
}

TEST(ProbeMeasure, MissingAndForbiddenFoldersSaySo) {
  const Folder folder;
  const auto missing = measure_one({"none", folder.path() + "/none", {}});
  EXPECT_EQ(missing.state, State::failed);
  EXPECT_EQ(
      missing.error.message,
      "target none: a temporary file cannot be made: No such file or directory; make the folder, or leave "
      "this target out");
  const auto forbidden = measure_one({"kernel's", "/proc/self", {}});
  EXPECT_EQ(forbidden.state, State::failed);
  EXPECT_FALSE(forbidden.error.ok());
}

// All but the stuck ones are measured, though they would fill every place.
TEST(ProbeMeasure, StuckTargetsHoldNobodyUp) {
  const Folder folder;
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  const Target stuck{"stuck", folder.path(), [released]() -> core::Result<OwnedFile> {
                       released.wait();
                       return core::Error{core::ErrorClass::io, "late"};
                     }};
  const Target works{"works", folder.path(), {}};
  const auto begin = std::chrono::steady_clock::now();
  const auto found = measure({stuck, stuck, works, stuck, works}, small(), 2, {.patience_s = 0.1});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  for (const std::size_t i : {0, 1, 3}) {
    EXPECT_EQ(found[i].state, State::stuck);
    EXPECT_EQ(found[i].error.message,
              "target stuck: no answer within 0.1 s while making a file; look at its server, or leave this "
              "target out");
  }
  EXPECT_EQ(found[2].state, State::measured) << found[2].error.message;
  EXPECT_EQ(found[4].state, State::measured) << found[4].error.message;
  EXPECT_LT(took.count(), 5) << "three times 0.1 s, two at a time, and the samples";
  release.set_value();
}

// However patient the probe is with a target that does not answer, and however long a sample is.
TEST(ProbeMeasure, EndsInItsTimeInTheMiddleOfASample) {
  const Folder folder;
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  const Target never{"never", folder.path(), [released]() -> core::Result<OwnedFile> {
                       released.wait();
                       return core::Error{core::ErrorClass::io, "late"};
                     }};
  const Target endless = device("/dev/null");
  const Budget budget{1, {std::int64_t{1} << 32, 4096}};
  const auto begin = std::chrono::steady_clock::now();
  const auto found = measure({never, endless}, budget, 2, {.patience_s = 60, .most_s = 0.2});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  release.set_value();
  EXPECT_LT(took.count(), 2);
  EXPECT_EQ(found[0].state, State::stuck);
  EXPECT_EQ(
      found[0].error.message,
      "target never: no sample has ended within the probe's 0.2 s; the first was at: making a file; look "
      "at its server, or leave this target out");
  EXPECT_EQ(found[1].state, State::measured) << found[1].error.message;
  EXPECT_LT(found[1].bytes, budget.size.bytes);
  EXPECT_EQ(found[1].ended_early, 1);
}

TEST(ProbeMeasure, WhatIsNotReachedInTimeIsUnknown) {
  const Folder folder;
  const auto found = measure({{"a", folder.path(), {}}}, small(), 1, {.most_s = -1});
  EXPECT_EQ(found[0].state, State::unknown);
  EXPECT_TRUE(found[0].error.ok());
}

TEST(ProbeMeasure, MedianSpreadAndError) {
  Measurement one;
  one.samples = {100, 20, 60, 80, 40};
  summarise(one);
  EXPECT_DOUBLE_EQ(one.bytes_per_s, 60);
  EXPECT_DOUBLE_EQ(one.spread_bytes_per_s, 20);
  EXPECT_NEAR(one.error_bytes_per_s, 16.6, 0.1);
  one.samples = {7};
  summarise(one);
  EXPECT_DOUBLE_EQ(one.bytes_per_s, 7);
  EXPECT_DOUBLE_EQ(one.error_bytes_per_s, 0);
}

TEST(ProbeBudget, TakesAHundredthOfTheTime) {
  std::string why;
  const auto whole = budget_of({}, 6, why);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->samples, 5);
  EXPECT_EQ(whole->size.bytes, 8 * mib);
  EXPECT_EQ(whole->size.block_bytes, 2 * mib);
  for (const std::int64_t targets : {1, 4, 6, 100, 1000})
    for (std::int64_t expected = mib; expected <= std::int64_t{1} << 46; expected *= 2) {
      const auto budget = budget_of({.expected_bytes = expected}, targets, why);
      if (!budget) continue;
      const double slower =
          static_cast<double>(targets) / static_cast<double>(std::min<std::int64_t>(4, targets));
      const auto written = static_cast<double>(budget->size.bytes * budget->samples * targets);
      EXPECT_LE(written * slower, 0.01 * static_cast<double>(expected)) << targets << " " << expected;
      EXPECT_GE(budget->size.bytes, 1000 << 10);
      EXPECT_GE(budget->samples, 3);
    }
  const auto endless =
      budget_of({.bytes_per_target = std::int64_t{1} << 60, .expected_bytes = std::int64_t{1} << 62}, 1, why);
  ASSERT_TRUE(endless);
  EXPECT_EQ(endless->samples, 5);
  // A thousand targets are for the nodes of a job together: 32 of them, four targets each at a time.
  EXPECT_FALSE(budget_of({.expected_bytes = std::int64_t{1} << 42}, 1000, why));
  EXPECT_TRUE(budget_of({.at_once = 128, .expected_bytes = std::int64_t{1} << 42}, 1000, why));
}

TEST(ProbeBudget, SmallFilesAreNotProbedFor) {
  std::string why;
  EXPECT_FALSE(budget_of({.expected_bytes = 1000 * mib}, 4, why));
  EXPECT_EQ(why, "not probed: 1 % of the time for 1000 MiB leaves 2.5 MiB a target, and a probe needs 3");
  EXPECT_TRUE(budget_of({.expected_bytes = 1200 * mib}, 4, why));
}

}  // namespace
}  // namespace collio::storage::probe
