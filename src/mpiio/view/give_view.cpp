// See give_view.hpp.
#include "mpiio/view/give_view.hpp"

#include "mpiio/library/error_codes.hpp"
#include "mpiio/library/library.hpp"
#include "mpiio/view/ask_library.hpp"

namespace collio::mpiio {

namespace {

core::Error refusal_of(const OpenFile& file, MPI_Comm comm) {
  AskedView asked{0, MPI_DATATYPE_NULL, MPI_DATATYPE_NULL, file.reads, file.writes};
  file.program_view.get(&asked.displacement, &asked.etype, &asked.filetype);
  core::Error refused = ask_library(comm, asked);
  for (MPI_Datatype* type : {&asked.etype, &asked.filetype})
    if (!access::is_predefined(*type)) MPI_Type_free(type);
  return refused;
}

}  // namespace

bool library_takes_view(const OpenFile& file) {
  if (file.program_view.installed()) return true;
  const MPI_Comm comm = file.engine->own_comm();
  return comm != MPI_COMM_NULL && refusal_of(file, comm).ok();
}

int give_view(OpenFile& file, const engine::Ranks& ranks, MPI_File handle) {
  if (file.program_view.installed()) return MPI_SUCCESS;
  const core::Error error =
      ranks.agreement.worst(refusal_of(file, ranks.comm), "has a view that the MPI library refuses");
  if (!error.ok()) return raise(handle, error);
  const int code = file.program_view.install(handle, *real);
  if (ranks.agreement.all(code == MPI_SUCCESS)) return MPI_SUCCESS;
  file.program_view.mark_etype_only();  // on all ranks alike, so that all try again
  return code != MPI_SUCCESS
             ? code
             : raise(handle, {core::ErrorClass::other, "the MPI library did not take another rank's view"});
}

}  // namespace collio::mpiio
