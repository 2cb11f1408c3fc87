// Every row of the hint table: its default, what it takes, what it refuses and what it says then.
#include "policy/hints/hints.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace collio::policy {
namespace {

/// Further values of one key that are taken and that are refused, besides those that hints.def itself names.
struct Row {
  std::vector<std::string> taken, refused;
};

const std::vector<std::string> switch_refused{"auto",      "Enable",    "true",   "1",
                                              "two_phase", "two_layer", "enable "};

const Row& more(std::string_view key) {
  static const std::map<std::string, Row, std::less<>> all{
      {"collio_path", {{}, {"enable", "disable", "native", "twophase", "two_layers"}}},
      {"collio_holes", {{}, {"enable", "disable", "automatic"}}},
      {"collio_window", {{"4194304"}, {"1MiB", "automatic"}}},
      {"collio_local_aggregators", {{"16"}, {"-1", "all", "1.5"}}},
      {"nc_num_aggrs_per_node", {{"16"}, {"all", "4 "}}},
      {"collio_nodes_per_group", {{}, {"auto", "two"}}},
      {"collio_schedule", {{}, {"automatic", "read", "write_communication_3", "Dataflow"}}},
      {"collio_buffers", {{}, {"auto"}}},
      {"collio_transfer", {{}, {"put", "one_sided"}}},
      {"collio_transfer_piece", {{}, {"auto", "1KiB"}}},
      {"collio_storage", {{}, {"automatic", "io_uring", "Posix", "none"}}},
      {"collio_storage_threads", {{}, {"auto"}}},
      {"collio_direct", {{}, {"auto", "automatic", "1"}}},
      {"collio_patience", {{"1"}, {"auto", "1.5", "never"}}},
      {"collio_check", {{}, {"1", "auto"}}},
      {"collio_faults",
       {{"none", "@/tmp/rules", "all:write:ENOSPC", "0,2-5:read3+:delay=0.5,EIO/aggregators:sync:EINTR"},
        {"all", "all:write", "all:write:ENOSPACE", "@"}}},
      {"cb_nodes", {{"8"}, {"two", "3 ", "1e3", "0x10"}}},
      {"cb_buffer_size", {{"1073741824"}, {"16M", "auto", "99999999999999999999"}}},
      {"cb_config_list",
       {{"auto", "*:*", "*:1", "node1:2,node2:1,*:0", "node1", "node1:*"},
        {":3", "node1:", "node1:x", "node1:-1", "a,,b", "a:1000001"}}},
      {"romio_cb_write", {{}, switch_refused}},
      {"romio_cb_read", {{}, switch_refused}},
      {"romio_ds_write", {{}, switch_refused}},
      {"romio_ds_read", {{}, switch_refused}},
      {"collio_aggregators", {{}, {"auto", "4"}}},
      {"collio_assignment", {{}, {"best", "least"}}},
      {"collio_domains", {{}, {"cyclic", "AUTO"}}},
      {"striping_factor", {{"64"}, {"-2", "many"}}},
      {"collio_subfile_dirs", {{"auto", "/a", "/a:b c:/a"}, {":", ":/a", "/a:", "/a::/b"}}},
  };
  static const Row none;
  const auto found = all.find(key);
  return found == all.end() ? none : found->second;
}

/// The values of a row that its text of what is allowed names, with the ends of a range, and values next to
/// them that are not allowed.
Row values_of(const HintRow& row) {
  Row values = more(row.key);
  values.refused.emplace_back("");
  if (row.key == "collio_faults" || row.key == "cb_config_list" || row.key == "collio_subfile_dirs")
    return values;  // they have no list of values
  values.refused.insert(values.refused.end(), {"nonsense", " " + std::string(row.default_value)});
  std::string_view rest = row.allowed;
  while (!rest.empty()) {
    const auto comma = std::min(rest.find(", "), rest.size());
    const std::string choice(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 2, rest.size()));
    if (const auto dots = choice.find(".."); dots != std::string::npos) {
      const std::string low = choice.substr(0, dots), high = choice.substr(dots + 2);
      values.taken.insert(values.taken.end(), {low, high});
      values.refused.push_back(std::to_string(std::stoll(high) + 1));
      if (!row.allowed.starts_with("-1, ")) values.refused.push_back(std::to_string(std::stoll(low) - 1));
    } else {
      values.taken.push_back(choice);
    }
  }
  return values;
}

