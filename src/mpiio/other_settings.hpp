// Hints from other layers' settings, and the layout that the MPI library tells of an open file.
//
// Each ranks where its owner ranks it: ROMIO's file and Open MPI's parameters give way to the program's info,
// MPICH_MPIIO_HINTS does not. All give way to collio's own environment. The library's word on striping counts
// where nobody else says anything.
#pragma once

#include "mpiio/calls.h"

#include <string>
#include <vector>

#include "mpiio/info.hpp"

namespace collio::mpiio {

/// What a file's hints are without these settings.
struct GivenHints {
  const Pairs& program;      ///< of the call that opens it
  const Pairs& environment;  ///< collio's
  std::string path;          ///< as the program gave it
};

struct OtherSettings {
  Pairs pairs;                        ///< in place of the given ones, or beside them
  std::string origins;                ///< "cb_nodes=4 (ROMIO_HINTS), ..."
  std::vector<std::string> warnings;  ///< on what is no hint
};

/// The settings of this rank's process. `file`: MPI_FILE_NULL where the library has not opened it. Reads
/// files: for one rank only. Not collective. Thread-safe.
[[nodiscard]] OtherSettings other_settings(const GivenHints& given, MPI_File file);

}  // namespace collio::mpiio
