// Hints that users have given other I/O layers: ROMIO's hints file, Cray MPICH's MPICH_MPIIO_HINTS, Open
// MPI's parameters.
//
// Sources: ROMIO, adio/common/system_hints.c and its users' guide ("Systemwide Hints"); Cray's intro_mpi(3);
// Open MPI, ompi/mca/common/ompio.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace collio::policy {

/// Pairs of a setting. What is no hint, or no value of one, became a warning that names it. Keys that collio
/// does not know are left out.
struct Settings {
  std::map<std::string, std::string> pairs;
  std::vector<std::string> warnings;
};

/// Lines "key value" of a hints file; a line that begins with '#' is a comment, and the first of several with
/// one key holds. `name`: the file, for warnings. Pure.
[[nodiscard]] Settings parse_romio_file(std::string_view text, const std::string& name);

/// Those of "PATTERN:key=value:key=value,PATTERN:..." for a file: of the first pattern that `matches`.
/// Between two '#', ',' and ':' are part of a value. Warnings are on all patterns. Pure.
[[nodiscard]] Settings parse_cray_hints(std::string_view text,
                                        const std::function<bool(const std::string& pattern)>& matches);

/// A parameter of Open MPI that says what a hint says.
struct OpenMpiParameter {
  /// of the environment
  const char* variable;
  /// hints
  std::vector<std::string_view> keys;
};

[[nodiscard]] const std::vector<OpenMpiParameter>& open_mpi_parameters();

/// Hints of Open MPI's parameters. `value_of`: of a variable, or null. Pure.
[[nodiscard]] Settings open_mpi_hints(const std::function<const char*(const char* variable)>& value_of);

}  // namespace collio::policy
