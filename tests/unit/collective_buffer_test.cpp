// A collective buffer's round against a model of the file: what is written, how, and what is left alone.
#include "transport/windows/collective_buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "byte_list.hpp"
#include "late_file.hpp"

namespace collio::transport {
namespace {

using policy::Holes;
using storage::Transfer;
using test::Dice;

/// A file in memory that counts its calls and can fail from some offset on.
class MemoryFile final : public storage::Storage {
 public:
  std::vector<std::byte> bytes;
  int writes = 0, reads = 0, whole = 0;
  std::int64_t fails_from = std::int64_t{1} << 62;
  bool has_locks = true;

  Transfer write(const core::Extent& e, const std::byte* from) override {
    ++writes;
    const std::int64_t n = std::clamp<std::int64_t>(fails_from - e.offset, 0, e.length);
    if (n > 0 && bytes.size() < static_cast<std::size_t>(e.offset + n))
      bytes.resize(static_cast<std::size_t>(e.offset + n));
    std::copy_n(from, n, bytes.begin() + e.offset);
    return {n, n < e.length ? core::Error{core::ErrorClass::no_space, "full"} : core::Error{}};
  }
  Transfer read(const core::Extent& e, std::byte* to) override {
    ++reads;
    const std::int64_t n =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(bytes.size()) - e.offset, 0, e.length);
    if (n > 0) std::copy_n(bytes.begin() + e.offset, n, to);
    return {n, {}};
  }
  core::Error sync() override { return {}; }
  [[nodiscard]] bool locks() const noexcept override { return has_locks; }
  /// As a file that nobody else writes.
  std::optional<Transfer> write_whole(const storage::WholeWrite& what) override {
    ++whole;
    bytes.resize(std::max(bytes.size(), static_cast<std::size_t>(what.span.end())));
    what.for_each_hole([&](const core::Extent& hole) {
      std::copy_n(bytes.begin() + hole.offset, hole.length, what.data + (hole.offset - what.span.offset));
    });
    return write(what.span, what.data);
  }
  std::optional<Transfer> sieve(const core::Extent& span, std::byte* room,
                                const storage::Placing& place) override {
    std::fill_n(room, span.length, std::byte{0});
    read(span, room);
    place(room);
    return write(span, room);
  }
};

/// A message of `runs` with its data and its descriptions.
struct Message {
  explicit Message(const std::vector<core::Run>& runs) {
    code.resize(runs.size() * core::packed_item_max_bytes + core::varint_slack);
    MessageHeader& h = view.header;
    h.span = {runs.front().offset, runs.back().end() - runs.front().offset};
    core::PackedWriter writer(code.data(), {0, false}, h.span.offset);
    for (const core::Run& run : runs) {
      writer.put(run);
      h.sum.add(run);
      h.pieces += run.count;
      test::append_bytes(places, run);
    }
    h.items = static_cast<std::int64_t>(runs.size());
    h.extents_bytes = writer.position() - code.data() + core::varint_slack;
    data.resize(places.size());
  }
  MessageView& ready() {
    view.extents = code.data();
    view.data = data.data();
    return view;
  }

  std::vector<std::uint8_t> code;
  std::vector<std::byte> data;
  test::Bytes places;
  MessageView view;
};

/// A window over a memory file.
struct Bench {
  explicit Bench(Holes holes = Holes::automatic, bool readable = true, bool all_wait = false) {
    link.pool = &pool;
    link.steps = &steps;
    link.counters = &counters;
    window.emplace(link, WindowStorage{&file, readable, holes, all_wait, {}}, 1 << 16);
  }

