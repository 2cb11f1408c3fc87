// See buffer.hpp.
#include "access/buffer.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace collio::access {

namespace {

constexpr std::size_t huge_page = 2 << 20;
constexpr std::size_t grain = 16 << 10;  // sizes are rounded up, so that rounds of similar size share buffers

}  // namespace

Buffer::Buffer(std::size_t bytes) : capacity_((bytes + grain - 1) / grain * grain) {
  const bool huge = capacity_ >= huge_page;
  void* p = nullptr;
  if (::posix_memalign(&p, huge ? huge_page : 4096, capacity_) != 0) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (huge) ::madvise(p, capacity_ / huge_page * huge_page, MADV_HUGEPAGE);
#endif
  bytes_.reset(static_cast<std::byte*>(p));
}

void Buffer::Free::operator()(std::byte* p) const noexcept { std::free(p); }

}  // namespace collio::access
