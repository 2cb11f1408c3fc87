// Who looks on as a file is written.
#pragma once

#include <cstdint>

namespace collio::storage {

/// Of one open file. By any thread.
class WriteWatch {
 public:
  virtual ~WriteWatch() = default;
  /// Whether what is left of a write is to be made. False: the write is over, short and without error.
  [[nodiscard]] virtual bool wanted() = 0;
  /// Called after each system call, with what it wrote.
  virtual void took(std::int64_t bytes, double seconds) = 0;
};

}  // namespace collio::storage
