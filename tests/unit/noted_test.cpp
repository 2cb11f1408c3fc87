// Storage whose transfers are noted: the same bytes, and every byte that moved is counted once.
#include "storage/noted.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "late_file.hpp"

namespace collio::storage {
namespace {

std::int64_t sum(const observe::Buckets& buckets) {
  return std::accumulate(buckets.values().begin(), buckets.values().end(), std::int64_t{0});
}

class NotedTransfers : public testing::Test {
 protected:
  NotedTransfers() {
    auto late = std::make_unique<test::LateFile>(7);
    file_ = late.get();
    pictures_->deal({.unit_bytes = 256, .count = 2});
    storage_ = noted(std::move(late), pictures_);
  }

  std::shared_ptr<observe::Pictures> pictures_ = std::make_shared<observe::Pictures>();
  test::LateFile* file_ = nullptr;
  std::unique_ptr<Storage> storage_;
  std::vector<std::byte> data_ = std::vector<std::byte>(1024, std::byte{3});
};

TEST_F(NotedTransfers, AreCountedWhenStartedOnesFinish) {
  std::vector<Ticket> tickets;
  for (std::int64_t i = 0; i < 4; ++i) tickets.push_back(storage_->start_write({256 * i, 256}, data_.data()));
  EXPECT_EQ(sum(pictures_->noted().accessed), 0);
  while (!storage_->done(tickets[2])) {}
  for (const Ticket ticket : tickets) EXPECT_EQ(storage_->finish(ticket).bytes, 256);
  EXPECT_EQ(file_->bytes.size(), 1024u);
  EXPECT_EQ(sum(pictures_->noted().accessed), 1024);
  EXPECT_EQ(pictures_->noted().target_bytes, (std::vector<std::int64_t>{512, 512}));
}

TEST_F(NotedTransfers, ThatFailCountWithTheBytesThatMoved) {
  file_->fails_from = 300;
  EXPECT_FALSE(storage_->write({0, 1024}, data_.data()).error.ok());
  EXPECT_EQ(sum(pictures_->noted().accessed), 300);
}

TEST_F(NotedTransfers, ReadToTheEndOfTheFile) {
  file_->bytes.assign(100, std::byte{1});
  EXPECT_EQ(storage_->read({0, 1024}, data_.data()).bytes, 100);
  EXPECT_EQ(sum(pictures_->noted().accessed), 100);
  EXPECT_EQ(pictures_->noted().target_bytes[0], 100);
}

TEST_F(NotedTransfers, ThatStorageDeclinesAreNotCounted) {
  EXPECT_FALSE(storage_->write_once({0, 10}, data_.data()));
  EXPECT_FALSE(storage_->sieve({0, 10}, data_.data(), [](std::byte*) {}));
  EXPECT_EQ(sum(pictures_->noted().accessed), 0);
}

/// Takes whatever it is given.
class Stores final : public Storage {
 public:
  Transfer write(const core::Extent& extent, const std::byte*) override { return {extent.length, {}}; }
  Transfer read(const core::Extent&, std::byte*) override { return {}; }
  core::Error sync() override { return {}; }
  bool store(const PieceWrite&) override { return true; }
};

TEST(NotedPieces, CountWithoutTheirHoles) {
  const auto pictures = std::make_shared<observe::Pictures>();
  pictures->deal({.unit_bytes = 256, .count = 2});
  const std::unique_ptr<Storage> storage = noted(std::make_unique<Stores>(), pictures);
  core::PackedBuilder builder({});
  builder.add(core::Run{4096, 16, 512, 8});  // on the first target alone
  builder.add(core::Extent{16384, 100});
  const core::PackedExtents pieces = builder.finish();
  const std::vector<std::byte> data(12544);
  ASSERT_TRUE(storage->store({{4096, 12544}, data.data(), pieces}));
  const observe::Pictures::Noted& noted = pictures->noted();
  EXPECT_EQ(sum(noted.accessed), 8 * 16 + 100);
  EXPECT_EQ(noted.accessed.values()[16], 100);
  EXPECT_EQ(noted.accessed.values()[12], 0);
  EXPECT_EQ(noted.target_bytes, (std::vector<std::int64_t>{8 * 16 + 100, 0}));
}

}  // namespace
}  // namespace collio::storage
