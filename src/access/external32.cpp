// See external32.hpp.
#include "access/external32.hpp"

#include <bit>
#include <vector>

#include "access/type_contents.hpp"

namespace collio::access {

namespace {

using core::Elements;

/// A predefined type of `count` numbers: two of a complex one.
struct Number {
  MPI_Datatype type;
  int bytes;
  int count = 1;
};

/// Types with the same size in memory and in external32. A library without Fortran or C++ has some as null.
const std::vector<Number>& numbers() {
  static const std::vector<Number> known{{MPI_BYTE, 1},
                                         {MPI_PACKED, 1},
                                         {MPI_CHAR, 1},
                                         {MPI_SIGNED_CHAR, 1},
                                         {MPI_UNSIGNED_CHAR, 1},
                                         {MPI_C_BOOL, 1},
                                         {MPI_CXX_BOOL, 1},
                                         {MPI_INT8_T, 1},
                                         {MPI_UINT8_T, 1},
                                         {MPI_CHARACTER, 1},
                                         {MPI_INTEGER1, 1},
                                         {MPI_SHORT, 2},
                                         {MPI_UNSIGNED_SHORT, 2},
                                         {MPI_INT16_T, 2},
                                         {MPI_UINT16_T, 2},
                                         {MPI_INTEGER2, 2},
                                         {MPI_INT, 4},
                                         {MPI_UNSIGNED, 4},
                                         {MPI_INT32_T, 4},
                                         {MPI_UINT32_T, 4},
                                         {MPI_INTEGER, 4},
                                         {MPI_INTEGER4, 4},
                                         {MPI_LOGICAL, 4},
                                         {MPI_FLOAT, 4},
                                         {MPI_REAL, 4},
                                         {MPI_REAL4, 4},
                                         {MPI_C_FLOAT_COMPLEX, 4, 2},
                                         {MPI_CXX_FLOAT_COMPLEX, 4, 2},
                                         {MPI_COMPLEX, 4, 2},
                                         {MPI_COMPLEX8, 4, 2},
                                         {MPI_LONG_LONG, 8},
                                         {MPI_UNSIGNED_LONG_LONG, 8},
                                         {MPI_INT64_T, 8},
                                         {MPI_UINT64_T, 8},
                                         {MPI_INTEGER8, 8},
                                         {MPI_AINT, 8},
                                         {MPI_OFFSET, 8},
                                         {MPI_COUNT, 8},
                                         {MPI_DOUBLE, 8},
                                         {MPI_DOUBLE_PRECISION, 8},
                                         {MPI_REAL8, 8},
                                         {MPI_C_DOUBLE_COMPLEX, 8, 2},
                                         {MPI_CXX_DOUBLE_COMPLEX, 8, 2},
                                         {MPI_DOUBLE_COMPLEX, 8, 2},
                                         {MPI_COMPLEX16, 8, 2}};
  return known;
}

core::Error not_converted(MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  MPI_Type_get_name(type, name, &length);
  // So short that MPI_Error_string has it, however long the path before it is.
  return {core::ErrorClass::type, "data of type " + std::string(length > 0 ? name : "(no name)") +
                                      " are not converted to external32; allowed: numbers that have the "
                                      "same size there, as MPI_DOUBLE"};
}

core::Result<Elements> predefined_elements(MPI_Datatype type) {
  int size = 0;
  MPI_Type_size(type, &size);
  for (const Number& number : numbers())
    if (number.type == type && size == number.bytes * number.count)
      return Elements{size, number.bytes, {}, {}};
  return not_converted(type);
}

core::Result<Elements> struct_elements(const TypeContents& c) {
  std::vector<Elements> fields;
  for (std::size_t i = 0; i < c.types().size(); ++i) {
    auto field = external32_elements(c.types()[i]);
    if (!field) return field;
    fields.push_back(core::repeated(std::move(field.value()), c.integer(1 + i)));
  }
  return core::joined(std::move(fields));
}

}  // namespace

core::Result<Elements> external32_elements(MPI_Datatype type) {
  auto contents = TypeContents::of(type);
  if (!contents) return contents.error();
  const TypeContents& c = contents.value();
  if (c.types().empty()) return predefined_elements(type);
  if (c.combiner() == MPI_COMBINER_STRUCT) return struct_elements(c);
  auto child = external32_elements(c.types()[0]);
  if (!child || child.value().bytes == 0) return child;
  MPI_Count bytes = 0;
  MPI_Type_size_x(type, &bytes);
  return core::repeated(std::move(child.value()), bytes / child.value().bytes);
}

ConvertedMemory::ConvertedMemory(MemoryAccess program, Elements elements, bool write)
    : program_(std::move(program)),
      elements_(std::move(elements)),
      copy_(static_cast<std::size_t>(program_.bytes())) {
  if (!write) return;
  program_.gather(0, program_.bytes(), copy_.data());
  if constexpr (std::endian::native == std::endian::little)
    core::reverse_elements(elements_, {copy_.data(), static_cast<std::size_t>(program_.bytes())});
}

MemoryAccess ConvertedMemory::memory() const {
  return {copy_.data(), core::Pattern::contiguous(0, program_.bytes())};
}

void ConvertedMemory::give_back(std::int64_t bytes) const noexcept {
  if constexpr (std::endian::native == std::endian::little)
    core::reverse_elements(elements_, {copy_.data(), static_cast<std::size_t>(bytes)});
  program_.scatter(0, bytes, copy_.data());
}

}  // namespace collio::access
