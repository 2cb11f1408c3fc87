// Which storage ranks have opened a file with, in the words that they agree on: ranks of one process.
#include "engine/file/storage_use.hpp"

#include <gtest/gtest.h>

#include "board_agreement.hpp"
#include "late_file.hpp"
#include "schedule.hpp"

namespace collio::engine {
namespace {

using transport::BoardAgreement;
using transport::NodeBoard;

/// How a rank has the file.
enum class Has { nothing, it, it_otherwise, it_without_overlap };

/// Transfers are made at once.
class Plain final : public storage::Storage {
 public:
  storage::Transfer write(const core::Extent& e, const std::byte*) override { return {e.length, {}}; }
  storage::Transfer read(const core::Extent& e, std::byte*) override { return {e.length, {}}; }
  core::Error sync() override { return {}; }
};

storage::Opened opened(Has has) {
  storage::Opened mine;
  if (has == Has::nothing) return mine;
  if (has == Has::it_without_overlap)
    mine.file = std::make_unique<Plain>();
  else
    mine.file = std::make_unique<test::LateFile>(1);
  mine.kind = policy::StorageKind::threads;
  mine.reason = "a hint";
  mine.declined = has == Has::it_otherwise;
  return mine;
}

/// What ranks agree on; on all of them the same.
StorageWords agreed(const std::vector<Has>& ranks) {
  const int size = static_cast<int>(ranks.size());
  auto boards = transport::boards_of(size, BoardAgreement::record_bytes);
  std::vector<StorageWords> known(ranks.size());
  transport::Schedule schedule(1, size);
  EXPECT_TRUE(schedule.run(
      {},
      [&](int rank) {
        const auto at = static_cast<std::size_t>(rank);
        const BoardAgreement agreement(boards[at]);
        StorageWords& words = known[at];
        words = storage_words(opened(ranks[at]), rank, size);
        EXPECT_TRUE(
            agree(agreement, {}, "", words.waits, words.opened, words.first_otherwise, words.first_opened)
                .ok());
      },
      [] {}));
  for (const StorageWords& words : known) {
    EXPECT_EQ(words.first_opened.value, known[0].first_opened.value);
    EXPECT_EQ(words.opened.value, known[0].opened.value);
  }
  return known[0];
}

TEST(StorageUse, TransfersOverlapIfTheyDoOnAllRanksThatHaveTheFile) {
  EXPECT_FALSE(agreed({Has::nothing, Has::it, Has::it}).waits.value);
  EXPECT_TRUE(agreed({Has::it, Has::it_without_overlap, Has::it}).waits.value);
  EXPECT_FALSE(agreed({Has::nothing, Has::nothing}).waits.value) << "nobody has to wait";
}

TEST(StorageUse, TheLowestRankThatHasTheFileSpeaksUnlessOneGotAnotherKind) {
  EXPECT_EQ(agreed({Has::nothing, Has::it, Has::it}).first_opened.value, 1);
  const StorageWords all = agreed({Has::nothing, Has::it, Has::it_otherwise, Has::it_otherwise});
  EXPECT_EQ(all.opened.value, StorageWords::Opened::otherwise);
  EXPECT_EQ(all.first_otherwise.value, 2);
  const StorageWords none = agreed({Has::nothing, Has::nothing, Has::nothing});
  EXPECT_EQ(none.opened.value, StorageWords::Opened::no);
  EXPECT_EQ(none.first_opened.value, 3);
}

TEST(StorageUse, IsWhatTheWordsSay) {
  const StorageUse use = storage_use_of(agreed({Has::it, Has::it}), MPI_COMM_NULL, opened(Has::it));
  EXPECT_EQ(use.kind, "threads");
  EXPECT_EQ(use.reason, "a hint");
  EXPECT_TRUE(use.overlaps && !use.declined);
  const StorageUse other = storage_use_of(agreed({Has::it_otherwise, Has::it_without_overlap}), MPI_COMM_NULL,
                                          opened(Has::it_otherwise));
  EXPECT_TRUE(other.declined && !other.overlaps);
}

}  // namespace
}  // namespace collio::engine