/// Whether two sets of hints have the same value for each row, in the order of the table.
std::vector<bool> same_members(const Hints& a, const Hints& b) {
  return {
#define COLLIO_HINT(key, member, ...) a.member == b.member,
#include "policy/hints/hints.def"
  };
}

TEST(Hints, EveryRowSetsItsOwnMemberAndNoOther) {
  const Hints by_default;
  for (std::size_t i = 0; i < hint_table().size(); ++i) {
    const HintRow& row = hint_table()[i];
    int set = 0;
    for (const std::string& value : values_of(row).taken) {
      Hints h;
      ASSERT_TRUE(row.set(value, h)) << row.key << "=" << value;
      std::vector<bool> same = same_members(h, by_default);
      set += !same[i];
      same[i] = true;
      EXPECT_TRUE(std::ranges::all_of(same, std::identity())) << row.key << "=" << value;
    }
    EXPECT_GT(set, 0) << row.key << ": no value differs from the default";
  }
}

TEST(Hints, KeysAndWordsAreThereOnce) {
  std::set<std::string_view> keys;
  for (const HintRow& row : hint_table()) EXPECT_TRUE(keys.insert(row.key).second) << row.key;
  std::set<std::string_view> seen;
#define COLLIO_WORDS(list, ...) \
  seen.clear();                 \
  for (const auto& name : words::list) EXPECT_TRUE(seen.insert(name.word).second) << name.word;
#include "policy/hints/hints.def"
}

TEST(Hints, WithoutAnyTheDefaultsAreInForce) {
  const Hints h = parse_hints({});
  EXPECT_TRUE(h.warnings.empty());
  EXPECT_EQ(h.in_force.size(), hint_table().size());
  for (const HintRow& row : hint_table())
    EXPECT_EQ(h.in_force.at(std::string(row.key)), row.default_value) << row.key;
  EXPECT_TRUE(h.enabled);
  EXPECT_EQ(h.aggregators, 0);
  EXPECT_EQ(h.local_aggregators, 0);
  EXPECT_EQ(h.local_aggregators_per_node, 0);
  EXPECT_EQ(h.nodes_per_group, 1);
  EXPECT_EQ(h.buffer_bytes, 16 << 20);
  EXPECT_EQ(h.window_bytes, 0);
  EXPECT_EQ(h.alignment_bytes, 0);
  EXPECT_TRUE(h.host_limits.empty());
  EXPECT_EQ(h.write_path, Path::automatic);
  EXPECT_EQ(h.read_path, Path::automatic);
  EXPECT_EQ(h.write_holes, Holes::automatic);
  EXPECT_EQ(h.read_holes, Holes::automatic);
}

TEST(Hints, AMemoryLimitCutsTheCollectiveBuffer) {
  const Hints h = parse_hints({{"collio_memory_limit", "8388608"}});
  EXPECT_EQ(h.buffer_bytes, 1 << 20);
  EXPECT_EQ(h.in_force.at("cb_buffer_size"), "1048576");
  EXPECT_EQ(parse_hints({{"collio_memory_limit", "8388608"}, {"cb_buffer_size", "65536"}}).buffer_bytes,
            65536);
  EXPECT_EQ(message_budget(4096, parse_hints({{"collio_memory_limit", "1048576"}})), 128 << 10);
  EXPECT_EQ(message_budget(4096, {}), 256 << 10);
  EXPECT_EQ(message_budget(4 << 20, {}), 4 << 20);
}

TEST(Hints, DefaultsMayBeGiven) {
  for (const HintRow& row : hint_table()) {
    const Hints h = parse_hints({{std::string(row.key), std::string(row.default_value)}});
    EXPECT_TRUE(h.warnings.empty()) << row.key;
    EXPECT_EQ(h.in_force.at(std::string(row.key)), row.default_value) << row.key;
  }
}

TEST(Hints, AllowedValuesAreInForceWithoutAWarning) {
  for (const HintRow& row : hint_table()) {
    const std::string key(row.key);
    for (const std::string& value : values_of(row).taken) {
      const Hints h = parse_hints({{key, value}});
      EXPECT_TRUE(h.refused.empty()) << key << "=" << value;
      const bool cut = key == "cb_buffer_size" && value == "2147483647";
      const bool automatic = value == "-1" || (value == "0" && row.allowed.ends_with(", auto"));
      EXPECT_EQ(h.warnings.size(), cut ? 1U : 0U) << key << "=" << value;
      EXPECT_EQ(h.in_force.at(key), cut ? "1073741824" : automatic ? "auto" : value) << key;
    }
  }
}

