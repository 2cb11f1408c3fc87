// See device_memory.hpp.
#include "access/device/device_memory.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "core/copy.hpp"

namespace collio::access {

namespace {

constexpr std::int64_t longest_stride =
    std::numeric_limits<std::int32_t>::max();  // of a copy in two dimensions, for any driver

/// Made when there is memory; copied without any.
const core::Error without_memory{core::ErrorClass::no_memory, "no memory"};

}  // namespace

std::optional<DeviceMemory::Place> DeviceMemory::place_of(const Drivers& drivers, const void* address) {
  for (const DeviceDriver* driver : drivers) {
    if (!driver) continue;
    if (const auto home = driver->home_of(address)) return Place{driver, *home};
  }
  return {};
}

namespace {

bool any_of(const std::array<const DeviceDriver*, driver_kinds>& drivers) noexcept {
  return std::ranges::any_of(drivers, [](const DeviceDriver* driver) { return driver != nullptr; });
}

}  // namespace

bool DeviceMemory::may_find() { return any_of(device_drivers()); }

std::shared_ptr<DeviceMemory> DeviceMemory::find(const BufferSpan& span) {
  const Drivers drivers = device_drivers();
  if (!any_of(drivers)) return nullptr;
  const bool anywhere = !span.address && !span.contiguous;
  const auto first = place_of(drivers, span.address + span.low);
  const auto last = span.contiguous ? first : place_of(drivers, span.address + span.high - 1);
  if (!anywhere && !first && !last) return nullptr;
  auto memory = std::make_shared<DeviceMemory>();
  memory->drivers_ = drivers;
  if (!anywhere && first == last) memory->place_ = first;
  return memory;
}

void DeviceMemory::try_copy(std::byte* at) {
  const auto place = place_of(at);
  std::byte byte{};
  if (place) static_cast<void>(copied(*place, {CopyWay::from_device, at, &byte, 1, 1, 1}));
}

std::byte* DeviceMemory::gather_run(std::byte* out, std::byte* base, const core::Run& run) {
  if (!place_ && run.count > 1) {  // its pieces may be in several allocations
    for (std::int64_t i = 0; i < run.count; ++i)
      out = gather_run(out, base, {run.offset + i * run.stride, run.length, 0, 1});
    return out;
  }
  const auto place = place_of(base + run.offset);
  if (!place) return core::gather_run(out, base, run);
  copy(*place, {CopyWay::from_device, base + run.offset, out, run.length, run.stride, run.count});
  return out + run.bytes();
}

const std::byte* DeviceMemory::scatter_run(std::byte* base, const core::Run& run, const std::byte* in) {
  if (!place_ && run.count > 1) {
    for (std::int64_t i = 0; i < run.count; ++i)
      in = scatter_run(base, {run.offset + i * run.stride, run.length, 0, 1}, in);
    return in;
  }
  const auto place = place_of(base + run.offset);
  if (!place) return core::scatter_run(base, run, in);
  copy(*place, {CopyWay::to_device, base + run.offset, const_cast<std::byte*>(in), run.length, run.stride,
                run.count});
  return in + run.bytes();
}

void DeviceMemory::copy(const Place& place, const DeviceCopy& what) {
  if (what.count > 1 && (what.stride < what.length || what.stride > longest_stride)) {
    DeviceCopy one = what;
    one.count = 1;
    for (std::int64_t i = 0; i < what.count; ++i, one.device += what.stride, one.host += what.length)
      copy(place, one);
    return;
  }
  if (failure_.ok() && copied(place, what)) {
    (what.way == CopyWay::from_device ? moved_.from_device : moved_.to_device) += what.bytes();
    return;
  }
  if (what.way == CopyWay::from_device) std::memset(what.host, 0, static_cast<std::size_t>(what.bytes()));
}

bool DeviceMemory::copied(const Place& place, const DeviceCopy& what) {
  try {
    const std::string why = place.driver->copy(place.home, what);
    if (!why.empty()) fail(what, why);
  } catch (const std::bad_alloc&) {
    failure_ = without_memory;
  }
  return failure_.ok();
}

void DeviceMemory::fail(const DeviceCopy& what, const std::string& why) {
  const char* way = what.way == CopyWay::from_device ? " from" : " to";
  failure_ = {core::ErrorClass::io,
              "cannot copy " + std::to_string(what.bytes()) + " bytes" + way + " device memory: " + why};
}

}  // namespace collio::access
