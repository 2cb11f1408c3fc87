// The program's side of a call: where its elements are, or a copy of them as they are in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "access/access.hpp"
#include "pnetcdf/contract.h"
#include "pnetcdf/layout.hpp"

namespace collio::pnetcdf {

/// The elements of a call in the program's memory: of one type, in an order of the program's.
class Elements {
 public:
  /// What the call says of its buffer. Empty: PnetCDF may refuse it. Not collective.
  [[nodiscard]] static std::optional<Elements> of(const collio_pnetcdf_call& call, const Variable& v,
                                                  std::int64_t elements,
                                                  const std::vector<std::int64_t>& counts);

  [[nodiscard]] int type() const noexcept { return type_; }
  /// They follow each other.
  [[nodiscard]] bool contiguous() const noexcept { return map_.empty() && buffer_.contiguous(); }
  /// The first one, where they do.
  [[nodiscard]] std::byte* address() const noexcept { return buffer_.bytes() > 0 ? buffer_.at(0) : nullptr; }
  /// Copies all to or from a row.
  void gather(std::byte* row) const;
  void scatter(const std::byte* row) const;

 private:
  /// each(place in the row, place in the buffer), in elements.
  template <class Each>
  void for_each_mapped(Each&& each) const;

  int type_ = 0;
  std::int64_t elements_ = 0, element_bytes_ = 1;
  access::MemoryAccess buffer_;
  /// of varm; empty: in the order of the file
  std::vector<std::int64_t> counts_, map_;
};

/// The memory that a request moves: the program's own, whose elements are turned around as they are copied,
/// or a copy that has them as in the file.
struct Memory {
  std::byte* address = nullptr;
  /// of the elements to turn; 1: they are as in the file
  int element_bytes = 1;
  std::unique_ptr<std::byte[]> copy;
  /// Gives the program what was read into the copy; null: it has it. PnetCDF's code.
  std::function<int()> deliver;
};

/// What to do with the program's memory.
struct Wanted {
  const Variable& variable;
  std::int64_t elements;
  /// for numbers that do not fit the file; of the variable's type
  const void* fill;
  /// the program may change it before it is written
  bool copied;
};

/// PnetCDF's code: out_of_range where numbers do not fit, and the memory is made all the same. Throws
/// std::bad_alloc. O(1) where nothing is copied, else O(elements).
[[nodiscard]] int to_write(const Elements& from, const Wanted& wanted, Memory& memory);
/// The same for memory that is to be read into.
[[nodiscard]] int to_read(Elements into, const Wanted& wanted, Memory& memory);
/// Puts a copy in the place of memory whose elements are to be turned. `reads`: it will be read into. Throws
/// std::bad_alloc.
void copy_turned(Memory& memory, std::int64_t bytes, bool reads);

}  // namespace collio::pnetcdf