TEST(Hints, RefusedValuesLeaveTheDefaultAndAWarningThatNamesWhatIsAllowed) {
  for (const HintRow& row : hint_table()) {
    const std::string key(row.key), by_default(row.default_value);
    for (const std::string& value : values_of(row).refused) {
      const Hints h = parse_hints({{key, value}});
      ASSERT_EQ(h.warnings.size(), 1u) << key << "=" << value;
      EXPECT_EQ(h.refused, std::vector<std::string>{key});
      const std::string expected = "hint " + key + ": '" + value +
                                   "' is not allowed (allowed: " + row.allowed + "); " + by_default +
                                   " stays in force";
      EXPECT_EQ(h.warnings[0].substr(0, expected.size()), expected);
      EXPECT_EQ(h.warnings[0] == expected, key != "collio_faults");  // which says more
      EXPECT_EQ(h.in_force, parse_hints({}).in_force);
      EXPECT_TRUE(std::ranges::all_of(same_members(h, {}), std::identity())) << key << "=" << value;
    }
  }
}

TEST(Hints, ValuesOfOtherLayersAreTaken) {
  const Hints h =
      parse_hints({{"nc_num_aggrs_per_node", "0"}, {"striping_unit", "0"}, {"striping_factor", "0"}});
  EXPECT_TRUE(h.warnings.empty() && h.refused.empty());
  EXPECT_EQ(h.in_force, parse_hints({}).in_force);
  EXPECT_EQ(parse_hints({{"striping_factor", "-1"}}).in_force.at("striping_factor"), "auto");
  const Hints capitals = parse_hints(
      {{"romio_cb_write", "ENABLE"}, {"romio_cb_read", "DISABLE"}, {"romio_ds_write", "AUTOMATIC"}});
  EXPECT_TRUE(capitals.warnings.empty() && capitals.refused.empty());
  EXPECT_EQ(capitals.write_path, Path::two_layer);
  EXPECT_EQ(capitals.read_path, Path::independent);
  EXPECT_EQ(capitals.in_force.at("romio_cb_write"), "enable");
}

TEST(Hints, ABufferThatIsTooLongForCollioIsCutAndNotRefused) {
  const Hints h = parse_hints({{"cb_buffer_size", "2147483647"}});
  EXPECT_TRUE(h.refused.empty());
  ASSERT_EQ(h.warnings.size(), 1U);
  EXPECT_EQ(h.warnings[0],
            "hint cb_buffer_size: 2147483647 bytes are more than collio's buffers may have; 1073741824 is in "
            "force");
  EXPECT_EQ(h.buffer_bytes, 1 << 30);
  EXPECT_EQ(h.in_force.at("cb_buffer_size"), "1073741824");
}

TEST(Hints, ValuesReachTheSettings) {
  const Hints h = parse_hints({{"collio_enable", "disable"},
                               {"cb_nodes", "3"},
                               {"cb_buffer_size", "4194304"},
                               {"collio_window", "524288"},
                               {"collio_local_aggregators", "5"},
                               {"nc_num_aggrs_per_node", "2"},
                               {"collio_nodes_per_group", "4"},
                               {"collio_aggregators", "spread"},
                               {"collio_assignment", "least_congestion"},
                               {"collio_domains", "aligned"},
                               {"collio_sends", "standard"},
                               {"striping_unit", "65536"},
                               {"striping_factor", "7"},
                               {"cb_config_list", "n1:2,n2:*,n3,*:0"}});
  EXPECT_FALSE(h.enabled);
  EXPECT_EQ(h.aggregators, 3);
  EXPECT_EQ(h.local_aggregators, 5);
  EXPECT_EQ(h.local_aggregators_per_node, 2);
  EXPECT_EQ(h.nodes_per_group, 4);
  EXPECT_FALSE(h.synchronous_sends);
  EXPECT_EQ(h.buffer_bytes, 4 << 20);
  EXPECT_EQ(h.window_bytes, 512 << 10);
  EXPECT_EQ(h.alignment_bytes, 65536);
  ASSERT_EQ(h.host_limits.size(), 4u);
  EXPECT_EQ(h.host_limits[0].host, "n1");
  EXPECT_EQ(h.host_limits[0].limit, 2);
  EXPECT_EQ(h.host_limits[1].limit, 1000000);
  EXPECT_EQ(h.host_limits[2].limit, 1);
  EXPECT_EQ(h.host_limits[3].host, "*");
  EXPECT_EQ(h.host_limits[3].limit, 0);
}

