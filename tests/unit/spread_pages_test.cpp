// Shared memory over memory domains. Most machines that run this have one domain: of two that it is told the
// kernel takes those there are.
#include "transport/node_memory/spread_pages.hpp"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace collio::transport {
namespace {

class SpreadPages : public testing::Test {
 protected:
  void SetUp() override {
    void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(p, MAP_FAILED);
    memory = {static_cast<std::byte*>(p), bytes};
  }
  void TearDown() override { ::munmap(memory.data(), memory.size()); }
  [[nodiscard]] int policy() const {
    int mode = -1;
    return ::syscall(SYS_get_mempolicy, &mode, nullptr, 0, memory.data(), MPOL_F_ADDR) == 0 ? mode : -1;
  }
  static constexpr std::size_t bytes = 1 << 20;
  std::span<std::byte> memory;
};

TEST_F(SpreadPages, DomainsOfThisProcessAreThoseWithProcessorsAndMemory) {
  if (::access("/sys/devices/system/node/has_cpu", R_OK) != 0 || policy() < 0)
    GTEST_SKIP() << "the kernel tells nothing of memory domains";
  EXPECT_GE(std::ranges::count(memory_domains(), true), 1);
}

TEST_F(SpreadPages, OneDomainIsLeftToTheKernel) {
  EXPECT_TRUE(spread_pages(memory, {}));
  EXPECT_TRUE(spread_pages(memory, {true}));
  EXPECT_TRUE(spread_pages(memory, {false, true, false}));
  EXPECT_NE(policy(), MPOL_INTERLEAVE);
}

TEST_F(SpreadPages, TwoDomainsAreInterleaved) {
  if (policy() < 0) GTEST_SKIP() << "the kernel has no memory policies";
  MemoryDomains domains = memory_domains();
  const bool several = std::ranges::count(domains, true) > 1;
  if (!several) domains.resize(2, true);  // the kernel takes those of them that there are
  ASSERT_TRUE(spread_pages(memory, domains)) << errno;
  EXPECT_EQ(policy(), MPOL_INTERLEAVE);
}

}  // namespace
}  // namespace collio::transport
