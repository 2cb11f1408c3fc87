// The linked MPI library's functions as the shim would give them, for the time of a test.
#pragma once

#include "mpiio/library/library.hpp"

namespace collio::test {

class LibraryHere {
 public:
  LibraryHere() : before_(mpiio::real) {
#define COLLIO_CALL(name, parameters, arguments) calls.name = PMPI_##name;
#define COLLIO_LARGE(kind, name, parameters, arguments)  // not every library has them
#include "mpiio/shim/calls.def"
#undef COLLIO_CALL
#undef COLLIO_LARGE
    mpiio::real = &calls;
  }
  ~LibraryHere() { mpiio::real = before_; }
  LibraryHere(const LibraryHere&) = delete;
  LibraryHere& operator=(const LibraryHere&) = delete;

  /// may be changed
  collio_calls calls{};

 private:
  const collio_calls* before_;
};

}  // namespace collio::test
