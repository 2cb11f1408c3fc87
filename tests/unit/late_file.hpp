// A file in memory whose started transfers happen later, in any order: what asynchronous storage may do at
// worst.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "storage/storage.hpp"

namespace collio::test {

class LateFile final : public storage::Storage {
 public:
  explicit LateFile(std::uint32_t seed) : random_(seed) {}

  std::vector<std::byte> bytes;
  std::int64_t fails_from = std::int64_t{1} << 62;
  std::size_t most_under_way = 0;
  int started = 0;

  storage::Transfer write(const core::Extent& e, const std::byte* from) override {
    const std::int64_t n = std::clamp<std::int64_t>(fails_from - e.offset, 0, e.length);
    if (n > 0 && bytes.size() < static_cast<std::size_t>(e.offset + n))
      bytes.resize(static_cast<std::size_t>(e.offset + n));
    if (n > 0) std::copy_n(from, n, bytes.begin() + e.offset);
    return {n, n < e.length ? core::Error{core::ErrorClass::no_space, "full"} : core::Error{}};
  }
  storage::Transfer read(const core::Extent& e, std::byte* to) override {
    const std::int64_t n =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(bytes.size()) - e.offset, 0, e.length);
    if (n > 0) std::copy_n(bytes.begin() + e.offset, n, to);
    return {n, {}};
  }
  core::Error sync() override { return {}; }

  storage::Ticket start_write(const core::Extent& e, const std::byte* from) override {
    return keep({e, from, nullptr});
  }
  storage::Ticket start_read(const core::Extent& e, std::byte* to) override { return keep({e, nullptr, to}); }
  /// Now and then another one happens.
  bool done(storage::Ticket ticket) override {
    if (random_() % 2 == 0 && !waiting_.empty()) happen(waiting_[random_() % waiting_.size()]);
    return all_[ticket].over;
  }
  storage::Transfer finish(storage::Ticket ticket) override {
    if (!all_[ticket].over) happen(ticket);
    return std::move(all_[ticket].result);
  }
  [[nodiscard]] bool overlaps() const noexcept override { return true; }
  [[nodiscard]] bool quiet() const noexcept { return waiting_.empty(); }

 private:
  struct One {
    core::Extent extent;
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    bool over = false;
    storage::Transfer result;
  };
  storage::Ticket keep(One one) {
    ++started;
    all_.push_back(std::move(one));
    waiting_.push_back(all_.size() - 1);
    most_under_way = std::max(most_under_way, waiting_.size());
    return all_.size() - 1;
  }
  void happen(storage::Ticket ticket) {
    One& one = all_[ticket];
    one.result = one.from ? write(one.extent, one.from) : read(one.extent, one.to);
    one.over = true;
    std::erase(waiting_, ticket);
  }

  std::mt19937 random_;
  std::vector<One> all_;
  std::vector<storage::Ticket> waiting_;
};

}  // namespace collio::test
