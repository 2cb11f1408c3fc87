// CUDA's driver (libcuda.so.1).
//
// A copy needs a current context of the memory's device. A thread of collio's has none, and the program's
// thread may have another device's: the memory's own context is pushed for the copy. Memory of a pool or of
// the virtual memory functions belongs to no context; its device's primary one serves (UCX does the same).
// Copies go by the legacy default stream, as those of MPI libraries do: behind what the program has put into
// its streams, except non-blocking ones. The driver may return from a copy to the device before its end, so
// the stream is waited for.
#include "access/device/device_driver.hpp"

namespace collio::access {

namespace {

using DevicePointer = unsigned long long;
constexpr int success = 0;
constexpr unsigned memory_type_host = 1, memory_type_device = 2;
constexpr int attribute_context = 1, attribute_memory_type = 2, attribute_is_managed = 8,
              attribute_device_ordinal = 9;

/// CUDA_MEMCPY2D of version 2.
struct Side {
  std::size_t x = 0, y = 0;
  unsigned memory_type = 0;
  void* host = nullptr;
  DevicePointer device = 0;
  void* array = nullptr;
  std::size_t pitch = 0;
};
struct Copy2d {
  Side source, destination;
  std::size_t width = 0, height = 0;
};
static_assert(sizeof(Copy2d) == 128);

struct Functions {
  int (*pointer_get_attributes)(unsigned, int*, void**, DevicePointer);
  int (*push)(void*);
  int (*pop)(void**);
  int (*retain_primary)(void**, int);
  int (*release_primary)(int);
  int (*copy_to_host)(void*, DevicePointer, std::size_t);
  int (*copy_to_device)(DevicePointer, const void*, std::size_t);
  int (*copy_2d)(const Copy2d*);
  int (*synchronize)(void*);
  int (*error_name)(int, const char**);
};

/// The memory's context is the thread's, from construction to destruction.
class Current {
 public:
  Current(const Functions& functions, const DeviceHome& home)
      : functions_(functions), device_(static_cast<int>(home.device)) {
    void* context = home.context;
    if (!context) {
      code_ = functions_.retain_primary(&context, device_);
      retained_ = code_ == success;
    }
    if (code_ == success) code_ = functions_.push(context);
    pushed_ = code_ == success;
  }
  ~Current() {
    void* context = nullptr;
    if (pushed_) functions_.pop(&context);
    if (retained_) functions_.release_primary(device_);
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  const Functions& functions_;
  int device_, code_ = success;
  bool retained_ = false, pushed_ = false;
};

class Cuda final : public DeviceDriver {
 public:
  explicit Cuda(const Functions& functions) : functions_(functions) {}

  std::optional<DeviceHome> home_of(const void* address) const override {
    unsigned type = 0, managed = 0;
    int device = -1;
    void* context = nullptr;
    int which[] = {attribute_memory_type, attribute_is_managed, attribute_context, attribute_device_ordinal};
    void* values[] = {&type, &managed, &context, &device};
    // Of a pointer that is none of CUDA's this form tells zeros, without an error. An error: CUDA is not
    // initialized.
    if (functions_.pointer_get_attributes(4, which, values, pointer(address)) != success) return {};
    if (type != memory_type_device || managed != 0) return {};
    return DeviceHome{context, device};
  }

  std::string copy(const DeviceHome& home, const DeviceCopy& what) const override {
    const Current current(functions_, home);
    int code = current.code();
    if (code == success) code = what.count == 1 ? copy_one(what) : copy_many(what);
    if (code == success && what.way == CopyWay::to_device) code = functions_.synchronize(nullptr);
    if (code == success) return {};
    const char* name = nullptr;
    return functions_.error_name(code, &name) == success && name ? name
                                                                 : "CUDA's error " + std::to_string(code);
  }

 private:
  static DevicePointer pointer(const void* address) noexcept {
    return reinterpret_cast<DevicePointer>(address);
  }

  [[nodiscard]] int copy_one(const DeviceCopy& what) const {
    const auto bytes = static_cast<std::size_t>(what.length);
    return what.way == CopyWay::from_device
               ? functions_.copy_to_host(what.host, pointer(what.device), bytes)
               : functions_.copy_to_device(pointer(what.device), what.host, bytes);
  }

  [[nodiscard]] int copy_many(const DeviceCopy& what) const {
    Side device, host;
    device.memory_type = memory_type_device;
    device.device = pointer(what.device);
    device.pitch = static_cast<std::size_t>(what.stride);
    host.memory_type = memory_type_host;
    host.host = what.host;
    host.pitch = static_cast<std::size_t>(what.length);
    const bool from_device = what.way == CopyWay::from_device;
    const Copy2d copy{from_device ? device : host, from_device ? host : device,
                      static_cast<std::size_t>(what.length), static_cast<std::size_t>(what.count)};
    return functions_.copy_2d(&copy);
  }

  Functions functions_;
};

}  // namespace

std::unique_ptr<DeviceDriver> cuda_driver(void* library) {
  DriverFunctions in(library);
  Functions f{};
  in.find(f.pointer_get_attributes, "cuPointerGetAttributes");
  in.find(f.push, "cuCtxPushCurrent_v2");
  in.find(f.pop, "cuCtxPopCurrent_v2");
  in.find(f.retain_primary, "cuDevicePrimaryCtxRetain");
  in.find(f.release_primary, "cuDevicePrimaryCtxRelease_v2");
  in.find(f.copy_to_host, "cuMemcpyDtoH_v2");
  in.find(f.copy_to_device, "cuMemcpyHtoD_v2");
  in.find(f.copy_2d, "cuMemcpy2DUnaligned_v2");
  in.find(f.synchronize, "cuStreamSynchronize");
  in.find(f.error_name, "cuGetErrorName");
  return in.all() ? std::make_unique<Cuda>(f) : nullptr;
}

}  // namespace collio::access
