// See ask_library.hpp.
#include "mpiio/view/ask_library.hpp"

#include "mpiio/library/error_codes.hpp"
#include "mpiio/library/library.hpp"

namespace collio::mpiio {

namespace {

/// This rank alone. MPI_COMM_SELF is not there in a program of sessions.
MPI_Comm alone_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Group all = MPI_GROUP_NULL, self = MPI_GROUP_NULL;
  MPI_Comm alone = MPI_COMM_NULL;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, 1, &rank, &self);
  MPI_Comm_create_group(comm, self, 0, &alone);
  MPI_Group_free(&self);
  MPI_Group_free(&all);
  return alone;
}

core::Error refusal(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0, error_class = MPI_ERR_OTHER;
  MPI_Error_class(code, &error_class);
  real->Error_string(code, text, &length);
  return {class_of(error_class), "the MPI library refuses the view: " + std::string(text)};
}

bool in_order(const core::Pattern& pattern) { return pattern.low() >= 0 && pattern.ascending(); }

}  // namespace

bool is_doubtful(const access::View& view, MPI_Datatype etype) {
  if (!view.filetype) return true;
  if (view.etype_bytes == 0) return false;  // some libraries divide by it
  if (view.displacement < 0 || view.filetype->size() % view.etype_bytes != 0 ||
      !in_order(view.filetype->pattern))
    return true;
  const auto layout = access::layout_of(etype);
  return !layout || !in_order(layout.value()->pattern);
}

core::Error ask_library(MPI_Comm comm, const AskedView& view) {
  MPI_Comm alone = alone_of(comm);
  if (alone == MPI_COMM_NULL) return {};
  const int mode = !view.writes ? MPI_MODE_RDONLY : view.reads ? MPI_MODE_RDWR : MPI_MODE_WRONLY;
  core::Error answer;
  MPI_File file = MPI_FILE_NULL;
  if (real->File_open(alone, "/dev/null", mode, MPI_INFO_NULL, &file) == MPI_SUCCESS) {
    MPI_File_set_errhandler(file, MPI_ERRORS_RETURN);
    const int code =
        real->File_set_view(file, view.displacement, view.etype, view.filetype, "native", MPI_INFO_NULL);
    if (code != MPI_SUCCESS) answer = refusal(code);
    real->File_close(&file);
  }
  MPI_Comm_free(&alone);
  return answer;
}

}  // namespace collio::mpiio
