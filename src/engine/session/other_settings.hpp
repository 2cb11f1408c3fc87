// Hints from other layers' settings.
//
// Each ranks where its owner ranks it: ROMIO's file and Open MPI's parameters give way to the program's info,
// MPICH_MPIIO_HINTS does not. All give way to collio's own environment. The library's word on striping counts
// where nobody else says anything.
#pragma once

#include <string>
#include <vector>

#include "engine/session/environment_hints.hpp"

namespace collio::engine {

/// What a file's hints are without these settings.
struct GivenHints {
  /// of the call that opens it
  const Pairs& program;
  /// collio's
  const Pairs& environment;
  /// as the program gave it
  std::string path;
  /// without a driver's name
  std::string plain;
  /// that the MPI library tells of the file it opened
  Pairs striping;
};

struct OtherSettings {
  /// in place of the given ones, or beside them
  Pairs pairs;
  /// "cb_nodes=4 (ROMIO_HINTS), ..."
  std::string origins;
  /// on what is no hint
  std::vector<std::string> warnings;
};

/// The settings of this rank's process. Reads files: for one rank only. Not collective. Thread-safe.
[[nodiscard]] OtherSettings other_settings(const GivenHints& given);

}  // namespace collio::engine
