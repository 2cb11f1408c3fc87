// Stores to pages that are gone, and what happens to a program's own handler of SIGBUS.
#include "storage/guarded_stores.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <thread>

#include "temporary_file.hpp"

namespace collio::storage {
namespace {

constexpr std::size_t bytes = 1 << 16;

/// Pages of a file that is empty by now.
struct Gone {
  Gone() {
    const int fd = ::open(file.path().c_str(), O_RDWR | O_CREAT, 0600);
    EXPECT_EQ(::ftruncate(fd, bytes), 0);
    pages = static_cast<char*>(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    EXPECT_EQ(::ftruncate(fd, 0), 0);
    ::close(fd);
  }
  ~Gone() { ::munmap(pages, bytes); }
  test::TemporaryFile file;
  char* pages;
};

TEST(GuardedStores, PagesThatAreGoneAreSaid) {
  const auto store = [] {
    for (int i = 0; i < 100; ++i) {
      Gone gone;
      const GuardedStores stores(gone.pages, bytes);
      EXPECT_FALSE(stores.lost());
      for (std::size_t at = 0; at < bytes; at += 512) gone.pages[at] = 'x';
      EXPECT_TRUE(stores.lost());
    }
  };
  std::thread other(store);
  store();
  other.join();
}

int caught = 0;
void count_and_end(int) {
  ++caught;
  ::_exit(40 + caught);
}

TEST(GuardedStoresDeathTest, OtherAccessesGoToTheHandlerThatWasThere) {
  const auto touch = [](bool handled) {
    if (handled) ::signal(SIGBUS, count_and_end);
    Gone gone, other;
    const GuardedStores stores(gone.pages, bytes);
    other.pages[0] = 'x';
  };
  EXPECT_EXIT(touch(true), testing::ExitedWithCode(41), "");
  EXPECT_EXIT(touch(false), testing::KilledBySignal(SIGBUS), "");
}

TEST(GuardedStores, TheFormerHandlerIsBackAfterwards) {
  struct sigaction before {
  }, after{};
  ::sigaction(SIGBUS, nullptr, &before);
  {
    Gone gone;
    const GuardedStores stores(gone.pages, bytes);
  }
  ::sigaction(SIGBUS, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

}  // namespace
}  // namespace collio::storage
