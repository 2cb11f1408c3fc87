// The function of HDF5 and the like in which this process is, shown to the other ranks of its node: a rank
// that never comes to a call may wait in one of them.
//
// Functions are known where a report is written (mpiio/shim/shim_watch.h). Those of several threads show the
// last that began.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace collio::transport {

/// Part of a rank's note, in shared memory: written by its process, read by others meanwhile.
class Above {
 public:
  /// Longer names are cut.
  struct Said {
    char name[24] = "";
    double since_s = 0;
  };
  void say(const Said& said) noexcept;
  /// While it is written, parts of two names may be seen.
  [[nodiscard]] Said said() const noexcept;

 private:
  std::array<std::atomic<std::uint64_t>, sizeof Said::name / sizeof(std::uint64_t)> name_{};
  std::atomic<double> since_s_{0};
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// From construction to destruction the note shows where this process is. Not collective. Thread-safe.
class ShownAbove {
 public:
  explicit ShownAbove(Above& note);
  ~ShownAbove();
  ShownAbove(const ShownAbove&) = delete;
  ShownAbove& operator=(const ShownAbove&) = delete;

 private:
  Above& note_;
};

/// The process is in this function now; null: in none. O(notes that show it).
void tell_above(const char* name) noexcept;

}  // namespace collio::transport
