// See beegfs.hpp.
#include "storage/layouts/beegfs.hpp"

#include <sys/ioctl.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace collio::storage {

namespace {

constexpr std::uint32_t most_pattern = 3;  // RAID0, RAID10, buddy mirror: all of them deal chunks
constexpr unsigned long get_stripe_info = _IOR('f', 25, std::byte[beegfs_answer_bytes]);

core::Error wrong(const std::string& what) {
  return {core::ErrorClass::other, "BEEGFS_IOC_GET_STRIPEINFO: " + what};
}

}  // namespace

core::Result<machine::Layout> parse_beegfs(std::span<const std::byte> answer) {
  if (answer.size() < beegfs_answer_bytes)
    return wrong("truncated at " + std::to_string(answer.size()) + " bytes");
  std::uint32_t pattern = 0, chunk_bytes = 0;
  std::uint16_t targets = 0;
  std::memcpy(&pattern, answer.data(), sizeof pattern);
  std::memcpy(&chunk_bytes, answer.data() + 4, sizeof chunk_bytes);
  std::memcpy(&targets, answer.data() + 8, sizeof targets);
  if (pattern < 1 || pattern > most_pattern) return wrong("unknown pattern " + std::to_string(pattern));
  if (chunk_bytes == 0 || targets == 0)
    return wrong(std::to_string(targets) + " targets, chunks of " + std::to_string(chunk_bytes) + " bytes");
  machine::Layout layout;
  layout.unit_bytes = chunk_bytes;
  layout.count = targets;
  layout.source = "BEEGFS_IOC_GET_STRIPEINFO";
  return layout;
}

core::Result<machine::Layout> ask_beegfs(int file) {
  std::array<std::byte, beegfs_answer_bytes> answer{};
  if (::ioctl(file, get_stripe_info, answer.data()) != 0) return wrong(std::strerror(errno));
  return parse_beegfs(answer);
}

}  // namespace collio::storage
