// See library_path.hpp. Drivers and their names: adio/common/ad_fstype.c of ROMIO, which tells the one in use
// as romio_filesystem_type.
#include "mpiio/library/library_path.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "mpiio/library/library.hpp"

namespace collio::mpiio {

namespace {

/// Drivers that make POSIX calls on the rest of the path.
constexpr std::array<std::string_view, 5> posix_drivers{"ufs", "nfs", "xfs", "lustre", "gpfs"};
/// Drivers that pass the kernel by, or write nothing.
constexpr std::array<std::string_view, 6> other_drivers{"daos",  "testfs",    "ime",
                                                        "pvfs2", "quobytefs", "quobyte"};

/// What stands before the first colon, in small letters.
std::string driver_of(std::string_view text) {
  std::string driver(text.substr(0, text.find(':')));
  std::ranges::transform(driver, driver.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return driver;
}

template <class List>
bool is_in(const List& list, std::string_view driver) {
  return std::ranges::find(list, driver) != list.end();
}

/// What ROMIO says of the file; empty: the library is another, or does not say.
std::string romio_type(MPI_File file) {
  MPI_Info info = MPI_INFO_NULL;
  if (real->File_get_info(file, &info) != MPI_SUCCESS || info == MPI_INFO_NULL) return "";
  std::array<char, MPI_MAX_INFO_VAL + 1> type{};
  int known = 0;
  MPI_Info_get(info, "romio_filesystem_type", MPI_MAX_INFO_VAL, type.data(), &known);
  MPI_Info_free(&info);
  return known ? type.data() : "";
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

core::Error unknown(std::string why) { return {core::ErrorClass::other, std::move(why)}; }

}  // namespace

std::string without_driver(const std::string& path) {
  const std::size_t colon = path.find(':');
  return colon != std::string::npos && is_in(posix_drivers, driver_of(path)) ? path.substr(colon + 1) : path;
}

core::Result<std::string> path_of_library(MPI_File file, const std::string& path) {
  const std::string type = romio_type(file);
  if (const std::string driver = driver_of(type); !type.empty() && is_in(other_drivers, driver))
    return unknown("the library's driver for this file is " + driver +
                   ", which does not read and write it by POSIX calls");
  const std::size_t colon = path.find(':');
  if (colon == std::string::npos) return path;
  const std::string rest = path.substr(colon + 1), driver = driver_of(path);
  // Without ROMIO's word the names tell: the library has opened one of the two.
  if (type.empty() && exists(path)) {
    if (is_in(posix_drivers, driver) && exists(rest))
      return unknown("both this file and " + rest + " exist; the library may have opened either");
    return path;
  }
  if (is_in(posix_drivers, driver)) return rest;
  return unknown("'" + driver + "' is no driver of ROMIO's that collio knows to make POSIX calls");
}

}  // namespace collio::mpiio
