// Settings of ROMIO, Cray MPICH and Open MPI: which hints they set, and the warnings about those that set
// none.
#include "policy/hints/other_settings.hpp"

#include <gtest/gtest.h>

namespace collio::policy {
namespace {

using Pairs = std::map<std::string, std::string>;

TEST(RomioFile, LinesAreKeysAndValues) {
  const Settings found = parse_romio_file(
      "# for this machine\n\ncb_nodes 32\n\t romio_cb_write   ENABLE \r\n#cb_nodes 1\ncb_config_list "
      "n01:2,*:1\ncb_nodes 4",
      "f");
  EXPECT_TRUE(found.warnings.empty());
  EXPECT_EQ(found.pairs,
            (Pairs{{"cb_nodes", "32"}, {"romio_cb_write", "ENABLE"}, {"cb_config_list", "n01:2,*:1"}}));
  EXPECT_TRUE(parse_romio_file("", "f").pairs.empty());
}

TEST(RomioFile, KeysOfOtherLayersAreLeftToThem) {
  const Settings found =
      parse_romio_file("romio_lustre_ds_in_coll disable\ndirect_io true\nstart_iodevice 4\n", "f");
  EXPECT_TRUE(found.pairs.empty());
  EXPECT_TRUE(found.warnings.empty());
}

TEST(RomioFile, ABadLineIsNamedWithWhatIsAllowedAndTheOthersHold) {
  const Settings found =
      parse_romio_file("cb_nodes\nstriping_unit 65536\ncb_nodes=4\ncb_nodes lots\ncb_buffer_size 4 # much\n",
                       "ROMIO_HINTS=/etc/h");
  EXPECT_EQ(found.pairs, (Pairs{{"striping_unit", "65536"}}));
  EXPECT_EQ(
      found.warnings,
      (std::vector<std::string>{
          "ROMIO_HINTS=/etc/h:1: 'cb_nodes' is not 'key value'; it is ignored",
          "ROMIO_HINTS=/etc/h:3: 'cb_nodes=4' is not 'key value'; it is ignored",
          "ROMIO_HINTS=/etc/h:4: cb_nodes 'lots' is not allowed (allowed: 1..1000000, auto); it is ignored",
          "ROMIO_HINTS=/etc/h:5: 'cb_buffer_size 4 # much' is not 'key value'; it is ignored",
      }));
}

Settings cray(const std::string& text, const std::string& pattern) {
  return parse_cray_hints(text, [&](const std::string& one) { return one == pattern; });
}

TEST(RomioFile, OfALongLineTheWarningHasTheBegin) {
  const Settings found = parse_romio_file(std::string(100000, 'x'), "f");
  EXPECT_EQ(found.warnings, (std::vector<std::string>{"f:1: '" + std::string(80, 'x') +
                                                      "...' is not 'key value'; it is ignored"}));
}

TEST(CrayHints, TheFirstPatternThatMatchesCounts) {
  const std::string text =
      "a*:cb_nodes=8:romio_cb_write=enable, b?:cb_nodes=3,\na*:striping_factor=2,ufs:/s/*:cb_nodes=5";
  EXPECT_EQ(cray(text, "a*").pairs, (Pairs{{"cb_nodes", "8"}, {"romio_cb_write", "enable"}}));
  EXPECT_EQ(cray(text, "b?").pairs, (Pairs{{"cb_nodes", "3"}}));
  EXPECT_EQ(cray(text, "ufs:/s/*").pairs, (Pairs{{"cb_nodes", "5"}}));
  EXPECT_TRUE(cray(text, "c").pairs.empty());
  EXPECT_TRUE(cray(text, "c").warnings.empty());
  EXPECT_TRUE(cray("", "c").pairs.empty());
}

TEST(CrayHints, CommasAndColonsBetweenNumberSignsBelongToTheValue) {
  EXPECT_EQ(cray("*:cb_config_list=#n1:2,*:1#:cb_nodes=4", "*").pairs,
            (Pairs{{"cb_config_list", "n1:2,*:1"}, {"cb_nodes", "4"}}));
  EXPECT_EQ(cray("*:cb_nodes=4:cb_config_list=#*:2", "*").pairs,
            (Pairs{{"cb_config_list", "*:2"}, {"cb_nodes", "4"}}));
}

TEST(CrayHints, WhatIsNoneIsNamedWhereverItStands) {
  for (const std::string wrong :
       {"a*", "cb_nodes=4", "a*:", "a*:cb_nodes", "a*:=4", "a*:cb_nodes=", "a*:cb_nodes=4:b"}) {
    const Settings found = cray(wrong + ",b:cb_nodes=2", "b");
    EXPECT_EQ(found.pairs, (Pairs{{"cb_nodes", "2"}})) << wrong;
    EXPECT_EQ(found.warnings,
              (std::vector<std::string>{"MPICH_MPIIO_HINTS: '" + wrong +
                                        "' is not PATTERN:key=value:key=value; it is ignored"}));
  }
  const Settings found = cray("a*:cb_nodes=no:romio_cb_read=disable", "a*");
  EXPECT_EQ(found.pairs, (Pairs{{"romio_cb_read", "disable"}}));
  EXPECT_EQ(
      found.warnings,
      (std::vector<std::string>{
          "MPICH_MPIIO_HINTS: a*: cb_nodes 'no' is not allowed (allowed: 1..1000000, auto); it is ignored"}));
}

Settings open_mpi(Pairs environment) {
  return open_mpi_hints([&](const char* variable) {
    const auto found = environment.find(variable);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(OpenMpiParameters, AreHintsByOtherNames) {
  EXPECT_EQ(open_mpi({{"OMPI_MCA_io_ompio_num_aggregators", "6"},
                      {"OMPI_MCA_io_ompio_bytes_per_agg", "16M"},
                      {"OMPI_MCA_fs_lustre_stripe_size", "1048576"},
                      {"OMPI_MCA_fs_lustre_stripe_width", "8"},
                      {"OMPI_MCA_fcoll", "individual"}})
                .pairs,
            (Pairs{{"cb_nodes", "6"},
                   {"cb_buffer_size", "16777216"},
                   {"striping_unit", "1048576"},
                   {"striping_factor", "8"},
                   {"romio_cb_write", "disable"},
                   {"romio_cb_read", "disable"}}));
}

TEST(OpenMpiParameters, DefaultsAndOtherComponentsSayNothing) {
  const Settings found = open_mpi({{"OMPI_MCA_io_ompio_num_aggregators", "-1"},
                                   {"OMPI_MCA_fs_lustre_stripe_size", "0"},
                                   {"OMPI_MCA_fcoll", "^individual"},
                                   {"OMPI_MCA_io_ompio_bytes_per_agg", ""}});
  EXPECT_TRUE(found.pairs.empty());
  EXPECT_TRUE(found.warnings.empty());
}

TEST(OpenMpiParameters, SizesMayHaveUnits) {
  for (const auto& [text, bytes] :
       Pairs{{"512k", "524288"}, {"64MB", "67108864"}, {"1g", "1073741824"}, {"1000", "1000"}})
    EXPECT_EQ(open_mpi({{"OMPI_MCA_io_ompio_bytes_per_agg", text}}).pairs, (Pairs{{"cb_buffer_size", bytes}}))
        << text;
  for (const std::string wrong : {"16 M", "16T", "M", "16MiB", "99999999999G", "-5M"}) {
    const Settings found = open_mpi({{"OMPI_MCA_io_ompio_bytes_per_agg", wrong}});
    EXPECT_TRUE(found.pairs.empty()) << wrong;
    EXPECT_EQ(found.warnings,
              (std::vector<std::string>{"OMPI_MCA_io_ompio_bytes_per_agg: cb_buffer_size '" + wrong +
                                        "' is not allowed (allowed: 1..2147483647); it is ignored"}));
  }
}

}  // namespace
}  // namespace collio::policy
