// Stands in for libamdhip64.so.6, and with STAND_IN_HIP_5 for version 5. It wants the memory's device to be
// the current one, which is stricter than HIP, and keeps the last error as HIP does.
#include "device.hpp"

using namespace collio::test;

namespace {

#ifdef STAND_IN_HIP_5
constexpr int version = 50730000, type_host = 0, type_device = 1, type_managed = 1;
#else
constexpr int version = 60200000, type_host = 1, type_device = 2, type_managed = 3;
#endif
constexpr int success = 0, invalid_value = 1, invalid_device = 101, illegal_address = 700;
constexpr int own_device = 1;
thread_local int current = 0, last_error = success;

int told(int code) {
  if (code != success) last_error = code;
  return code;
}

struct Attributes {
  int type, device;
  void *device_pointer, *host_pointer;
  int is_managed;
  unsigned flags;
};

/// `device_side`: of the two addresses.
int may_copy(const void* device_side) {
  const Allocation* memory = device().find(device_side);
  if (!memory) return invalid_value;
  if (memory->device != current) return invalid_device;
  return device().next_copy_fails() ? illegal_address : success;
}

}  // namespace

extern "C" {

void stand_in_begin() {}
std::intptr_t stand_in_current() { return current + 1000 * last_error; }
void* stand_in_allocate(std::size_t bytes, int kind) {
  return device().allocate(bytes, static_cast<Kind>(kind), own_device)->seen;
}

int hipPointerGetAttributes(Attributes* a, const void* address) {
  const Allocation* memory = device().query(address);
  if (!memory) return told(invalid_value);
  const int type = memory->kind == Kind::pinned    ? type_host
                   : memory->kind == Kind::managed ? type_managed
                                                   : type_device;
  *a = {type, memory->device, memory->seen, nullptr, memory->kind == Kind::managed, 0};
  return told(success);
}
int hipRuntimeGetVersion(int* v) {
  *v = version;
  return success;
}
int hipGetDevice(int* number) {
  *number = current;
  return success;
}
int hipSetDevice(int number) {
  current = number;
  return success;
}
int hipMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                std::size_t height, int kind) {
  const bool to_device = kind == 1;
  if (to_pitch < width || from_pitch < width) return told(invalid_value);
  if (const int code = may_copy(to_device ? to : from); code != success) return told(code);
  std::byte* at =
      device().reach(to_device ? to : from, reach_of(to_device ? to_pitch : from_pitch, width, height));
  if (!at) return told(invalid_value);
  copy_rows({to_device ? at : static_cast<std::byte*>(to),
             to_device ? static_cast<const std::byte*>(from) : at, to_pitch, from_pitch, width, height});
  return success;
}
int hipMemcpy(void* to, const void* from, std::size_t bytes, int kind) {
  return hipMemcpy2D(to, bytes, from, bytes, bytes, 1, kind);
}
int hipStreamSynchronize(void*) { return success; }
int hipGetLastError() {
  const int code = last_error;
  last_error = success;
  return code;
}
const char* hipGetErrorName(int code) {
  return code == illegal_address ? "hipErrorIllegalAddress" : "hipErrorInvalidValue";
}
}
