// The engine's own operator new: malloc, and in the middle of a collective call the reserve (access/reserve.hpp). Only where the engine has the C++
// runtime within: a shared one would free what this one gave.
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
