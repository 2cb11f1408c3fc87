// See fiber.hpp.
#include "transport/waiting/fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cassert>
#include <cstdint>
#include <new>
#include <utility>

#include "transport/waiting/waiting.hpp"

namespace collio::transport {

namespace {

constexpr std::size_t stack_bytes =
    1 << 20;  // MPI libraries' own calls run on it too; pages come as they are touched

thread_local Fiber* current = nullptr;

/// A fiber may go on on another thread than it began on (MPI_THREAD_SERIALIZED): its thread is looked up anew
/// each time.
[[gnu::noinline]] Fiber*& current_fiber() noexcept {
  asm volatile("" ::: "memory");
  return current;
}

std::size_t guard_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)) {
  void* memory = mmap(nullptr, stack_bytes + guard_bytes(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mprotect(memory, guard_bytes(), PROT_NONE);
  stack_ = static_cast<std::byte*>(memory);
  getcontext(&own_);
  own_.uc_stack.ss_sp = stack_ + guard_bytes();
  own_.uc_stack.ss_size = stack_bytes;
  own_.uc_link = &resumer_;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&own_, reinterpret_cast<void (*)()>(enter), 2, static_cast<unsigned>(self & 0xffffffffu),
              static_cast<unsigned>(static_cast<std::uint64_t>(self) >> 32));
}

Fiber::~Fiber() {
  assert(ended_);
  munmap(stack_, stack_bytes + guard_bytes());
}

void Fiber::enter(unsigned low, unsigned high) {
  auto* self =
      reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(static_cast<std::uint64_t>(high) << 32 | low));
  self->body_();
  self->ended_ = true;
}

void Fiber::resume(bool gives_way) {
  assert(!ended_ && !current_fiber());
  gives_way_ = gives_way;
  current_fiber() = this;
  Lookout* const outside = set_lookout(nullptr);
  swapcontext(&resumer_, &own_);
  set_lookout(outside);
  current_fiber() = nullptr;
}

bool Fiber::give_way() noexcept {
  if (!may_give_way()) return false;
  Fiber* self = current_fiber();
  Lookout* const own = lookout();
  swapcontext(&self->own_, &self->resumer_);
  set_lookout(own);
  return true;
}

bool Fiber::running() noexcept { return current_fiber() != nullptr; }

bool Fiber::may_give_way() noexcept {
  const Fiber* self = current_fiber();
  return self && self->gives_way_;
}

}  // namespace collio::transport