TEST(Hints, RomioSwitchesMeanPathsAndWaysOfTreatingHoles) {
  const Hints h = parse_hints({{"romio_cb_write", "enable"},
                               {"romio_cb_read", "disable"},
                               {"romio_ds_write", "disable"},
                               {"romio_ds_read", "enable"}});
  EXPECT_EQ(h.write_path, Path::two_layer);
  EXPECT_EQ(h.read_path, Path::independent);
  EXPECT_EQ(h.write_holes, Holes::piecewise);
  EXPECT_EQ(h.read_holes, Holes::sieve);
}

TEST(Hints, OwnNamesWinOverRomios) {
  const Hints h = parse_hints({{"romio_cb_write", "disable"},
                               {"romio_cb_read", "disable"},
                               {"collio_path", "two_phase"},
                               {"romio_ds_write", "enable"},
                               {"romio_ds_read", "enable"},
                               {"collio_holes", "piecewise"}});
  EXPECT_EQ(h.write_path, Path::two_phase);
  EXPECT_EQ(h.read_path, Path::two_phase);
  EXPECT_EQ(h.write_holes, Holes::piecewise);
  EXPECT_EQ(h.read_holes, Holes::piecewise);
}

TEST(Hints, OwnPathsNameOneLayerOrTwo) {
  EXPECT_EQ(parse_hints({{"collio_path", "two_layer"}}).write_path, Path::two_layer);
  EXPECT_EQ(parse_hints({{"collio_path", "two_layer"}}).read_path, Path::two_layer);
  EXPECT_EQ(parse_hints({{"collio_path", "two_phase"}, {"romio_cb_read", "enable"}}).read_path,
            Path::two_phase);
}

TEST(Hints, OwnAutoLeavesRomiosChoice) {
  const Hints h = parse_hints({{"romio_cb_write", "disable"}, {"collio_path", "auto"}});
  EXPECT_EQ(h.write_path, Path::independent);
  EXPECT_EQ(h.read_path, Path::automatic);
}

TEST(Hints, UnknownOwnNamesWarnAndForeignOnesAreIgnored) {
  const Hints h =
      parse_hints({{"collio_pathh", "auto"}, {"romio_no_indep_rw", "true"}, {"access_style", "write_once"}});
  ASSERT_EQ(h.warnings.size(), 1u);
  EXPECT_EQ(h.warnings[0], "hint collio_pathh is unknown; `collio info --all` lists all");
  EXPECT_EQ(h.in_force, parse_hints({}).in_force);
}

TEST(Hints, TextIsSplitAtSemicolonsAndTheFirstEqualsSign) {
  std::vector<std::string> warnings;
  const auto pairs = split_hints(";cb_nodes=4;;key=a=b;cb_nodes=5;empty=;", warnings);
  EXPECT_EQ(pairs, (std::map<std::string, std::string>{{"cb_nodes", "5"}, {"key", "a=b"}, {"empty", ""}}));
  EXPECT_TRUE(warnings.empty());
  EXPECT_TRUE(split_hints("", warnings).empty());
}

TEST(Hints, TextThatIsNoPairWarns) {
  std::vector<std::string> warnings;
  EXPECT_EQ(split_hints("nonsense;=3;a=1", warnings).size(), 1u);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0], "COLLIO_HINTS: 'nonsense' is not key=value");
  EXPECT_EQ(warnings[1], "COLLIO_HINTS: '=3' is not key=value");
}

TEST(Hints, PathsHaveTheNamesOfTheReport) {
  EXPECT_EQ(name_of(Path::automatic), "auto");
  EXPECT_EQ(name_of(Path::two_layer), "two_layer");
  EXPECT_EQ(name_of(Path::two_phase), "two_phase");
  EXPECT_EQ(name_of(Path::independent), "independent");
  EXPECT_EQ(name_of(Path::native), "native");
}

}  // namespace
}  // namespace collio::policy
