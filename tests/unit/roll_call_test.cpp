// Roll calls among more nodes than a judge asks at a look. All ranks are in one process and in one time, and
// letters take a few looks.
#include "transport/liveness/roll_call.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include "byte_list.hpp"

namespace collio::transport {
namespace {

constexpr int job_nodes = 700;
constexpr double patience_s = 2, look_s = 0.06;  // a rank looks every 50 ms at most

/// All letters of a job, and what was counted of them.
struct Office {
  struct Mail {
    RollPost::Letter letter;
    RollKind kind;
    int due;  // look
  };
  test::Dice dice{7};
  int look = 0;
  /// by receiver
  std::map<int, std::deque<Mail>> mail;
  std::set<std::tuple<int, int, RollKind>> under_way;
  /// by sender: at this look, and at most
  std::map<int, int> questions_now;
  int most_questions = 0;
  /// by receiver
  std::map<int, int> asked;
};

class Letters final : public RollPost {
 public:
  Letters(Office& office, int rank) : RollPost(rank, job_nodes), office_(office) {}
  void send(RollKind kind, int to, std::vector<std::byte> bytes) override {
    if (!office_.under_way.insert({rank, to, kind}).second) return;
    office_.mail[to].push_back(
        {{std::move(bytes), rank}, kind, office_.look + static_cast<int>(office_.dice.pick(1, 3))});
    if (kind != RollKind::question) return;
    office_.most_questions = std::max(office_.most_questions, ++office_.questions_now[rank]);
    ++office_.asked[to];
  }
  [[nodiscard]] std::vector<Letter> receive() override {
    std::vector<Letter> come;
    std::erase_if(office_.mail[rank], [&](Office::Mail& m) {
      if (m.due > office_.look) return false;
      office_.under_way.erase({m.letter.from, rank, m.kind});
      come.push_back(std::move(m.letter));
      return true;
    });
    return come;
  }
  void finish() override {}

 private:
  Office& office_;
};

/// A node's only rank, in a call.
struct Rank {
  RollCall roll;
  RollCall::Visit visit;
  double since_s;
  Rank(Office& office, int rank, double now_s)
      : roll({.post = std::make_unique<Letters>(office, rank),
              .file = "f",
              .patience_s = patience_s,
              .node = rank}),
        visit(roll, "write_all"),
        since_s(now_s) {}
};

/// Lines that the ranks print until every rank that is there has told what it knows, once. `comes_s`: when a
/// rank comes to the call; nothing: never.
std::string told(Office& office, const std::function<std::optional<double>(int)>& comes_s) {
  const double begin_s = observe::now_s();
  std::map<int, std::unique_ptr<Rank>> ranks;
  testing::internal::CaptureStderr();
  for (double now_s = begin_s; now_s < begin_s + 1.4 * patience_s; now_s += look_s, ++office.look) {
    office.questions_now.clear();
    for (int rank = 0; rank < job_nodes; ++rank) {
      const std::optional<double> comes = comes_s(rank);
      if (comes && !ranks.contains(rank) && now_s >= begin_s + *comes)
        ranks[rank] = std::make_unique<Rank>(office, rank, now_s);
      if (const auto here = ranks.find(rank); here != ranks.end())
        here->second->roll.look(now_s, here->second->since_s);
    }
  }
  std::string text = testing::internal::GetCapturedStderr();
  testing::internal::CaptureStderr();
  ranks.clear();  // the call goes on, they say
  static_cast<void>(testing::internal::GetCapturedStderr());
  set_lookout(nullptr);  // visits end in another order than calls of one rank do
  return text;
}

bool is_missing(int rank) { return (rank >= 300 && rank < 310) || rank == 650; }

TEST(RollCall, AJudgeAsksSilentNodesInPortionsAndNamesThoseThatDoNotAnswer) {
  // The judges alone have lost patience when they ask: whoever is not asked is silent.
  Office office;
  const std::string text = told(office, [](int rank) {
    return is_missing(rank) ? std::optional<double>() : rank < 8 ? 0 : patience_s / 2;
  });
  EXPECT_NE(text.find("write_all (collective call 1 on this file) has waited for "), std::string::npos)
      << text;
  EXPECT_NE(text.find(": no word from ranks 300-309, 650 [rank 0]\n"), std::string::npos) << text;
  EXPECT_EQ(std::ranges::count(text, '\n'), 1) << "one judge tells: " << text;
  EXPECT_EQ(office.most_questions, RollCall::most_questions_at_once);
  for (int rank = 8; rank < job_nodes; ++rank) EXPECT_EQ(office.asked[rank], 8) << rank;
}

TEST(RollCall, NodesThatHaveToldAreNotAsked) {
  Office office;
  const std::string text =
      told(office, [](int rank) { return is_missing(rank) ? std::optional<double>() : 0.0; });
  EXPECT_NE(text.find(": no word from ranks 300-309, 650 [rank 0]\n"), std::string::npos) << text;
  // Of those that are asked last a third has told after one look, two thirds after two.
  constexpr int last = 2 * RollCall::most_questions_at_once;
  int asked = 0;
  for (int rank = last; rank < job_nodes; ++rank) asked += office.asked[rank];
  EXPECT_LT(asked, 8 * (job_nodes - last) * 2 / 3);
  EXPECT_EQ(office.asked[650], 8);
}

}  // namespace
}  // namespace collio::transport
