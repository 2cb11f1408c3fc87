// Stands in for libze_loader.so.1: nothing works before stand_in_begin(), as nothing does before zeInit.
#include "device.hpp"

using namespace collio::test;

namespace {

constexpr unsigned success = 0, uninitialized = 0x78000001, invalid_argument = 0x78000004,
                   device_lost = 0x70000001;
constexpr int type_host = 1, type_device = 2, type_shared = 3;
bool initialized = false;
char driver = 0, context = 0, own_device = 0, list = 0;

struct Properties {
  int type;
  void* next;
  int memory_type;
  std::uint64_t id, page_bytes;
};
struct Region {
  unsigned x, y, z, width, height, depth;
};
struct QueueDesc {
  int type;
  const void* next;
  unsigned ordinal, index, flags;
  int mode, priority;
};

}  // namespace

extern "C" {

void stand_in_begin() { initialized = true; }
std::intptr_t stand_in_current() { return 0; }
void* stand_in_allocate(std::size_t bytes, int kind) {
  return device().allocate(bytes, static_cast<Kind>(kind), 0)->seen;
}

unsigned zeDriverGet(unsigned* count, void** drivers) {
  if (!initialized) return uninitialized;
  if (*count > 0) drivers[0] = &driver;
  *count = 1;
  return success;
}
unsigned zeContextCreate(void* of, const void*, void** out) {
  *out = &context;
  return of == &driver ? success : invalid_argument;
}
unsigned zeMemGetAllocProperties(void* in, const void* address, Properties* properties, void** where) {
  if (in != &context || properties->type != 0x17) return invalid_argument;
  const Allocation* memory = device().query(address);
  properties->memory_type = !memory                         ? 0
                            : memory->kind == Kind::pinned  ? type_host
                            : memory->kind == Kind::managed ? type_shared
                                                            : type_device;
  if (memory) *where = &own_device;
  return success;
}
unsigned zeCommandListCreateImmediate(void* in, void* on, const QueueDesc* desc, void** out) {
  if (in != &context || on != &own_device || desc->type != 0xe || desc->mode != 1) return invalid_argument;
  *out = &list;
  return success;
}
unsigned zeCommandListAppendMemoryCopyRegion(void* on, void* to, const Region* region, unsigned to_pitch,
                                             unsigned, const void* from, const Region*, unsigned from_pitch,
                                             unsigned, void*, unsigned, void**) {
  if (on != &list || to_pitch < region->width || from_pitch < region->width) return invalid_argument;
  const bool to_device = device().find(to);
  if (device().next_copy_fails()) return device_lost;
  std::byte* at = device().reach(to_device ? to : from,
                                 reach_of(to_device ? to_pitch : from_pitch, region->width, region->height));
  if (!at) return invalid_argument;
  copy_rows({to_device ? at : static_cast<std::byte*>(to),
             to_device ? static_cast<const std::byte*>(from) : at, to_pitch, from_pitch, region->width,
             region->height});
  return success;
}
unsigned zeCommandListAppendMemoryCopy(void* on, void* to, const void* from, std::size_t bytes, void*,
                                       unsigned, void**) {
  const auto width = static_cast<unsigned>(bytes);
  const Region region{0, 0, 0, width, 1, 0};
  return zeCommandListAppendMemoryCopyRegion(on, to, &region, width, 0, from, &region, width, 0, nullptr, 0,
                                             nullptr);
}
}
