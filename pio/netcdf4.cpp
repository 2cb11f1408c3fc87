// Functions of what only netCDF-4 files have, which this library does not cover: they give PIO_ENOTNC4, as
// PIO's own do for classic files. The rest of PIO that is not covered is not in pio.h: a program that calls
// it does not link.
#include "file.hpp"

namespace collio::pio {

namespace {

int for_netcdf4(const char* function, int ncid) {
  const File* file = find_file(ncid);
  if (!file) return report(nullptr, no_file(function, ncid));
  return report(file->system,
                {PIO_ENOTNC4, std::string(function) + ": the function is of what only netCDF-4 files have, "
                                                      "which collio's PIO interface does not cover"});
}

int for_netcdf4_type(const char* function, int iosysid, int iotype) {
  const System* system = find_system(iosysid);
  if (!system) return report(nullptr, no_system(function, iosysid));
  return report(system, {PIOc_iotype_available(iotype) ? PIO_ENOTNC4 : PIO_EBADIOTYPE,
                         std::string(function) +
                             ": chunks are of netCDF-4, which collio's PIO interface does not cover"});
}

}  // namespace

}  // namespace collio::pio

using namespace collio::pio;

extern "C" {

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
