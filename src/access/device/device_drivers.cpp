// See device_driver.hpp.
#include <link.h>

#include <atomic>
#include <mutex>
#include <string_view>

#include "access/device/device_driver.hpp"

namespace collio::access {

namespace {

/// How the library's file name begins; Python's packages bring libraries under names of their own, as
/// libamdhip64-4f2a.so.
struct Kind {
  std::string_view file;
  std::unique_ptr<DeviceDriver> (*make)(void* library);
};
constexpr std::array<Kind, driver_kinds> kinds{
    {{"libcuda.so", cuda_driver}, {"libamdhip64", hip_driver}, {"libze_loader.so", level_zero_driver}}};

struct Known {
  std::mutex mutex;
  /// when drivers were looked for last
  std::atomic<unsigned long long> loads{0};
  std::array<std::atomic<const DeviceDriver*>, driver_kinds> drivers{};
};

std::atomic<bool> any_found{false};

Known& known() {
  static auto* k = new Known;  // never destroyed: calls may come until the process ends
  return *k;
}

/// Objects that the process has loaded so far, those it unloaded again included.
unsigned long long loads_so_far() noexcept {
  unsigned long long loads = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        *static_cast<unsigned long long*>(out) = info->dlpi_adds;
        return 1;
      },
      &loads);
  return loads;
}

using Paths = std::array<std::string, driver_kinds>;

Paths paths_of_drivers() {
  Paths paths;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        const std::string_view path = info->dlpi_name ? info->dlpi_name : "";
        const std::string_view file = path.substr(path.rfind('/') + 1);
        for (std::size_t i = 0; i < driver_kinds; ++i)
          if (std::string& found = (*static_cast<Paths*>(out))[i];
              found.empty() && file.starts_with(kinds[i].file))
            found = path;
        return 0;
      },
      &paths);
  return paths;
}

void look_for_drivers(Known& k) {
  const Paths paths = paths_of_drivers();
  for (std::size_t i = 0; i < driver_kinds; ++i) {
    if (k.drivers[i] || paths[i].empty()) continue;
    void* library = dlopen(paths[i].c_str(), RTLD_LAZY | RTLD_NOLOAD);  // held from now on
    if (library) k.drivers[i] = kinds[i].make(library).release();
    if (k.drivers[i]) any_found = true;
  }
}

}  // namespace

std::array<const DeviceDriver*, driver_kinds> device_drivers() {
  Known& k = known();
  const unsigned long long loads = loads_so_far();
  if (loads != k.loads) {
    const std::scoped_lock lock(k.mutex);
    look_for_drivers(k);
    k.loads = loads;
  }
  std::array<const DeviceDriver*, driver_kinds> drivers{};
  for (std::size_t i = 0; i < driver_kinds; ++i) drivers[i] = k.drivers[i];
  return drivers;
}

bool any_driver_so_far() noexcept { return any_found.load(std::memory_order_relaxed); }

}  // namespace collio::access