  MemoryFile file;
  BufferPool pool;
  observe::Steps steps;
  observe::Counters counters;
  MessageLink link;
  std::optional<CollectiveBuffer> window;
};

Transfer written(std::optional<CollectiveBuffer>& window) {
  window->start_write();
  return window->finish();
}

Transfer read_in(std::optional<CollectiveBuffer>& window) {
  window->start_read();
  return window->finish();
}

std::vector<Message> random_messages(Dice& dice) {
  std::vector<Message> messages;
  for (std::int64_t i = 0, n = dice.pick(1, 6); i < n; ++i) {
    auto runs = test::random_ascending_runs(dice, 20);
    for (core::Run& run : runs) run.offset += 1000;
    messages.emplace_back(runs);
    for (std::byte& b : messages.back().data) b = static_cast<std::byte>(dice.pick(1, 255));
  }
  return messages;
}

TEST(CollectiveBuffer, WritesItsPiecesAndLeavesHolesAlone) {
  int whole = 0;
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    for (const Holes holes : {Holes::automatic, Holes::piecewise, Holes::sieve}) {
      Dice dice(seed);
      const bool readable = !dice.chance(4), all_wait = dice.chance(2);
      Bench b(holes, readable, all_wait);
      b.file.bytes.assign(static_cast<std::size_t>(dice.pick(0, 8000)), std::byte{0xEE});
      std::vector<Message> messages = random_messages(dice);
      b.window->open({900, 1 << 16});
      auto expected = b.file.bytes;
      std::int64_t end = 0;
      for (Message& m : messages) {
        b.window->place(m.ready());
        end = std::max(end, m.view.header.span.end());
        if (expected.size() < static_cast<std::size_t>(end)) expected.resize(static_cast<std::size_t>(end));
        for (std::size_t i = 0; i < m.places.size(); ++i)
          expected[static_cast<std::size_t>(m.places[i])] = m.data[i];
      }
      const Transfer t = written(b.window);
      ASSERT_TRUE(t.error.ok());
      ASSERT_EQ(b.window->span().end(), end);
      ASSERT_EQ(b.file.bytes, expected) << "seed " << seed;
      ASSERT_TRUE(b.file.whole == 0 || (holes == Holes::automatic && all_wait));
      whole += b.file.whole;
    }
  }
  EXPECT_GT(whole, 50);
}

TEST(CollectiveBuffer, MovesTheSameBytesWhileItsCallerDoesSomethingElse) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    for (const Holes holes : {Holes::automatic, Holes::piecewise, Holes::sieve}) {
      Dice dice(seed);
      Bench at_once(holes);
      test::LateFile late(seed);
      Bench later(holes);
      later.window.emplace(later.link, WindowStorage{&late, true, holes, false, {}}, 1 << 16);
      late.bytes.assign(static_cast<std::size_t>(dice.pick(0, 8000)), std::byte{0xEE});
      at_once.file.bytes = late.bytes;
      std::vector<Message> messages = random_messages(dice);
      for (Bench* b : {&at_once, &later}) b->window->open({900, 1 << 16});
      for (Message& m : messages)
        for (Bench* b : {&at_once, &later}) b->window->place(m.ready());
      const Transfer expected = written(at_once.window);
      later.window->start_write();
      while (!later.window->advance()) {}
      EXPECT_EQ(later.window->finish().bytes, expected.bytes);
      ASSERT_TRUE(late.bytes == at_once.file.bytes) << "seed " << seed;
      EXPECT_TRUE(late.quiet());
    }
  }
}

TEST(CollectiveBuffer, DenseOnesAreOneWrite) {
  Bench b(Holes::piecewise);
  Message even({{1000, 8, 16, 100}}), odd({{1008, 8, 16, 100}});
  b.window->open({0, 1 << 16});
  b.window->place(odd.ready());
  b.window->place(even.ready());
  EXPECT_EQ(written(b.window).bytes, 1600);
  EXPECT_EQ(b.file.writes, 1);
  EXPECT_EQ(b.counters.dense_windows, 1);
}

TEST(CollectiveBuffer, HolesAreWrittenAsTheHintSays) {
  Message pieces({{1000, 8, 16, 100}});
  Bench piecewise(Holes::piecewise), sieve(Holes::sieve), unreadable(Holes::sieve, false),
      unlocked(Holes::sieve);
  unlocked.file.has_locks = false;
  for (Bench* b : {&piecewise, &sieve, &unreadable, &unlocked}) {
    b->window->open({0, 1 << 16});
    b->window->place(pieces.ready());
    ASSERT_TRUE(written(b->window).error.ok());
  }
  EXPECT_EQ(piecewise.file.writes, 100);
  EXPECT_EQ(piecewise.file.reads, 0);
  EXPECT_EQ(piecewise.counters.piecewise_windows, 1);
  EXPECT_EQ(sieve.file.writes, 1);
  EXPECT_EQ(sieve.file.reads, 1);
  EXPECT_EQ(sieve.counters.sieved_windows, 1);
  EXPECT_EQ(unreadable.file.writes, 100) << "what cannot be read cannot be sieved";
  EXPECT_EQ(unlocked.file.writes, 100) << "without locks sieving would undo what others write into the holes";
}

