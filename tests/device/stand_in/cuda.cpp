// Stands in for libcuda.so.1: what collio asks of it, with CUDA's rules. A copy needs the current context of
// the memory's device, and bytes on their way to the device are there when its stream was waited for.
#include "device.hpp"

using namespace collio::test;

namespace {

constexpr int success = 0, invalid_value = 1, not_initialized = 3, invalid_context = 201,
              illegal_address = 700;
constexpr int own_device = 1;  // not the first

struct Context {
  int device;
};
Context contexts[2] = {{0}, {1}};  // primary ones: they are there while they are retained
int retained[2] = {0, 0};
bool initialized = false;
thread_local std::vector<Context*> stack;

/// Bytes that a copy to the device has taken.
struct Pending {
  std::byte* to;
  std::vector<std::byte> bytes;
};
std::mutex mutex;
std::vector<Pending> pending;

void complete_pending() {
  const std::scoped_lock lock(mutex);
  for (const Pending& one : pending) std::memcpy(one.to, one.bytes.data(), one.bytes.size());
  pending.clear();
}

int may_copy(const void* address) {
  if (stack.empty() || !stack.back()) return invalid_context;
  const Allocation* memory = device().find(address);
  if (!memory) return invalid_value;
  if (stack.back()->device != memory->device) return invalid_context;
  if (memory->kind == Kind::pool && retained[memory->device] == 0) return invalid_context;
  return device().next_copy_fails() ? illegal_address : success;
}

struct Side {
  std::size_t x, y;
  unsigned memory_type;
  void* host;
  std::uint64_t device;
  void* array;
  std::size_t pitch;
};
struct Copy2d {
  Side from, to;
  std::size_t width, height;
};

}  // namespace

extern "C" {

void stand_in_begin() {
  initialized = true;
  stack.push_back(&contexts[0]);
}
std::intptr_t stand_in_current() {
  return reinterpret_cast<std::intptr_t>(stack.empty() ? nullptr : stack.back()) +
         static_cast<std::intptr_t>(stack.size());
}
void* stand_in_allocate(std::size_t bytes, int kind) {
  return device().allocate(bytes, static_cast<Kind>(kind), own_device)->seen;
}

int cuPointerGetAttributes(unsigned count, int* which, void** values, std::uint64_t address) {
  if (!initialized) return not_initialized;
  const Allocation* memory = device().query(reinterpret_cast<void*>(address));
  for (unsigned i = 0; i < count; ++i) {
    const bool of_context = memory && memory->kind != Kind::pool;
    switch (which[i]) {
      case 1:
        *static_cast<void**>(values[i]) = of_context ? &contexts[memory->device] : nullptr;
        break;
      case 2:
        *static_cast<unsigned*>(values[i]) = !memory ? 0 : memory->kind == Kind::pinned ? 1 : 2;
        break;
      case 8:
        *static_cast<unsigned*>(values[i]) = memory && memory->kind == Kind::managed;
        break;
      case 9:
        *static_cast<int*>(values[i]) = memory ? memory->device : -2;
        break;
      default:
        return invalid_value;
    }
  }
  return success;
}
int cuCtxPushCurrent_v2(void* context) {
  if (!context) return invalid_context;
  stack.push_back(static_cast<Context*>(context));
  return success;
}
int cuCtxPopCurrent_v2(void** context) {
  if (stack.empty()) return invalid_context;
  *context = stack.back();
  stack.pop_back();
  return success;
}
int cuDevicePrimaryCtxRetain(void** context, int number) {
  const std::scoped_lock lock(mutex);
  ++retained[number];
  *context = &contexts[number];
  return success;
}
int cuDevicePrimaryCtxRelease_v2(int number) {
  const std::scoped_lock lock(mutex);
  --retained[number];
  return success;
}
int cuMemcpyDtoH_v2(void* to, std::uint64_t address, std::size_t bytes) {
  const auto* from = reinterpret_cast<void*>(address);
  if (const int code = may_copy(from); code != success) return code;
  complete_pending();
  const std::byte* at = device().reach(from, bytes);
  if (!at) return invalid_value;
  std::memcpy(to, at, bytes);
  return success;
}
int cuMemcpyHtoD_v2(std::uint64_t address, const void* from, std::size_t bytes) {
  auto* to = reinterpret_cast<void*>(address);
  if (const int code = may_copy(to); code != success) return code;
  std::byte* at = device().reach(to, bytes);
  if (!at) return invalid_value;
  const std::scoped_lock lock(mutex);
  pending.push_back({at, {static_cast<const std::byte*>(from), static_cast<const std::byte*>(from) + bytes}});
  return success;
}
int cuMemcpy2DUnaligned_v2(const Copy2d* c) {
  const bool to_device = c->to.memory_type == 2;
  const Side& there = to_device ? c->to : c->from;
  if (c->to.pitch < c->width || c->from.pitch < c->width) return invalid_value;
  if (const int code = may_copy(reinterpret_cast<void*>(there.device)); code != success) return code;
  complete_pending();
  std::byte* at =
      device().reach(reinterpret_cast<void*>(there.device), reach_of(there.pitch, c->width, c->height));
  if (!at) return invalid_value;
  copy_rows({to_device ? at : static_cast<std::byte*>(c->to.host),
             to_device ? static_cast<std::byte*>(c->from.host) : at, c->to.pitch, c->from.pitch, c->width,
             c->height});
  return success;
}
int cuStreamSynchronize(void*) {
  if (stack.empty()) return invalid_context;
  complete_pending();
  return success;
}
int cuGetErrorName(int code, const char** name) {
  *name = code == illegal_address   ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : code == invalid_context ? "CUDA_ERROR_INVALID_CONTEXT"
                                    : "CUDA_ERROR_INVALID_VALUE";
  return success;
}
}
