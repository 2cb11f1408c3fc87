// See declare.hpp.
#include "capi/declare.hpp"

#include <algorithm>

#include "capi/error.hpp"
#include "capi/file.hpp"

namespace collio::capi {

namespace {

using access::Decomposition;
using core::Error;
using core::ErrorClass;

constexpr std::int64_t most_element_bytes = 1 << 20;
constexpr int most_layout_dims = 32;

core::Error null_pointer(const std::string& what) { return {ErrorClass::argument, what + " is null"}; }

/// `dims` numbers; empty where there can be none, which the decomposition refuses.
Decomposition::Numbers numbers(const int64_t* from, int64_t count) {
  return {from, count > 0 && from ? static_cast<std::size_t>(count) : 0};
}

Error keep(Decomposition::Made made, collio_decomposition** decomposition) {
  if (!made) return made.error();
  if (!decomposition) return null_pointer("the place for the decomposition");
  *decomposition = new collio_decomposition{std::move(made.value())};
  return {};
}

Error check_dims(int dims) {
  const int most = static_cast<int>(Decomposition::most_dims);
  return dims >= 1 && dims <= most ? Error{} : not_allowed("dims", dims, "1 to " + std::to_string(most));
}

/// Bytes of the array in one record.
std::int64_t array_bytes(const collio_variable& v) { return v.elements->array_elements() * v.element_bytes; }

Error check(const collio_variable& v) {
  if (v.element_bytes < 1 || v.element_bytes > most_element_bytes)
    return not_allowed("element_bytes", v.element_bytes, "1 to " + std::to_string(most_element_bytes));
  if (v.offset < 0) return not_allowed("offset", v.offset, "0 and more");
  if (v.record_bytes != 0 && v.record_bytes < array_bytes(v))
    return not_allowed(
        "record_bytes", v.record_bytes,
        "0 for no records, or " + std::to_string(array_bytes(v)) + " and more, the array's bytes");
  return {};
}

core::Result<access::BlockLayout> layout_of(const collio_layout* layout) {
  if (!layout || layout->dims == 0) return access::BlockLayout{};
  if (layout->dims < 0 || layout->dims > most_layout_dims)
    return not_allowed("layout dims", layout->dims, "0 to " + std::to_string(most_layout_dims));
  if (!layout->counts || !layout->strides) return null_pointer("counts or strides of the layout");
  return access::BlockLayout{{layout->counts, layout->counts + layout->dims},
                             {layout->strides, layout->strides + layout->dims}};
}

/// A variable's record and where it is in memory, for the next commit or fetch.
core::Result<engine::Put> put_of(const collio_variable& v, int64_t record, const void* data,
                                 const collio_layout* layout) {
  const auto offset = offset_of(v, record);
  if (!offset) return offset.error();
  const auto block = layout_of(layout);
  if (!block) return block.error();
  const auto map = v.elements->bytes(v.element_bytes, block.value());
  if (!map) return map.error();
  if (!data && map.value()->bytes() > 0) return null_pointer("the data");
  return engine::Put{map.value(), offset.value(),
                     static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(data))};
}

/// For the next commit or fetch: the thread's last error.
void keep(Error& kept, int code) try {
  core::keep_worst(kept, {static_cast<ErrorClass>(code), error_text()});
} catch (const std::bad_alloc&) {
  kept = {ErrorClass::no_memory, "no memory"};
}

int add(collio_variable* variable, policy::Direction direction, int64_t record, const void* data,
        const collio_layout* layout) {
  if (!variable) return told(null_pointer("the variable"));
  collio_file& file = *variable->file;
  const bool write = direction == policy::Direction::write;
  collio_file::Pending& pending = write ? file.writes : file.reads;
  const int code = guarded([&]() -> Error {
    Error error = check_mode(file, direction);
    if (write && error.ok()) error = check_next(*variable, record);
    if (!error.ok()) return error;
    auto put = put_of(*variable, record, data, layout);
    if (!put) return put.error();
    if (write && !put.value().map->echoes.empty())
      return {ErrorClass::argument,
              "the decomposition has elements twice: such arrays can be read, not written"};
    pending.puts.add(std::move(put.value()));
    if (write) count_put(*variable, record);
    return {};
  });
  if (code != COLLIO_OK) keep(pending.error, code);
  return code;
}

}  // namespace

