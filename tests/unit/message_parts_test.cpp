// Messages with the lists of several ranks.
#include "transport/messages/message_parts.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "byte_list.hpp"

namespace collio::transport {
namespace {

constexpr std::int64_t window_offset = 1000;

void append(std::vector<std::byte>& message, const void* from, std::size_t bytes) {
  const auto* begin = static_cast<const std::byte*>(from);
  message.insert(message.end(), begin, begin + bytes);
}

void append_part(std::vector<std::byte>& message, const core::Run& run, std::int64_t answer_at,
                 bool with_data) {
  std::array<std::uint8_t, core::packed_item_max_bytes> code;
  core::PackedWriter writer(code.data(), {0, false}, window_offset);
  writer.put(run);
  const PartHead head{1, static_cast<std::int32_t>(writer.position() - code.data()),
                      static_cast<std::int32_t>(run.bytes()), static_cast<std::int32_t>(answer_at)};
  append(message, &head, sizeof head);
  append(message, code.data(), static_cast<std::size_t>(head.list_bytes));
  const std::vector<std::byte> data(static_cast<std::size_t>(run.bytes()), static_cast<std::byte>(answer_at));
  if (with_data) append(message, data.data(), data.size());
}

std::vector<std::byte> message_of(const std::vector<core::Run>& runs, bool with_data) {
  MessageHeader h;
  h.parts = h.items = static_cast<std::int64_t>(runs.size());
  std::vector<std::byte> message(sizeof h);
  for (const core::Run& run : runs) {
    append_part(message, run, h.sum.bytes, with_data);
    h.sum.bytes += run.bytes();
  }
  h.extents_bytes = static_cast<std::int64_t>(message.size() - sizeof h);
  std::memcpy(message.data(), &h, sizeof h);
  message.resize(message.size() + core::varint_slack);
  return message;
}

TEST(MessageParts, EachHasItsListAndItsData) {
  const std::vector<core::Run> runs{{1010, 5, 0, 1}, {1003, 2, 100, 7}, {1500, 300, 0, 1}};
  for (const bool with_data : {true, false}) {
    const std::vector<std::byte> message = message_of(runs, with_data);
    std::size_t i = 0;
    std::int64_t answer_at = 0;
    for_each_part(view_message(message.data()), window_offset, with_data, [&](MessagePart part) {
      const core::Run run = part.reader.next();
      EXPECT_EQ(part.items, 1);
      EXPECT_EQ(run.offset, runs[i].offset);
      EXPECT_EQ(run.bytes(), runs[i].bytes());
      EXPECT_EQ(part.answer_at, answer_at);
      if (with_data) {
        EXPECT_EQ(part.data[run.bytes() - 1], static_cast<std::byte>(answer_at));
      }
      answer_at += runs[i++].bytes();
    });
    EXPECT_EQ(i, runs.size());
  }
}

TEST(MessageParts, AMessageOfOneListIsOnePart) {
  const core::PackedExtents list = core::PackedExtents::of({5, 7});
  MessageView view;
  view.header.items = 1;
  view.header.span.offset = 2000;
  view.extents = list.code().data();
  int parts = 0;
  for_each_part(view, window_offset, true, [&](MessagePart part) {
    EXPECT_EQ(part.reader.next().offset, 2005);
    ++parts;
  });
  EXPECT_EQ(parts, 1);
}

}  // namespace
}  // namespace collio::transport
