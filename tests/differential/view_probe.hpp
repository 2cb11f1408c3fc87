// Asks the MPI library alone whether it takes a view: some libraries refuse legal file types, and a view
// refused on one rank of a shared file leaves the others waiting inside MPI_File_set_view.
#pragma once

#include <mpi.h>

#include <string>

#include "case.hpp"

namespace collio::differential {

class ViewProbe {
 public:
  /// Opens a scratch file of this rank alone, without collio. Not collective.
  explicit ViewProbe(std::string path);
  ViewProbe(const ViewProbe&) = delete;
  ViewProbe& operator=(const ViewProbe&) = delete;
  ~ViewProbe();

  /// True when the library takes all views that rank `rank` sets in this case. Not collective.
  [[nodiscard]] bool accepts(const Case& subject, int rank) const;

 private:
  std::string path_;
  MPI_File for_reading_ = MPI_FILE_NULL;
  MPI_File for_writing_ = MPI_FILE_NULL;
};

}  // namespace collio::differential
