#include "view_probe.hpp"

#include <unistd.h>

#include <utility>

namespace collio::differential {

ViewProbe::ViewProbe(std::string path) : path_(std::move(path)) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "collio_enable", "disable");
  MPI_File_open(MPI_COMM_SELF, path_.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &for_writing_);
  MPI_File_open(MPI_COMM_SELF, path_.c_str(), MPI_MODE_RDONLY, info, &for_reading_);
  MPI_Info_free(&info);
}

ViewProbe::~ViewProbe() {
  MPI_File_close(&for_reading_);
  MPI_File_close(&for_writing_);
  unlink(path_.c_str());
}

bool ViewProbe::accepts(const Case& subject, int rank) const {
  MPI_File file = subject.mode == Mode::read_only ? for_reading_ : for_writing_;
  for (const Phase& phase : subject.phases) {
    if (!phase.set_view) continue;
    const RankView& view = phase.layout.views[static_cast<std::size_t>(rank)];
    const BuiltType etype(phase.layout.etype);
    const BuiltType filetype(view.filetype);
    if (MPI_File_set_view(file, view.displacement, etype.handle(), filetype.handle(), "native",
                          MPI_INFO_NULL) != MPI_SUCCESS)
      return false;
  }
  return true;
}

}  // namespace collio::differential
