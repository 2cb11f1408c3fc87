// Info objects of MPI as hints, and hints as what the library's open gets.
#include "mpiio/open/info.hpp"

#include <gtest/gtest.h>

#include "environment.hpp"
#include "open_file.hpp"
#include "policy/hints/automatic_hints.hpp"

namespace collio::mpiio {
namespace {

/// Freed with it.
class Info {
 public:
  explicit Info(MPI_Info made) : info_(made) {}
  explicit Info(const Pairs& pairs) : info_(MPI_INFO_NULL) {
    MPI_Info_create(&info_);
    for (const auto& [key, value] : pairs) MPI_Info_set(info_, key.c_str(), value.c_str());
  }
  ~Info() { MPI_Info_free(&info_); }
  Info(const Info&) = delete;
  Info& operator=(const Info&) = delete;
  operator MPI_Info() const noexcept { return info_; }

 private:
  MPI_Info info_;
};

Pairs merged(MPI_Info info, engine::EnvironmentHints environment,
             std::vector<std::string>* warnings = nullptr) {
  const Info for_library(merged_info(info, environment));
  if (warnings) *warnings = environment.warnings;
  return pairs_of(for_library);
}

TEST(Info, IsPairs) {
  const Pairs pairs{{"cb_nodes", "4"}, {"a key", std::string(MPI_MAX_INFO_VAL - 1, 'v')}};
  EXPECT_EQ(pairs_of(Info(pairs)), pairs);
  EXPECT_TRUE(pairs_of(MPI_INFO_NULL).empty());
}

TEST(Info, TheLibrarysOpenGetsTheProgramsAndTheEnvironmentsHints) {
  const Info info(Pairs{{"cb_nodes", "4"}, {"striping_factor", "2"}, {"other", "x"}});
  EXPECT_EQ(merged(info, {{{"striping_factor", "8"}, {"collio_path", "two_phase"}, {"empty", ""}}, {}}),
            (Pairs{{"cb_nodes", "4"}, {"striping_factor", "8"}, {"other", "x"}}));
  EXPECT_EQ(merged(MPI_INFO_NULL, {{{"cb_nodes", "3"}}, {}}), (Pairs{{"cb_nodes", "3"}}));
}

TEST(Info, ValuesThatLibrariesFailOnAreLeftOut) {
  const Info info(Pairs{{"cb_nodes", "many"}, {"cb_buffer_size", "4096"}});
  EXPECT_EQ(merged(info, {}), (Pairs{{"cb_buffer_size", "4096"}}));
}

TEST(Info, ANumberOfAggregatorsThatCollioChoseIsNoHint) {
  const std::string mark(policy::automatic_key);
  const Info info(Pairs{{"cb_nodes", "4"}, {mark, policy::automatic_text({{"cb_nodes", "4"}}, 1000)}});
  EXPECT_TRUE(merged(info, {}).empty());
  const Info changed(Pairs{{"cb_nodes", "5"}, {mark, policy::automatic_text({{"cb_nodes", "4"}}, 1000)}});
  EXPECT_EQ(merged(changed, {}), (Pairs{{"cb_nodes", "5"}})) << "the program chose another one since";
}

TEST(Info, WhatIsTooLongForMpiIsSaid) {
  std::vector<std::string> warnings;
  const std::string longest(MPI_MAX_INFO_VAL - 1, 'v');
  EXPECT_EQ(merged(MPI_INFO_NULL, {{{"fits", longest}, {"long", longest + "v"}}, {}}, &warnings),
            (Pairs{{"fits", longest}}));
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_TRUE(warnings[0].starts_with("hint long is not passed on")) << warnings[0];
}

TEST(Info, AnOpenFileAnswersWithWhatIsInForce) {
  const test::Environment set{{"COLLIO_HINTS", "cb_buffer_size=4194304"}};
  const test::OpenedFile<> opened(test::Hints{{"cb_buffer_size", "4194304"}, {"romio_cb_write", "disable"}});
  const Info info(Pairs{{"cb_nodes", "77"}, {"romio_filesystem_type", "UFS"}});
  put_in_force(opened.file(), info);
  const Pairs answer = pairs_of(info);
  EXPECT_EQ(answer.at("cb_nodes"), std::to_string(opened.file().most_domains()))
      << "collio's, not the library's";
  EXPECT_EQ(answer.at("romio_filesystem_type"), "UFS");
  EXPECT_EQ(answer.at("romio_cb_write"), "disable");
  const Pairs chosen = policy::chosen_hints(answer);
  EXPECT_TRUE(chosen.contains("romio_cb_write"));
  EXPECT_FALSE(chosen.contains("cb_nodes")) << "nobody chose it";
  EXPECT_FALSE(chosen.contains("cb_buffer_size")) << "the environment will give it again";
}

}  // namespace
}  // namespace collio::mpiio
