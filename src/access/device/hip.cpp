// HIP (libamdhip64.so), AMD's runtime, which is its driver's interface at the same time.
//
// The numbers of memory types changed with version 6. A function that fails leaves its error for
// hipGetLastError(), where the program would take it for its own: it is fetched.
#include "access/device/device_driver.hpp"

namespace collio::access {

namespace {

constexpr int success = 0;
constexpr int host_to_device = 1, device_to_host = 2;
constexpr int version_6 = 60000000;

/// hipPointerAttribute_t.
struct Attributes {
  int type = 0, device = 0;
  void* device_pointer = nullptr;
  void* host_pointer = nullptr;
  int is_managed = 0;
  unsigned flags = 0;
};

struct Functions {
  int (*pointer_get_attributes)(Attributes*, const void*);
  int (*runtime_get_version)(int*);
  int (*get_device)(int*);
  int (*set_device)(int);
  int (*copy)(void*, const void*, std::size_t, int);
  int (*copy_2d)(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, int);
  int (*synchronize)(void*);
  int (*get_last_error)();
  const char* (*error_name)(int);
};

/// The memory's device is the thread's, from construction to destruction.
class Current {
 public:
  Current(const Functions& functions, int device) : functions_(functions) {
    code_ = functions_.get_device(&before_);
    if (code_ == success && before_ != device) code_ = functions_.set_device(device);
    changed_ = code_ == success && before_ != device;
  }
  ~Current() {
    if (changed_) functions_.set_device(before_);
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  const Functions& functions_;
  int before_ = 0, code_ = success;
  bool changed_ = false;
};

class Hip final : public DeviceDriver {
 public:
  explicit Hip(const Functions& functions) : functions_(functions) {
    int version = 0;
    const bool known = functions_.runtime_get_version(&version) == success;
    type_of_device_ = known && version < version_6 ? 1 : 2;
  }

  std::optional<DeviceHome> home_of(const void* address) const override {
    Attributes a;
    if (functions_.pointer_get_attributes(&a, address) != success) {
      functions_.get_last_error();
      return {};
    }
    if (a.type != type_of_device_ || a.is_managed) return {};
    return DeviceHome{nullptr, a.device};
  }

  std::string copy(const DeviceHome& home, const DeviceCopy& what) const override {
    const Current current(functions_, static_cast<int>(home.device));
    int code = current.code();
    if (code == success) code = what.count == 1 ? copy_one(what) : copy_many(what);
    if (code == success && what.way == CopyWay::to_device) code = functions_.synchronize(nullptr);
    if (code == success) return {};
    functions_.get_last_error();
    const char* name = functions_.error_name(code);
    return name ? name : "HIP's error " + std::to_string(code);
  }

 private:
  [[nodiscard]] int copy_one(const DeviceCopy& what) const {
    const auto bytes = static_cast<std::size_t>(what.length);
    return what.way == CopyWay::from_device ? functions_.copy(what.host, what.device, bytes, device_to_host)
                                            : functions_.copy(what.device, what.host, bytes, host_to_device);
  }

  [[nodiscard]] int copy_many(const DeviceCopy& what) const {
    const auto length = static_cast<std::size_t>(what.length), stride = static_cast<std::size_t>(what.stride),
               count = static_cast<std::size_t>(what.count);
    return what.way == CopyWay::from_device
               ? functions_.copy_2d(what.host, length, what.device, stride, length, count, device_to_host)
               : functions_.copy_2d(what.device, stride, what.host, length, length, count, host_to_device);
  }

  Functions functions_;
  int type_of_device_ = 2;
};

}  // namespace

std::unique_ptr<DeviceDriver> hip_driver(void* library) {
  DriverFunctions in(library);
  Functions f{};
  in.find(f.pointer_get_attributes, "hipPointerGetAttributes");
  in.find(f.runtime_get_version, "hipRuntimeGetVersion");
  in.find(f.get_device, "hipGetDevice");
  in.find(f.set_device, "hipSetDevice");
  in.find(f.copy, "hipMemcpy");
  in.find(f.copy_2d, "hipMemcpy2D");
  in.find(f.synchronize, "hipStreamSynchronize");
  in.find(f.get_last_error, "hipGetLastError");
  in.find(f.error_name, "hipGetErrorName");
  return in.all() ? std::make_unique<Hip>(f) : nullptr;
}

}  // namespace collio::access
