// Notes of a node's ranks, and what is said of them.
#include "transport/liveness/presence.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

namespace collio::transport {
namespace {

constexpr double now_s = 1000, patience_s = 10;

/// What one rank has written down.
struct Said {
  std::int64_t call = 5;
  bool inside = true;
  double alive_s = now_s;
  double waits_since_s = now_s - patience_s;
  const char* name = "write_all";
};

class Node {
 public:
  explicit Node(std::vector<Said> said) : notes_(said.size()) {
    for (std::size_t i = 0; i < said.size(); ++i) {
      Note& n = notes_[i];
      n.rank = static_cast<std::int32_t>(10 + i);
      n.call = said[i].call;
      n.inside = said[i].inside;
      n.shown.alive_s = said[i].alive_s;
      n.waits_since_s = said[i].waits_since_s;
      std::snprintf(n.name, sizeof n.name, "%s", said[i].name);
    }
  }
  [[nodiscard]] Presence seen_by(std::size_t i) const {
    return look_at(notes_, {&notes_[i], now_s, patience_s});
  }
  [[nodiscard]] std::string told_by(std::size_t i) const {
    return text_of(seen_by(i).absent, notes_[i].call);
  }
  Note& operator[](std::size_t i) { return notes_[i]; }

 private:
  std::vector<Note> notes_;
};

TEST(Presence, WhoHasNotComeIsNamed) {
  const Node node(
      {{}, {.call = 4, .inside = false}, {}, {.call = 4, .inside = false}, {.call = 4, .inside = false}});
  EXPECT_EQ(node.told_by(0), "ranks 11, 13, 14 have not come to it (the last was number 4, write_all)");
}

TEST(Presence, WhoHasNeverComeAnywhereIsNamed) {
  const Node node({{}, {.call = 0, .inside = false, .alive_s = 0, .waits_since_s = 0, .name = ""}});
  EXPECT_EQ(node.told_by(0), "rank 11 has not come to it (none before)");
}

TEST(Presence, WhoIsInALibraryIsNamedWithItsFunction) {
  Node node({{}, {.call = 4, .inside = false}, {.call = 4, .inside = false}, {.call = 4, .inside = false}});
  node[1].above.say({"H5Dcreate2", now_s - 12});
  node[3].above.say({"H5Dcreate2", now_s - 8});
  EXPECT_EQ(node.told_by(0),
            "rank 12 has not come to it (the last was number 4, write_all); ranks 11, 13 have not come to it "
            "(the last was number 4, write_all, they are in H5Dcreate2, for 12 s)");
}

TEST(Presence, RanksThatLeftTheCallAreKnown) {
  const Node node({{}, {.call = 5, .inside = false}, {.call = 6}, {.call = 4, .inside = false}, {}});
  EXPECT_EQ(node.seen_by(0).left, (std::vector<int>{11, 12}));
}

TEST(Presence, WhoIsInAnotherCallIsNamed) {
  const Node node({{}, {.name = "set_view"}, {.call = 4, .name = "sync"}});
  EXPECT_EQ(node.told_by(0), "rank 12 is in number 4, sync, instead; rank 11 is in set_view, instead");
}

TEST(Presence, WhoGivesNoSignOfLifeIsNamedWithItsStage) {
  Node node({{}, {.alive_s = now_s - 8}});
  node[1].stage = Stage::moving;
  node[1].round = 2;
  node[1].shown.step = observe::Step::write;
  EXPECT_EQ(node.told_by(0),
            "rank 11 has given no sign of life for 8.0 s (as bytes move, round 3, in a write to the file)");
}

TEST(Presence, AnEndedProcessIsToldFromASilentOne) {
  Node node({{}, {.alive_s = now_s - 8}});
  const pid_t child = fork();
  if (child == 0) _exit(0);
  node[1].process = child;  // ended, and not waited for
  node[1].processes = process_space();
  for (int tries = 0; tries < 1000 && node.told_by(0).find("ended") == std::string::npos; ++tries)
    usleep(1000);
  EXPECT_NE(node.told_by(0).find("its process has ended"), std::string::npos) << node.told_by(0);
}

TEST(Presence, WhoIsBusyIsNotMissing) {
  const Node node({{}, {.waits_since_s = 0}, {.waits_since_s = now_s - 1}});
  EXPECT_TRUE(node.seen_by(0).absent.empty());
  EXPECT_TRUE(node.seen_by(0).moving);
}

TEST(Presence, WhoIsThroughOrFurtherOnIsNotMissing) {
  const Node node({{}, {.inside = false, .alive_s = 0}, {.call = 6}});
  EXPECT_TRUE(node.seen_by(0).absent.empty());
  EXPECT_FALSE(node.seen_by(0).moving);
}

TEST(Presence, TheLowestThatWaitsAndIsAliveSpeaks) {
  const Node node({{.call = 4, .inside = false}, {.alive_s = now_s - 9}, {}, {}});
  EXPECT_TRUE(node.seen_by(2).lowest);
  EXPECT_FALSE(node.seen_by(3).lowest);
}

TEST(Presence, RanksAreWrittenAsRanges) {
  EXPECT_EQ(text_of_ranks({7, 1, 2, 3, 9, 10}), "1-3, 7, 9, 10");
  EXPECT_EQ(text_of_ranks({4}), "4");
}

}  // namespace
}  // namespace collio::transport
