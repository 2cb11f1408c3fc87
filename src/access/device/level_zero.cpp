// Level Zero (libze_loader.so.1), the interface of Intel's driver.
//
// A query needs a context, and the program's cannot be asked for: a context of collio's for each driver
// serves. Intel's driver knows the memory of all contexts in each of them, which MPICH and UCX rely on, too.
// Nothing is initialized: until the program has called zeInit, there are no drivers. Copies go by a command
// list for each device, which returns when they are done.
#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "access/device/device_driver.hpp"

namespace collio::access {

namespace {

using Code = unsigned;
constexpr Code success = 0;
constexpr int type_context_desc = 0xd, type_command_queue_desc = 0xe,
              type_memory_allocation_properties = 0x17;
constexpr int memory_type_device = 2, mode_synchronous = 1;

struct ContextDesc {
  int type = type_context_desc;
  const void* next = nullptr;
  unsigned flags = 0;
};
struct QueueDesc {
  int type = type_command_queue_desc;
  const void* next = nullptr;
  unsigned ordinal = 0, index = 0, flags = 0;
  int mode = mode_synchronous, priority = 0;
};
struct AllocationProperties {
  int type = type_memory_allocation_properties;
  void* next = nullptr;
  int memory_type = 0;
  std::uint64_t id = 0, page_bytes = 0;
};
struct Region {
  unsigned x = 0, y = 0, z = 0, width = 0, height = 0, depth = 0;
};

struct Functions {
  Code (*driver_get)(unsigned*, void**);
  Code (*context_create)(void*, const ContextDesc*, void**);
  Code (*get_properties)(void*, const void*, AllocationProperties*, void**);
  Code (*create_list)(void*, void*, const QueueDesc*, void**);
  Code (*copy)(void*, void*, const void*, std::size_t, void*, unsigned, void**);
  Code (*copy_region)(void*, void*, const Region*, unsigned, unsigned, const void*, const Region*, unsigned,
                      unsigned, void*, unsigned, void**);
};

class LevelZero final : public DeviceDriver {
 public:
  explicit LevelZero(const Functions& functions) : functions_(functions) {}

  std::optional<DeviceHome> home_of(const void* address) const override {
    const std::scoped_lock lock(mutex_);
    if (contexts_.empty()) make_contexts();
    for (void* context : contexts_) {
      AllocationProperties properties;
      void* device = nullptr;
      if (functions_.get_properties(context, address, &properties, &device) != success) continue;
      if (properties.memory_type == memory_type_device)
        return DeviceHome{context, reinterpret_cast<std::intptr_t>(device)};
    }
    return {};
  }

  std::string copy(const DeviceHome& home, const DeviceCopy& what) const override {
    const std::scoped_lock lock(mutex_);  // a command list is for one thread at a time
    void*& list = lists_[{home.context, home.device}];
    Code code = success;
    if (!list) {
      const QueueDesc desc;
      code = functions_.create_list(home.context, reinterpret_cast<void*>(home.device), &desc, &list);
    }
    if (code == success) code = what.count == 1 ? copy_one(list, what) : copy_many(list, what);
    if (code == success) return {};
    char text[40];
    std::snprintf(text, sizeof text, "Level Zero's result 0x%x", code);
    return text;
  }

 private:
  static constexpr unsigned most_drivers = 8;

  void make_contexts() const {
    unsigned count = most_drivers;
    void* drivers[most_drivers] = {};
    if (functions_.driver_get(&count, drivers) != success) return;
    for (unsigned i = 0; i < std::min(count, most_drivers); ++i) {
      const ContextDesc desc;
      void* context = nullptr;
      if (functions_.context_create(drivers[i], &desc, &context) == success) contexts_.push_back(context);
    }
  }

  [[nodiscard]] Code copy_one(void* list, const DeviceCopy& what) const {
    const bool from_device = what.way == CopyWay::from_device;
    return functions_.copy(list, from_device ? what.host : what.device, from_device ? what.device : what.host,
                           static_cast<std::size_t>(what.length), nullptr, 0, nullptr);
  }

  [[nodiscard]] Code copy_many(void* list, const DeviceCopy& what) const {
    const auto length = static_cast<unsigned>(what.length), stride = static_cast<unsigned>(what.stride);
    const Region region{0, 0, 0, length, static_cast<unsigned>(what.count), 0};
    return what.way == CopyWay::from_device
               ? functions_.copy_region(list, what.host, &region, length, 0, what.device, &region, stride, 0,
                                        nullptr, 0, nullptr)
               : functions_.copy_region(list, what.device, &region, stride, 0, what.host, &region, length, 0,
                                        nullptr, 0, nullptr);
  }

  Functions functions_;
  mutable std::mutex mutex_;
  /// of each driver one, kept until the process ends
  mutable std::vector<void*> contexts_;
  mutable std::map<std::pair<void*, std::intptr_t>, void*> lists_;
};

}  // namespace

std::unique_ptr<DeviceDriver> level_zero_driver(void* library) {
  DriverFunctions in(library);
  Functions f{};
  in.find(f.driver_get, "zeDriverGet");
  in.find(f.context_create, "zeContextCreate");
  in.find(f.get_properties, "zeMemGetAllocProperties");
  in.find(f.create_list, "zeCommandListCreateImmediate");
  in.find(f.copy, "zeCommandListAppendMemoryCopy");
  in.find(f.copy_region, "zeCommandListAppendMemoryCopyRegion");
  return in.all() ? std::make_unique<LevelZero>(f) : nullptr;
}

}  // namespace collio::access
