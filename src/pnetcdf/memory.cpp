// See memory.hpp.
#include "pnetcdf/memory.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "access/type_contents.hpp"
#include "core/reversed.hpp"
#include "netcdf/convert.hpp"

namespace collio::pnetcdf {

namespace {

/// The nc_type of a number of MPI's; none: PnetCDF takes it for none, or for one of its own choice.
int type_of_number(MPI_Datatype type) {
  struct Number {
    MPI_Datatype mpi;
    int type;
  };
  const Number numbers[] = {{MPI_CHAR, netcdf::text},
                            {MPI_SIGNED_CHAR, netcdf::byte},
                            {MPI_UNSIGNED_CHAR, netcdf::uint8},
                            {MPI_SHORT, netcdf::int16},
                            {MPI_UNSIGNED_SHORT, netcdf::uint16},
                            {MPI_INT, netcdf::int32},
                            {MPI_UNSIGNED, netcdf::uint32},
                            {MPI_LONG, netcdf::int64},
                            {MPI_LONG_LONG_INT, netcdf::int64},
                            {MPI_UNSIGNED_LONG_LONG, netcdf::uint64},
                            {MPI_FLOAT, netcdf::float32},
                            {MPI_DOUBLE, netcdf::float64},
                            {MPI_CHARACTER, netcdf::text},
                            {MPI_INTEGER, netcdf::int32},
                            {MPI_REAL, netcdf::float32},
                            {MPI_DOUBLE_PRECISION, netcdf::float64},
                            {MPI_INTEGER1, netcdf::byte},
                            {MPI_INTEGER2, netcdf::int16},
                            {MPI_INTEGER4, netcdf::int32},
                            {MPI_INTEGER8, netcdf::int64},
                            {MPI_REAL4, netcdf::float32},
                            {MPI_REAL8, netcdf::float64}};
  const auto* number = std::ranges::find(numbers, type, &Number::mpi);
  int bytes = 0;
  if (number == std::end(numbers) || MPI_Type_size(type, &bytes) != MPI_SUCCESS) return netcdf::none;
  return bytes == netcdf::type_bytes(number->type) ? number->type : netcdf::none;
}

/// The nc_type of all numbers in a datatype; none: there are several, or others.
int type_of_elements(MPI_Datatype type) {
  const auto contents = access::TypeContents::of(type);
  if (!contents) return netcdf::none;
  if (contents.value().types().empty()) return type_of_number(type);
  int found = netcdf::none;
  for (const MPI_Datatype inner : contents.value().types()) {
    const int one = type_of_elements(inner);
    if (one == netcdf::none || (found != netcdf::none && one != found)) return netcdf::none;
    found = one;
  }
  return found;
}

/// A map is the order of the file where each dimension follows the next.
bool is_canonical(const std::vector<std::int64_t>& counts, const MPI_Offset* map) {
  std::int64_t step = 1;
  for (std::size_t d = counts.size(); d-- > 0; step *= counts[d])
    if (map[d] != step) return false;
  return true;
}

std::unique_ptr<std::byte[]> row_of(std::int64_t bytes) {
  return std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
}

bool is_aligned(const std::byte* address, int element_bytes) {
  return reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(element_bytes) == 0;
}

}  // namespace

std::optional<Elements> Elements::of(const collio_pnetcdf_call& call, const Variable& v,
                                     std::int64_t elements, const std::vector<std::int64_t>& counts) {
  Elements made;
  made.elements_ = elements;
  made.type_ = call.memory_type;
  access::Layout layout;
  if (!call.type_name) {
    const bool as_in_file = call.buffer_type == MPI_DATATYPE_NULL;
    made.type_ = as_in_file ? v.type : type_of_elements(call.buffer_type);
    if (made.type_ == netcdf::none) return {};
    if (!as_in_file && call.buffer_count >= 0) {
      const auto found = access::layout_of(call.buffer_type);
      if (!found) return {};
      layout = found.value();
    }
  }
  if (!netcdf::convertible({v.type, made.type_})) return {};
  made.element_bytes_ = netcdf::type_bytes(made.type_);
  const std::int64_t bytes = elements * made.element_bytes_;
  if (layout && layout->size() * call.buffer_count != bytes) return {};
  if (bytes > 0 && !call.buffer) return {};
  const bool mapped = call.form == COLLIO_VARM && call.imap && !is_canonical(counts, call.imap);
  if (mapped) {
    made.counts_ = counts;
    made.map_.assign(call.imap, call.imap + counts.size());
  }
  if (layout)
    made.buffer_ = access::MemoryAccess(call.buffer, *layout, call.buffer_count);
  else if (!mapped)
    made.buffer_ = access::MemoryAccess(call.buffer, core::Pattern::contiguous(0, bytes));
  else  // its elements lie where the map says, in memory of any size
    made.buffer_ = access::MemoryAccess(call.buffer, core::Pattern::contiguous(0, made.element_bytes_));
  return made;
}

template <class Each>
void Elements::for_each_mapped(Each&& each) const {
  std::vector<std::int64_t> at(counts_.size(), 0);
  std::int64_t place = 0;
  for (std::int64_t i = 0; i < elements_; ++i) {
    each(i, place);
    for (std::size_t d = counts_.size(); d-- > 0;) {
      place += map_[d];
      if (++at[d] < counts_[d]) break;
      place -= map_[d] * counts_[d];
      at[d] = 0;
    }
  }
}

void Elements::gather(std::byte* row) const {
  if (map_.empty()) return buffer_.gather(0, buffer_.bytes(), row);
  const auto size = static_cast<std::size_t>(element_bytes_);
  std::unique_ptr<std::byte[]> packed;
  const std::byte* from = buffer_.at(0);
  if (!buffer_.contiguous() || buffer_.bytes() > element_bytes_) {
    packed = row_of(buffer_.bytes());
    buffer_.gather(0, buffer_.bytes(), packed.get());
    from = packed.get();
  }
  for_each_mapped([&](std::int64_t i, std::int64_t place) {
    std::memcpy(row + i * element_bytes_, from + place * element_bytes_, size);
  });
}

void Elements::scatter(const std::byte* row) const {
  if (map_.empty()) return buffer_.scatter(0, buffer_.bytes(), row);
  const auto size = static_cast<std::size_t>(element_bytes_);
  const bool packs = !buffer_.contiguous() || buffer_.bytes() > element_bytes_;
  std::unique_ptr<std::byte[]> packed = packs ? row_of(buffer_.bytes()) : nullptr;
  if (packs) buffer_.gather(0, buffer_.bytes(), packed.get());
  std::byte* to = packs ? packed.get() : buffer_.at(0);
  for_each_mapped([&](std::int64_t i, std::int64_t place) {
    std::memcpy(to + place * element_bytes_, row + i * element_bytes_, size);
  });
  if (packs) buffer_.scatter(0, buffer_.bytes(), packed.get());
}

int to_write(const Elements& from, const Wanted& wanted, Memory& memory) {
  const Variable& v = wanted.variable;
  const bool alike = v.same_as(from.type());
  if (alike && !wanted.copied && from.contiguous() && is_aligned(from.address(), v.element_bytes)) {
    memory.address = from.address();
    memory.element_bytes = std::endian::native == std::endian::little ? v.element_bytes : 1;
    return netcdf::ok;
  }
  memory.copy = row_of(wanted.elements * v.element_bytes);
  memory.address = memory.copy.get();
  const int type = alike ? v.type : from.type();
  const netcdf::Types types{v.type, type};
  if (from.contiguous())
    return netcdf::to_file(types, wanted.elements, from.address(), memory.address, wanted.fill);
  const auto row = row_of(wanted.elements * netcdf::type_bytes(type));
  from.gather(row.get());
  return netcdf::to_file(types, wanted.elements, row.get(), memory.address, wanted.fill);
}

int to_read(Elements into, const Wanted& wanted, Memory& memory) {
  const Variable& v = wanted.variable;
  const bool alike = v.same_as(into.type());
  if (alike && into.contiguous() && is_aligned(into.address(), v.element_bytes)) {
    memory.address = into.address();
    memory.element_bytes = std::endian::native == std::endian::little ? v.element_bytes : 1;
    return netcdf::ok;
  }
  // What lies past the end of the file is not read: zeros then.
  memory.copy = std::make_unique<std::byte[]>(static_cast<std::size_t>(wanted.elements * v.element_bytes));
  memory.address = memory.copy.get();
  memory.deliver = [into = std::move(into), from = memory.address, elements = wanted.elements,
                    file_type = v.type, alike] {
    const int type = alike ? file_type : into.type();
    const auto row = row_of(elements * netcdf::type_bytes(type));
    const int code = netcdf::from_file({file_type, type}, elements, from, row.get());
    into.scatter(row.get());
    return code;
  };
  return netcdf::ok;
}

void copy_turned(Memory& memory, std::int64_t bytes, bool reads) {
  const int element_bytes = std::exchange(memory.element_bytes, 1);
  if (element_bytes == 1) return;
  std::byte* const own = memory.address;
  memory.copy = row_of(bytes);
  memory.address = memory.copy.get();
  core::gather_reversed(memory.address, own, bytes, element_bytes);  // what is not read stays as it is
  if (reads)
    memory.deliver = [own, from = memory.address, bytes, element_bytes] {
      core::scatter_reversed(own, from, bytes, element_bytes);
      return static_cast<int>(netcdf::ok);
    };
}

}  // namespace collio::pnetcdf
