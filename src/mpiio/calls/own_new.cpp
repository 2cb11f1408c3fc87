// The engine's operator new: malloc, then, during a collective call, the reserve (access/reserve.hpp). Only
// where the C++ runtime is linked into the engine: a shared runtime would free memory that this operator
// gave.
#include <cstdlib>
#include <new>

#include "access/reserve.hpp"

void* operator new(std::size_t bytes) {
  if (void* block = std::malloc(bytes > 0 ? bytes : 1)) return block;
  if (void* block = collio::access::Reserve::take(bytes)) return block;
  throw std::bad_alloc();
}

void operator delete(void* block) noexcept {
  if (collio::access::Reserve::holds(block))
    collio::access::Reserve::give_back(block);
  else
    std::free(block);
}

void operator delete(void* block, std::size_t) noexcept { operator delete(block); }
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void operator delete[](void* block) noexcept { operator delete(block); }
void operator delete[](void* block, std::size_t) noexcept { operator delete(block); }
