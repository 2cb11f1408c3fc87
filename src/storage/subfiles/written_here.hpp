// Which sets of subfiles this process has open for writing: a second handle of a program is no news to it.
#pragma once

#include <cstdint>

namespace collio::storage {

/// While it lives, the set of this identity counts as written by this process. Any thread.
class WrittenHere {
 public:
  explicit WrittenHere(std::uint64_t identity);
  ~WrittenHere();
  WrittenHere(const WrittenHere&) = delete;
  WrittenHere& operator=(const WrittenHere&) = delete;

  [[nodiscard]] static bool is(std::uint64_t identity);

 private:
  std::uint64_t identity_;
};

}  // namespace collio::storage
