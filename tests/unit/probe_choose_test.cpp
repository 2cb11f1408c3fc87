// storage/probe: the cache, and choices made from it.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "storage/probe/cache.hpp"
#include "storage/probe/choose.hpp"
#include "temporary_folder.hpp"

namespace collio::storage::probe {
namespace {

namespace fs = std::filesystem;

/// Targets and a cache in a folder of their own.
class ProbeChoose : public testing::Test {
 protected:
  ProbeChoose() {
    for (const char* name : {"a", "b", "c"}) {
      const std::string folder = root_ + "/" + name;
      fs::create_directory(folder);
      targets_.push_back({name, folder, {}});
    }
    options_.folder = root_ + "/cache";
    options_.amount.bytes_per_target = 3 << 20;
    options_.amount.samples = 3;
  }

  /// As if the targets had been measured `age_s` ago.
  void remember(const std::vector<double>& rates, double age_s = 0) {
    std::vector<CacheEntry> entries;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      CacheEntry entry{identity_of(targets_[i]).value(), seconds_since_1970() - age_s, terms_, {}};
      entry.measurement.samples = {rates[i], rates[i], rates[i]};
      entries.push_back(entry);
    }
    const CacheLock lock(options_.folder, 1);
    ASSERT_EQ(lock.remark(), "");
    ASSERT_EQ(add_to_cache(options_.folder, entries), "");
  }
  [[nodiscard]] Choice chosen() const {
    Choice choice = choose(targets_, options_);
    EXPECT_TRUE(choice.error.ok()) << choice.error.message;
    return choice;
  }
  [[nodiscard]] std::string cache_text() const {
    std::ifstream file(options_.folder + "/probe.json", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const test::TemporaryFolder temporary_;
  const std::string& root_ = temporary_.path();
  std::vector<Target> targets_;
  Options options_;
  Terms terms_{true, 3, 1 << 20};  ///< as options_ have it
};

TEST_F(ProbeChoose, FreshFindingsSaveTheProbe) {
  remember({100e6, 100e6, 10e6}, 60);
  const Choice choice = chosen();
  EXPECT_EQ(choice.chosen, (std::vector<int>{0, 1}));
  EXPECT_EQ(choice.bytes, 0);
  EXPECT_TRUE(choice.measurements[0].cached);
  EXPECT_NEAR(choice.measurements[0].age_s, 60, 5);
  EXPECT_EQ(choice.why,
            "2 of 3 targets: 2 write 200 MB/s together, all 3 would write 30 MB/s; slow: c (10 MB/s)");
  EXPECT_EQ(left_out(targets_, choice), std::vector<std::string>{"c: slow, 10 MB/s"});
}

TEST_F(ProbeChoose, OldFindingsAreMeasuredAgainAndKept) {
  remember({100e6, 100e6, 10e6}, 700);
  const Choice first = chosen();
  EXPECT_EQ(first.bytes, 3 * 3 * options_.amount.bytes_per_target / 3);
  EXPECT_FALSE(first.measurements[2].cached);
  const Choice second = chosen();
  EXPECT_EQ(second.bytes, 0);
  EXPECT_EQ(second.measurements[2].samples, first.measurements[2].samples);
  EXPECT_EQ(second.measurements[2].way, first.measurements[2].way);
  EXPECT_EQ(second.measurements[2].no_direct, first.measurements[2].no_direct);
}

TEST_F(ProbeChoose, FindingsOfOtherSamplesAreMeasuredAnew) {
  for (const Terms& other : {Terms{false, 3, 1 << 20}, Terms{true, 2, 1 << 20}, Terms{true, 3, 2 << 20}}) {
    terms_ = other;
    remember({100e6, 100e6, 10e6});
    const Choice choice = chosen();
    EXPECT_EQ(choice.bytes, 3 * options_.amount.bytes_per_target) << other.samples;
    EXPECT_FALSE(choice.measurements[2].cached);
  }
  terms_ = {true, 4, 1 << 20};  // more samples of the same length
  remember({100e6, 100e6, 10e6});
  EXPECT_EQ(chosen().bytes, 0);
  options_.limits.direct = false;
  EXPECT_GT(chosen().bytes, 0);
}

TEST_F(ProbeChoose, CacheAloneWritesNothing) {
  options_.measures = false;
  remember({100e6, 10e6}, 5);
  const Choice choice = chosen();
  EXPECT_EQ(choice.chosen, (std::vector<int>{0, 2}));  // b is slow, nothing is known of c
  EXPECT_EQ(choice.bytes, 0);
  EXPECT_NE(choice.why.find("taken without a measurement: c"), std::string::npos) << choice.why;
}

TEST_F(ProbeChoose, WithoutACacheNothingIsKept) {
  options_.caches = false;
  EXPECT_GT(chosen().bytes, 0);
  EXPECT_FALSE(fs::exists(options_.folder));
}

TEST_F(ProbeChoose, TooLittleToComeTakesAll) {
  options_.amount.expected_bytes = 1 << 20;
  const Choice choice = chosen();
  EXPECT_EQ(choice.chosen, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(choice.bytes, 0);
  EXPECT_NE(choice.why.find("not probed: 1 % of the time"), std::string::npos) << choice.why;
}

TEST_F(ProbeChoose, NoUsableTargetIsAnError) {
  for (Target& target : targets_) target.folder += "/none";
  const auto choice = choose(targets_, options_);
  EXPECT_TRUE(choice.chosen.empty());
  EXPECT_EQ(choice.error.kind, core::ErrorClass::no_such_file);
  EXPECT_NE(choice.error.message.find("target b: the folder cannot be found: No such file"),
            std::string::npos)
      << choice.error.message;
  EXPECT_EQ(left_out(targets_, choice).at(1), choice.measurements[1].error.message);
  EXPECT_EQ(choose({}, options_).error.message, "no target is named; name at least one folder");
}

// Whatever a byte of the cache becomes, no rate comes out of it that was not measured.
TEST_F(ProbeChoose, DamagedCacheIsIgnoredWithAWord) {
  remember({100e6, 200e6, 10e6});
  const std::string whole = cache_text();
  ASSERT_EQ(read_cache(options_.folder).entries.size(), 3);
  int spaces = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    std::ofstream(options_.folder + "/probe.json", std::ios::binary) << damaged;
    const CacheContent content = read_cache(options_.folder);
    if (content.remark.empty()) {  // white space between tokens
      EXPECT_EQ(content.entries.size(), 3) << "byte " << i;
      ++spaces;
    } else {
      EXPECT_TRUE(content.entries.empty()) << "byte " << i;
      EXPECT_NE(content.remark.find("probe.json is ignored: it"), std::string::npos) << content.remark;
    }
  }
  EXPECT_LT(spaces, static_cast<int>(whole.size()) / 2);
  std::ofstream(options_.folder + "/probe.json", std::ios::binary) << whole.substr(0, whole.size() / 2);
  const Choice choice = chosen();
  EXPECT_GT(choice.bytes, 0);
  ASSERT_EQ(choice.remarks.size(), 1);
  EXPECT_TRUE(chosen().remarks.empty()) << "it was written anew";
}

TEST_F(ProbeChoose, ProcessesAtTheSameTimeLoseNothing) {
  constexpr int processes = 6, rounds = 20;
  std::vector<pid_t> children;  // waited for by number: another test may have left a child
  for (int process = 0; process < processes; ++process) {
    children.push_back(::fork());
    ASSERT_GE(children.back(), 0);
    if (children.back() == 0) {
      bool fine = true;
      for (int round = 0; round < rounds; ++round) {
        const CacheLock lock(options_.folder, 30);
        CacheEntry entry{std::to_string(process) + "/" + std::to_string(round), seconds_since_1970(), {}, {}};
        entry.measurement.samples = {1e6};
        fine = fine && lock.remark().empty() && add_to_cache(options_.folder, {entry}).empty() &&
               read_cache(options_.folder).remark.empty();
      }
      ::_exit(fine ? 0 : 1);
    }
  }
  for (const pid_t child : children) {
    int status = 1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(read_cache(options_.folder).entries.size(), processes * rounds);
}

TEST_F(ProbeChoose, HeldLockIsNotWaitedForForEver) {
  const CacheLock held(options_.folder, 1);
  options_.wait_s = 0.05;
  const Choice choice = chosen();
  EXPECT_GT(choice.bytes, 0);
  ASSERT_EQ(choice.remarks.size(), 1);
  EXPECT_NE(choice.remarks[0].find("is held by another probe"), std::string::npos) << choice.remarks[0];
}

}  // namespace
}  // namespace collio::storage::probe
