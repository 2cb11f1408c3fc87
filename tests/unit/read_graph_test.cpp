// Machine files: good ones become networks, bad ones say what is wrong, and no text whatever does any harm.
#include "machine/read_graph.hpp"

#include <gtest/gtest.h>

#include <random>

#include "networks.hpp"

namespace collio::machine {
namespace {

class ReadGraph : public testing::Test {
 protected:
  void SetUp() override {
    const auto read = read_graph(two_racks_text);
    if (!read && read.error().message.find("reads no machine files") != std::string::npos)
      GTEST_SKIP() << read.error().message;
  }

  /// The text with one part in place of another, which is there once.
  static std::string with(const std::string& old_part, const std::string& new_part) {
    std::string text = two_racks_text;
    const std::size_t at = text.find(old_part);
    EXPECT_NE(at, std::string::npos) << old_part;
    return text.replace(at, old_part.size(), new_part);
  }
  static std::string error_of(const std::string& text) {
    const auto read = read_graph(text);
    EXPECT_FALSE(read.ok());
    return read.ok() ? "" : read.error().message;
  }
};

TEST_F(ReadGraph, ReadsTheNetwork) {
  const auto read = read_graph(two_racks_text);
  ASSERT_TRUE(read.ok()) << read.error().message;
  const Network& found = read.value();
  const Network expected = two_racks();
  EXPECT_EQ(found.name, expected.name);
  EXPECT_EQ(found.nodes, expected.nodes);
  EXPECT_EQ(found.vertices, expected.vertices);
  EXPECT_EQ(found.next, expected.next);
  ASSERT_EQ(found.links.size(), expected.links.size());
  for (std::size_t i = 0; i < found.links.size(); ++i) {
    EXPECT_EQ(found.links[i].a, expected.links[i].a);
    EXPECT_EQ(found.links[i].b, expected.links[i].b);
    EXPECT_DOUBLE_EQ(found.links[i].rate_bytes_per_s, expected.links[i].rate_bytes_per_s);
    EXPECT_DOUBLE_EQ(found.links[i].latency_s, expected.links[i].latency_s);
  }
}

TEST_F(ReadGraph, LatencyIsZeroWhereItIsNotSaid) {
  const auto read = read_graph(with(R"(50e6, "latency_s": 2e-06}])", "50e6}]"));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read.value().links[5].latency_s, 0);
}

TEST_F(ReadGraph, SaysWhatIsWrong) {
  const struct {
    const char* part;
    const char* instead;
    const char* says;
  } cases[] = {
      {"graph/1", "graph/2", "format is \"collio-machine-graph/2\"; allowed: \"collio-machine-graph/1\""},
      {R"("format": "collio-machine-graph/1",)", "",
       "format is missing; allowed: \"collio-machine-graph/1\""},
      {R"("name": "two racks")", R"("name": 2)", "name is 2; allowed: a string in one line"},
      {R"({"name": "node1", "ranks": 4})", "\"node1\"", "nodes[1] is \"node1\"; allowed: an object"},
      {R"("name": "node1")", R"("name": "")", "nodes[1].name is \"\"; allowed: a name"},
      {R"("name": "node1")", R"("name": "node\u001b1")",
       "nodes[1].name is \"node\\u001b1\"; allowed: a name"},
      {R"("name": "node1", )", "", "nodes[1].name is missing; allowed: a name"},
      {R"("switches": ["rack0")", R"("switches": [null)", "switches[0] is null; allowed: a name"},
      {R"("switches": [)", R"("switch": [)", "switches is missing; allowed: an array"},
      {R"({"a": 3, "b": 5)", R"({"a": 3, "b": 12)", "links[3].b is 12, there are 7 vertices"},
      {R"({"a": 3, "b": 5)", R"({"a": 3.5, "b": 5)", "links[3].a is 3.5; allowed: a whole number of 32 bits"},
      {R"({"a": 3, "b": 5)", R"({"a": 3, "b": 99999999999999999999)",
       "links[3].b is 1e+20; allowed: a whole number of 32 bits"},
      {R"({"a": 3, "b": 5)", R"({"a": 3, "b": 18446744073709551615)",
       "links[3].b is 18446744073709551615; allowed: a whole number of 32 bits"},
      {R"("rate_bytes_per_s": 50e6)", R"("rate_bytes_per_s": -50e6)",
       "links[4].rate_bytes_per_s is -5e+07; allowed: above 0"},
      {R"("rate_bytes_per_s": 50e6)", R"("rate_bytes_per_s": "fast")",
       "links[4].rate_bytes_per_s is \"fast\"; allowed: a number"},
      {R"("rate_bytes_per_s": 50e6)", R"("rate_bytes_per_s": [])",
       "links[4].rate_bytes_per_s is an array of 0; allowed: a number"},
      {"[2, 2, -1, 2]", "[2, 2, -1, 2, 2]", "next[2] has 5 entries, 4 nodes"},
      {"[2, 2, -1, 2]", "3", "next[2] is 3; allowed: an array"},
      {"[2, 2, -1, 2]", "[2, 2, -1, \"up\"]", "next[2][3] is \"up\"; allowed: a whole number of 32 bits"},
      {"[2, 2, -1, 2], ", "", "next has 6 entries, 7 vertices"},
      {"[4, 4, 5, 5]", "[4, 4, 5, 4]", "the route from node0 to node3 loops: it comes back to rack0"},
  };
  for (const auto& one : cases) EXPECT_EQ(error_of(with(one.part, one.instead)), one.says);
}

TEST_F(ReadGraph, WhatIsNoJsonSaysWhere) {
  EXPECT_TRUE(error_of("").starts_with("not JSON: line 1, column 1"));
  const std::string broken = error_of(with("\"links\": [{", "\"links\": [}"));
  EXPECT_TRUE(broken.starts_with("not JSON: line 4, column 12: ")) << broken;
  EXPECT_TRUE(error_of(std::string("\xff\xfe\x00{", 4)).starts_with("not JSON: line 1"));
  EXPECT_EQ(error_of("[1, 2]"), "the file is an array of 2; allowed: an object");
  EXPECT_TRUE(error_of(with("100e6", "1e999")).starts_with("not JSON")) << error_of(with("100e6", "1e999"));
}

TEST_F(ReadGraph, DeepNestingIsNoHarm) {
  const std::string deep(1'000'000, '[');
  EXPECT_FALSE(read_graph(deep).ok());
  EXPECT_FALSE(read_graph(deep + std::string(deep.size(), ']')).ok());
  EXPECT_FALSE(read_graph(with("\"two racks\"", deep + std::string(deep.size(), ']'))).ok());
}

/// Whatever comes of a text: a network on which everything works, or an error that says something in plain
/// text.
void expect_network_or_error(const std::string& text) {
  const auto read = read_graph(text);
  if (!read) {
    EXPECT_FALSE(read.error().message.empty());
    for (const unsigned char c : read.error().message) EXPECT_TRUE(c >= 0x20 && c != 0x7f) << text;
    return;
  }
  const Network& n = read.value();
  ASSERT_TRUE(check_network(n).ok()) << text;
  std::vector<Flow> flows;
  for (int from = 0; from < n.nodes; ++from)
    for (int to = 0; to < n.nodes; ++to) {
      EXPECT_LT(hops(n, {from, to}), static_cast<int>(n.vertices.size()));
      EXPECT_GE(transfer_s(n, {from, to}, 1), 0);
      flows.push_back({from, to, 1});
    }
  EXPECT_GE(busiest_link(n, load_links(n, flows).bytes).bytes, 0);
}

TEST_F(ReadGraph, TruncatedTextsAreErrors) {
  const std::size_t whole = two_racks_text.rfind('}') + 1;
  for (std::size_t length = 0; length < whole; ++length) {
    EXPECT_FALSE(read_graph(two_racks_text.substr(0, length)).ok()) << length;
    expect_network_or_error(two_racks_text.substr(0, length));
  }
}

/// One to four changes: any byte, a byte that JSON knows, a byte less, a part twice.
std::string mutated(std::mt19937& random) {
  std::string text = two_racks_text;
  const auto pick = [&](std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
  };
  constexpr std::string_view known = "0123456789-+.eE,:[]{}\"nulltrue \\";
  for (std::size_t changes = 1 + pick(4); changes > 0; --changes) {
    const std::size_t at = pick(text.size());
    switch (pick(5)) {
      case 0:
        text[at] = static_cast<char>(pick(256));
        break;
      case 1:
        text[at] = known[pick(known.size())];
        break;
      case 2:
        text.erase(at, 1 + pick(3));
        break;
      case 3:
        text.insert(at, text.substr(pick(text.size()), pick(40)));
        break;
      default:  // a number becomes another one: the only change that often leaves a good JSON text
        if (const std::size_t digit = text.find_first_of("0123456789", at); digit != std::string::npos)
          text[digit] = static_cast<char>('0' + pick(10));
    }
  }
  return text;
}

TEST_F(ReadGraph, RandomChangesDoNoHarm) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  int good = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string text = mutated(random);
    good += read_graph(text).ok() ? 1 : 0;
    expect_network_or_error(text);
    if (HasFailure()) FAIL() << text;
  }
  EXPECT_GT(good, 100);  // some changes are harmless: both sides were tried
}

}  // namespace
}  // namespace collio::machine
