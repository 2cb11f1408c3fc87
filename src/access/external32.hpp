// Data in the representation external32: big-endian, with sizes that MPI fixes (MPI-4.0 14.5.2).
//
// Only types whose size in memory is that of external32 are converted. The MPI libraries write the others
// wrongly, and some abort: MPI_LONG has 8 bytes in memory and 4 in external32, and a file's offsets would
// count the latter.
#pragma once

#include <mpi.h>

#include <string>

#include "access/access.hpp"
#include "access/buffer.hpp"
#include "core/elements.hpp"

namespace collio::access {

/// The elements of one instance of a datatype, in the order of its data. Error `type`: it has one that is not
/// converted. Not collective. O(constructor nodes).
[[nodiscard]] core::Result<core::Elements> external32_elements(MPI_Datatype type);

/// A copy of a call's data in external32, between the program's memory and the file.
class ConvertedMemory {
 public:
  /// `elements`: of each instance of the memory's datatype. Data to write are converted now. Throws
  /// std::bad_alloc.
  ConvertedMemory(MemoryAccess program, core::Elements elements, bool write);
  /// The copy.
  [[nodiscard]] MemoryAccess memory() const;
  /// Gives the program the first `bytes` bytes, which were read. Once.
  void give_back(std::int64_t bytes) const noexcept;
  /// Why the program's memory could not be read or written, if so.
  [[nodiscard]] core::Error failure() const { return program_.failure(); }

 private:
  MemoryAccess program_;
  core::Elements elements_;
  Buffer copy_;
};

}  // namespace collio::access
