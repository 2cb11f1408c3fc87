// A buffer in the memory of a device: its bytes come and go by the driver's copies, through staging of the
// caller's.
//
// A copy that fails does not stop the exchange, in which others wait for these bytes: zeros take their place,
// no further copy is tried, and the call ends with the error on all ranks.
#pragma once

#include <memory>

#include "access/device/device_driver.hpp"
#include "core/extent.hpp"
#include "core/result.hpp"

namespace collio::access {

/// Where a buffer's bytes are. `address` null (MPI_BOTTOM): any of them may be anywhere.
struct BufferSpan {
  std::byte* address = nullptr;
  /// of its bytes, from `address`
  std::int64_t low = 0, high = 0;
  bool contiguous = true;
};

/// One call at a time uses it.
class DeviceMemory {
 public:
  /// Null: the CPU can touch the buffer. One query of each driver in the process, two for a buffer that is
  /// not contiguous; a buffer whose ends are of different memory has a query for each run. Throws
  /// std::bad_alloc. Not collective.
  [[nodiscard]] static std::shared_ptr<DeviceMemory> find(const BufferSpan& span);

  /// False: it finds nothing, as the process has no driver.
  [[nodiscard]] static bool may_find();
  /// The same without a look, as of the last one: a driver may have been loaded since. A look takes a tenth
  /// of the time of a call that moves 1 KiB.
  [[nodiscard]] static bool may_find_so_far() noexcept { return any_driver_so_far(); }
  /// Copies one byte from the device, to find out whether copies work before the ranks begin. The error is in
  /// failure(). `at`: of its bytes.
  void try_copy(std::byte* at);
  /// Copies the pieces of `run`, relative to `base`, to consecutive bytes at `out`. Returns their end.
  std::byte* gather_run(std::byte* out, std::byte* base, const core::Run& run);
  /// The reverse. Bytes between the pieces stay as they are.
  const std::byte* scatter_run(std::byte* base, const core::Run& run, const std::byte* in);

  /// The first copy that failed.
  [[nodiscard]] const core::Error& failure() const noexcept { return failure_; }
  struct CopiedBytes {
    /// bytes
    std::int64_t from_device = 0, to_device = 0;
  };
  [[nodiscard]] const CopiedBytes& moved() const noexcept { return moved_; }

 private:
  struct Place {
    const DeviceDriver* driver = nullptr;
    DeviceHome home;
    bool operator==(const Place&) const = default;
  };
  using Drivers = std::array<const DeviceDriver*, driver_kinds>;

  [[nodiscard]] static std::optional<Place> place_of(const Drivers& drivers, const void* address);
  [[nodiscard]] std::optional<Place> place_of(const void* address) const {
    return place_ ? place_ : place_of(drivers_, address);
  }
  void copy(const Place& place, const DeviceCopy& what);
  [[nodiscard]] bool copied(const Place& place, const DeviceCopy& what);
  void fail(const DeviceCopy& what, const std::string& why);

  Drivers drivers_{};
  /// of all bytes; none: asked for each run
  std::optional<Place> place_;
  core::Error failure_;
  CopiedBytes moved_;
};

}  // namespace collio::access