core::Result<std::int64_t> offset_of(const collio_variable& v, std::int64_t record) {
  if (record < 0) return not_allowed("record", record, "0 and more");
  if (record > 0 && v.record_bytes == 0)
    return not_allowed("record", record, "0, as the variable has no records");
  std::int64_t offset = 0, end = 0;
  if (__builtin_mul_overflow(record, v.record_bytes, &offset) ||
      __builtin_add_overflow(offset, v.offset, &offset) ||
      __builtin_add_overflow(offset, array_bytes(v), &end))
    return not_allowed("record", record, "those that end before byte 2^63 of the file");
  return offset;
}

int make_box(int dims, const int64_t* shape, const int64_t* start, const int64_t* count,
             collio_decomposition** decomposition) {
  return guarded([&]() -> Error {
    if (Error error = check_dims(dims); !error.ok()) return error;
    if (!shape || !start || !count) return null_pointer("shape, start or count");
    return keep(Decomposition::box(numbers(shape, dims), numbers(start, dims), numbers(count, dims)),
                decomposition);
  });
}

int make_map(int dims, const int64_t* shape, int64_t elements, const int64_t* map,
             collio_decomposition** decomposition) {
  return guarded([&]() -> Error {
    if (Error error = check_dims(dims); !error.ok()) return error;
    if (elements < 0) return not_allowed("elements", elements, "0 and more");
    if (!shape || (!map && elements > 0)) return null_pointer("shape or map");
    return keep(Decomposition::map(numbers(shape, dims), numbers(map, elements)), decomposition);
  });
}

int free_decomposition(collio_decomposition** decomposition) {
  if (!decomposition) return told(null_pointer("the decomposition"));
  delete *decomposition;
  *decomposition = nullptr;
  return COLLIO_OK;
}

int inquire(const collio_decomposition* decomposition, int* dims, int64_t* shape, int64_t* elements) {
  return guarded([&]() -> Error {
    if (!decomposition) return null_pointer("the decomposition");
    const std::vector<std::int64_t>& lengths = decomposition->elements->shape();
    if (dims) *dims = static_cast<int>(lengths.size());
    if (shape) std::copy(lengths.begin(), lengths.end(), shape);
    if (elements) *elements = decomposition->elements->elements();
    return {};
  });
}

int indices(const collio_decomposition* decomposition, int64_t* map) {
  return guarded([&]() -> Error {
    if (!decomposition) return null_pointer("the decomposition");
    const std::vector<std::int64_t> found = decomposition->elements->indices();
    if (!map && !found.empty()) return null_pointer("the place for the map");
    std::copy(found.begin(), found.end(), map);
    return {};
  });
}

int define(collio_file* file, const VariableRequest& request, collio_variable** variable) {
  return guarded_on(file, [&]() -> Error {
    if (!request.decomposition || !variable)
      return null_pointer("the decomposition, or the place for the variable");
    auto made = std::make_unique<collio_variable>(collio_variable{
        file, request.decomposition->elements, request.element_bytes, request.offset, request.record_bytes});
    if (Error error = check(*made); !error.ok()) return error;
    file->variables.push_back(std::move(made));
    *variable = file->variables.back().get();
    return {};
  });
}

int undefine(collio_variable** variable) {
  return guarded_on(variable ? *variable : nullptr, [&]() -> Error {
    leave_out(**variable);
    std::erase_if((*variable)->file->variables, [&](const auto& one) { return one.get() == *variable; });
    *variable = nullptr;
    return {};
  });
}

int put(collio_variable* variable, int64_t record, const void* data, const collio_layout* layout) {
  return add(variable, policy::Direction::write, record, data, layout);
}

int get(collio_variable* variable, int64_t record, void* data, const collio_layout* layout) {
  return add(variable, policy::Direction::read, record, data, layout);
}

int cancel(collio_file* file) {
  return guarded_on(file, [&]() -> Error {
    file->writes.forget();
    file->reads.forget();
    give_up(*file);
    return {};
  });
}

}  // namespace collio::capi
