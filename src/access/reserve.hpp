// Memory kept for small allocations that malloc refuses.
//
// During a collective call other ranks wait for this rank's messages, so no list may fail to grow by an
// entry. Allocations that malloc refuses in such a call come from here. The reserve is part of the library
// and needs no memory itself.
#pragma once

#include <cstddef>

namespace collio::access {

class Reserve {
 public:
  /// in all, of a process
  static constexpr std::size_t bytes = 1 << 20;
  /// blocks are this times a power of two, 16 bytes of each for the reserve itself
  static constexpr std::size_t smallest_block = 64;

  /// While one lives, any thread of the process may take from the reserve.
  class Use {
   public:
    Use() noexcept;
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
  };

  /// While one lives, this thread takes nothing: for what may be long, and can be left out.
  class Abstain {
   public:
    Abstain() noexcept;
    ~Abstain();
    Abstain(const Abstain&) = delete;
    Abstain& operator=(const Abstain&) = delete;
  };

  /// Aligned to 16 bytes. Null: not in use, not for this thread, or nothing of that length is left.
  /// Thread-safe.
  [[nodiscard]] static void* take(std::size_t bytes) noexcept;
  [[nodiscard]] static bool holds(const void* block) noexcept;
  /// A block that it holds. Thread-safe; also when it is not in use any more.
  static void give_back(void* block) noexcept;
};

}  // namespace collio::access
