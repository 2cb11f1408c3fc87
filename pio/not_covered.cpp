// Functions that this library refuses. Those of netCDF-4 files give PIO_ENOTNC4, as PIO's own do for classic
// files. Those that PIO has for any file print why, whatever the error handling, and give PIO_EINVAL. The
// rest of PIO is not in pio.h: a program that calls it does not link.
#include <cstdio>

#include "file.hpp"

namespace collio::pio {

namespace {

int for_netcdf4(const char* function, int ncid) {
  const File* file = find_file(ncid);
  if (!file) return report(nullptr, no_file(function, ncid));
  return report(file->system, {PIO_ENOTNC4, std::string(function) +
                                                ": the file is classic netCDF; the function is for netCDF-4, "
                                                "which collio's PIO interface does not cover"});
}

int for_netcdf4_type(const char* function, int iosysid, int iotype) {
  const System* system = find_system(iosysid);
  if (!system) return report(nullptr, no_system(function, iosysid));
  return report(system, {PIOc_iotype_available(iotype) ? PIO_ENOTNC4 : PIO_EBADIOTYPE,
                         std::string(function) +
                             ": chunks are of netCDF-4, which collio's PIO interface does not cover"});
}

/// `system`: null where there is none.
int refuse(const System* system, const std::string& function, const std::string& instead) {
  const Failure failure{PIO_EINVAL, function + " is not covered by collio's PIO interface. " + instead, true};
  const int handler = system ? system->handler : default_handler();
  int rank = 0;
  MPI_Comm_rank(system ? system->comm : MPI_COMM_WORLD, &rank);
  if (rank == 0 && handler != PIO_INTERNAL_ERROR && log_level() < 0)  // where report() prints nothing
    std::fprintf(stderr, "collio (PIO): %s\n", failure.text.c_str());
  return report(system, failure);
}

constexpr const char* no_io_ranks = "Use PIOc_Init_Intracomm(): collio writes with the ranks that compute.";

}  // namespace

}  // namespace collio::pio

using namespace collio::pio;

extern "C" {

int PIOc_init_async(MPI_Comm, int, int*, int, int*, int**, MPI_Comm*, MPI_Comm*, int, int*) {
  return refuse(nullptr, "PIOc_init_async", no_io_ranks);
}

int PIOc_init_async_from_F90(int, int, int*, int, int*, int*, int*, int*, int, int*) {
  return refuse(nullptr, "PIOc_init_async_from_F90", no_io_ranks);
}

int PIOc_init_async_comms_from_F90(int, int, int*, int, int, int*) {
  return refuse(nullptr, "PIOc_init_async_comms_from_F90", no_io_ranks);
}

int PIOc_init_intercomm(int, const MPI_Comm, const MPI_Comm*, const MPI_Comm, int, int*) {
  return refuse(nullptr, "PIOc_init_intercomm", no_io_ranks);
}

int PIOc_Init_Intercomm_from_F90(int, int, const int*, int, int, int*) {
  return refuse(nullptr, "PIOc_Init_Intercomm_from_F90", no_io_ranks);
}

int PIOc_def_var_deflate(int ncid, int, int, int, int) { return for_netcdf4("PIOc_def_var_deflate", ncid); }

int PIOc_inq_var_deflate(int ncid, int, int*, int*, int*) {
  return for_netcdf4("PIOc_inq_var_deflate", ncid);
}

int PIOc_def_var_chunking(int ncid, int, int, const PIO_Offset*) {
  return for_netcdf4("PIOc_def_var_chunking", ncid);
}

int PIOc_inq_var_chunking(int ncid, int, int*, PIO_Offset*) {
  return for_netcdf4("PIOc_inq_var_chunking", ncid);
}

int PIOc_def_var_endian(int ncid, int, int) { return for_netcdf4("PIOc_def_var_endian", ncid); }

int PIOc_inq_var_endian(int ncid, int, int*) { return for_netcdf4("PIOc_inq_var_endian", ncid); }

int PIOc_set_var_chunk_cache(int ncid, int, PIO_Offset, PIO_Offset, float) {
  return for_netcdf4("PIOc_set_var_chunk_cache", ncid);
}

int PIOc_get_var_chunk_cache(int ncid, int, PIO_Offset*, PIO_Offset*, float*) {
  return for_netcdf4("PIOc_get_var_chunk_cache", ncid);
}

int PIOc_set_chunk_cache(int iosysid, int iotype, PIO_Offset, PIO_Offset, float) {
  return for_netcdf4_type("PIOc_set_chunk_cache", iosysid, iotype);
}

int PIOc_get_chunk_cache(int iosysid, int iotype, PIO_Offset*, PIO_Offset*, float*) {
  return for_netcdf4_type("PIOc_get_chunk_cache", iosysid, iotype);
}
}
