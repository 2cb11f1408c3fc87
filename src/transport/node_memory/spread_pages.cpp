// See spread_pages.hpp. By system calls: libnuma would be one more library to load, for two of them.
#include "transport/node_memory/spread_pages.hpp"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <fstream>
#include <string>

namespace collio::transport {

namespace {

constexpr std::size_t most_domains = 1024;
constexpr std::size_t word_bits = sizeof(unsigned long) * CHAR_BIT;
using Mask = std::array<unsigned long, most_domains / word_bits>;

}  // namespace

MemoryDomains memory_domains() {
  std::string list;
  std::ifstream file("/sys/devices/system/node/has_cpu");
  std::getline(file, list);
  MemoryDomains domains = machine::parse_cpu_list(list);
  Mask allowed{};
  if (::syscall(SYS_get_mempolicy, nullptr, allowed.data(), most_domains, nullptr, MPOL_F_MEMS_ALLOWED) != 0)
    return {};
  domains.resize(std::min(domains.size(), most_domains));
  for (std::size_t i = 0; i < domains.size(); ++i)
    domains[i] = domains[i] && (allowed[i / word_bits] >> (i % word_bits) & 1) != 0;
  return domains;
}

bool spread_pages(std::span<std::byte> memory, const MemoryDomains& domains) {
  if (std::ranges::count(domains, true) < 2) return true;
  Mask mask{};
  for (std::size_t i = 0; i < domains.size(); ++i)
    if (domains[i]) mask[i / word_bits] |= 1UL << (i % word_bits);
  return ::syscall(SYS_mbind, memory.data(), memory.size(), MPOL_INTERLEAVE, mask.data(), most_domains, 0) ==
         0;
}

}  // namespace collio::transport
