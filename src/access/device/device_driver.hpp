// Memory of devices, which the CPU must not touch, through the functions of the device's own driver.
//
// A driver is used only where the program has loaded its library: nothing is linked, and nothing is loaded. A
// library that comes later is found by the dynamic linker's count of loaded objects, the only thing that is
// looked at while there is no driver.
#pragma once

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace collio::access {

/// Where an allocation lies, in its driver's terms.
struct DeviceHome {
  void* context = nullptr;
  /// a number or a handle
  std::intptr_t device = 0;

  bool operator==(const DeviceHome&) const = default;
};

enum class CopyWay { from_device, to_device };

/// Pieces of `length` bytes: `stride` bytes apart in device memory, one behind the other in host memory. One
/// piece, or length <= stride.
struct DeviceCopy {
  CopyWay way = CopyWay::from_device;
  std::byte* device = nullptr;
  std::byte* host = nullptr;
  std::int64_t length = 0, stride = 0, count = 1;

  [[nodiscard]] std::int64_t bytes() const noexcept { return length * count; }
};

/// Thread-safe. What a thread has as its current context or device is the same after a call.
class DeviceDriver {
 public:
  DeviceDriver() = default;
  virtual ~DeviceDriver() = default;
  DeviceDriver(const DeviceDriver&) = delete;
  DeviceDriver& operator=(const DeviceDriver&) = delete;

  /// Nothing for memory that the CPU can touch: the program's own, pinned, managed, shared. Not collective.
  /// One query.
  [[nodiscard]] virtual std::optional<DeviceHome> home_of(const void* address) const = 0;
  /// Returns when the bytes are there, behind what the device's default queue has to do. What the driver says
  /// if they are not; else empty.
  [[nodiscard]] virtual std::string copy(const DeviceHome& home, const DeviceCopy& what) const = 0;
};

/// A driver's functions in its library.
class DriverFunctions {
 public:
  explicit DriverFunctions(void* library) : library_(library) {}
  template <class Function>
  void find(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(library_, name));
    all_ = all_ && function;
  }
  /// Every function so far is there.
  [[nodiscard]] bool all() const noexcept { return all_; }

 private:
  void* library_;
  bool all_ = true;
};

/// Null where the library lacks a function.
[[nodiscard]] std::unique_ptr<DeviceDriver> cuda_driver(void* library);
[[nodiscard]] std::unique_ptr<DeviceDriver> hip_driver(void* library);
[[nodiscard]] std::unique_ptr<DeviceDriver> level_zero_driver(void* library);

inline constexpr std::size_t driver_kinds = 3;
/// Null: not in the process. Thread-safe, not collective. O(1), except the first call after an object was
/// loaded.
[[nodiscard]] std::array<const DeviceDriver*, driver_kinds> device_drivers();
/// Whether there was one when device_drivers() was called last. One look at a number.
[[nodiscard]] bool any_driver_so_far() noexcept;

}  // namespace collio::access