TEST(CollectiveBuffer, BytesNobodyWroteAreZeroBehindTheOldEnd) {
  Bench b(Holes::sieve);
  Message first({{0, 4096, 4096, 1}});
  std::ranges::fill(first.data, std::byte{0xAB});
  b.window->open({0, 4096});
  b.window->place(first.ready());
  ASSERT_TRUE(written(b.window).error.ok());
  b.file.bytes.clear();
  Message holes({{0, 8, 512, 8}});
  std::ranges::fill(holes.data, std::byte{0xCD});
  b.window->open({0, 4096});
  b.window->place(holes.ready());
  ASSERT_TRUE(written(b.window).error.ok());
  for (std::size_t i = 0; i < b.file.bytes.size(); ++i)
    ASSERT_EQ(b.file.bytes[i], i % 512 < 8 ? std::byte{0xCD} : std::byte{0}) << i;
}

TEST(CollectiveBuffer, TellsHowFarAFailedWriteCame) {
  for (const Holes holes : {Holes::piecewise, Holes::sieve}) {
    Bench b(holes);
    b.file.fails_from = 1500;
    Message pieces({{1000, 8, 16, 100}});
    b.window->open({0, 1 << 16});
    b.window->place(pieces.ready());
    const Transfer t = written(b.window);
    EXPECT_EQ(t.error.kind, core::ErrorClass::no_space);
    EXPECT_LE(b.window->span().offset + t.bytes, 1500);
    EXPECT_GT(b.window->span().offset + t.bytes, 1500 - 16);
  }
}

TEST(CollectiveBuffer, WithoutAFileEveryRoundFails) {
  Bench b;
  b.window.emplace(b.link, WindowStorage{}, 4096);
  Message pieces({{0, 8, 16, 10}});
  b.window->open({0, 4096});
  EXPECT_TRUE(written(b.window).error.ok()) << "nothing to write";
  b.window->place(pieces.ready());
  EXPECT_EQ(written(b.window).error.kind, core::ErrorClass::access);
  b.window->open({0, 4096});
  b.window->expect(pieces.ready());
  EXPECT_EQ(read_in(b.window).error.kind, core::ErrorClass::access);
  EXPECT_EQ(b.window->available(pieces.ready()), 0);
}

TEST(CollectiveBuffer, AnswersRequestsUpToTheEndOfTheFile) {
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    for (const Holes holes : {Holes::automatic, Holes::piecewise, Holes::sieve}) {
      Dice dice(seed);
      Bench b(holes);
      b.file.bytes.resize(static_cast<std::size_t>(dice.pick(0, 8000)));
      for (std::byte& byte : b.file.bytes) byte = static_cast<std::byte>(dice.pick(0, 255));
      const auto file_bytes = static_cast<std::int64_t>(b.file.bytes.size());
      std::vector<Message> messages = random_messages(dice);
      b.window->open({900, 1 << 16});
      for (Message& m : messages) b.window->expect(m.ready());
      ASSERT_TRUE(read_in(b.window).error.ok());
      for (Message& m : messages) {
        const auto there = std::ranges::count_if(m.places, [&](std::int64_t at) { return at < file_bytes; });
        ASSERT_EQ(b.window->available(m.ready()), there) << "seed " << seed;
        std::vector<std::byte> out(static_cast<std::size_t>(there));
        b.window->collect(m.ready(), there, out.data());
        for (std::size_t i = 0; i < out.size(); ++i)
          ASSERT_EQ(out[i], b.file.bytes[static_cast<std::size_t>(m.places[i])]) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace collio::transport
