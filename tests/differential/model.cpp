#include "model.hpp"

#include <sstream>

namespace collio::differential {
namespace {

std::string difference(const char* what, std::int64_t at, int expected, int found) {
  std::ostringstream out;
  out << what << " at byte " << at << ": expected " << expected << ", found " << found;
  return out.str();
}

}  // namespace

FileModel::FileModel(const Case& subject) {
  if (!subject.file_exists) return;
  bytes_.resize(static_cast<std::size_t>(subject.old_bytes));
  origins_.resize(bytes_.size(), Origin::old);
  for (std::size_t i = 0; i < bytes_.size(); ++i)
    bytes_[i] = old_byte(subject.seed, static_cast<std::int64_t>(i));
}

void FileModel::apply(const Phase& phase, const Call& call) {
  for (std::size_t r = 0; r < call.access.size(); ++r) {
    const Access& access = call.access[r];
    const std::int64_t first = access.offset * phase.layout.etype->shape.size;
    for_each_file_piece(phase.layout.views[r], first, access.bytes(),
                        [&](std::int64_t offset, std::int64_t index, std::int64_t length) {
                          if (offset + length > static_cast<std::int64_t>(bytes_.size()))
                            bytes_.resize(static_cast<std::size_t>(offset + length));
                          origins_.resize(bytes_.size(), Origin::hole);
                          for (std::int64_t i = 0; i < length; ++i) {
                            bytes_[static_cast<std::size_t>(offset + i)] =
                                data_byte(call.data_seed, static_cast<int>(r), index + i);
                            origins_[static_cast<std::size_t>(offset + i)] = Origin::written;
                          }
                        });
  }
}

FileModel::Delivery FileModel::read(const Phase& phase, const Access& access, int rank) const {
  Delivery out;
  const auto total = static_cast<std::size_t>(access.bytes());
  out.bytes.resize(total);
  out.inside.resize(total);
  out.hole.resize(total);
  const std::int64_t first = access.offset * phase.layout.etype->shape.size;
  const auto file_bytes = static_cast<std::int64_t>(bytes_.size());
  for_each_file_piece(phase.layout.views[static_cast<std::size_t>(rank)], first, access.bytes(),
                      [&](std::int64_t offset, std::int64_t index, std::int64_t length) {
                        for (std::int64_t i = 0; i < length; ++i) {
                          const auto at = static_cast<std::size_t>(index + i);
                          out.inside[at] = offset + i < file_bytes;
                          out.hole[at] = out.inside[at] &&
                                         origins_[static_cast<std::size_t>(offset + i)] == Origin::hole;
                          if (out.inside[at]) out.bytes[at] = bytes_[static_cast<std::size_t>(offset + i)];
                          if (out.inside[at] && out.valid == index + i) ++out.valid;
                          if (out.inside[at] && out.valid < index + i) out.prefix = false;
                        }
                      });
  return out;
}

Buffer::Buffer(const MemoryShape& memory) : memory_(memory) {
  std::int64_t low = 0, high = 0;
  for_each_memory_piece(memory_, [&](std::int64_t offset, std::int64_t, std::int64_t length) {
    low = std::min(low, offset);
    high = std::max(high, offset + length);
  });
  // Keep origin() aligned like the storage itself.
  low_ = low / 16 * 16 - (low % 16 != 0 ? 16 : 0);
  storage_.assign(static_cast<std::size_t>(high - low_ + 2 * margin), sentinel);
}

void Buffer::fill_for_write(const Call& call, int rank) {
  unsigned char* base = origin();
  for_each_memory_piece(memory_, [&](std::int64_t offset, std::int64_t index, std::int64_t length) {
    for (std::int64_t i = 0; i < length; ++i) base[offset + i] = data_byte(call.data_seed, rank, index + i);
  });
  written_ = storage_;
}

std::string Buffer::check_after_write() const {
  return storage_ == written_ ? std::string{} : "the write changed the user's buffer";
}

std::string Buffer::check_after_failed_read(const FileModel::Delivery& expected, std::int64_t counted) const {
  std::vector<bool> covered(storage_.size());
  std::string untruth;
  for_each_memory_piece(memory_, [&](std::int64_t offset, std::int64_t index, std::int64_t length) {
    for (std::int64_t i = 0; i < length; ++i) {
      const auto at = static_cast<std::size_t>(margin - low_ + offset + i);
      const auto stream = static_cast<std::size_t>(index + i);
      covered[at] = true;
      const unsigned char found = storage_[at];
      const bool right = found == (expected.inside[stream] ? expected.bytes[stream] : 0);
      const bool counts = index + i < counted && expected.inside[stream];
      if (!right && (counts || found != sentinel) && untruth.empty())
        untruth = difference(counts ? "counted stream" : "stream", index + i, expected.bytes[stream], found);
    }
  });
  for (std::size_t at = 0; at < storage_.size() && untruth.empty(); ++at)
    if (!covered[at] && storage_[at] != sentinel) untruth = "a failed read changed memory around the buffer";
  return untruth;
}

Buffer::Damage Buffer::check_after_read(const FileModel::Delivery& expected) const {
  std::vector<bool> covered(storage_.size());
  Damage damage;
  for_each_memory_piece(memory_, [&](std::int64_t offset, std::int64_t index, std::int64_t length) {
    for (std::int64_t i = 0; i < length; ++i) {
      const auto at = static_cast<std::size_t>(margin - low_ + offset + i);
      const auto stream = static_cast<std::size_t>(index + i);
      covered[at] = true;
      const unsigned char found = storage_[at];
      if (expected.inside[stream]) {
        std::string& where = expected.hole[stream] ? damage.from_holes : damage.data;
        if (found != expected.bytes[stream] && where.empty())
          where = difference("stream", index + i, expected.bytes[stream], found);
      } else if (found != sentinel && found != 0 && damage.past_end.empty()) {
        // Past the end of the file a buffer may stay as it was or be zeroed; anything else is leftover
        // memory.
        damage.past_end = difference("stream", index + i, sentinel, found);
      }
    }
  });
  for (std::size_t at = 0; at < storage_.size() && damage.around.empty(); ++at)
    if (!covered[at] && storage_[at] != sentinel)
      damage.around = difference("relative to the buffer,", static_cast<std::int64_t>(at) - margin + low_,
                                 sentinel, storage_[at]);
  return damage;
}

}  // namespace collio::differential
