// See netcdf_library.hpp.
#include "netcdf_library.hpp"

#include <dlfcn.h>

#include <string>

namespace collio::pio {

namespace {

template <class Function>
bool find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  return function != nullptr;
}

bool find_all(void* handle, NetcdfLibrary& found) {
  return find(handle, "nc_open", found.open) && find(handle, "nc_close", found.close) &&
         find(handle, "nc_inq", found.inq) && find(handle, "nc_inq_format", found.inq_format) &&
         find(handle, "nc_inq_dim", found.inq_dim) && find(handle, "nc_inq_dimid", found.inq_dimid) &&
         find(handle, "nc_inq_var", found.inq_var) && find(handle, "nc_inq_varid", found.inq_varid) &&
         find(handle, "nc_inq_var_fill", found.inq_var_fill) && find(handle, "nc_inq_att", found.inq_att) &&
         find(handle, "nc_inq_attid", found.inq_attid) && find(handle, "nc_inq_attname", found.inq_attname) &&
         find(handle, "nc_get_att", found.get_att) && find(handle, "nc_get_vars", found.get_vars);
}

/// The program's own first: two versions of HDF5 in a process disturb each other.
bool load(NetcdfLibrary& found) {
  if (find_all(RTLD_DEFAULT, found)) return true;
  for (const char* name : {"libnetcdf.so", "libnetcdf_mpi.so"})
    for (const char* version : {"", ".22", ".19", ".18", ".15", ".13"})
      if (void* handle = dlopen((std::string(name) + version).c_str(), RTLD_NOW | RTLD_LOCAL)) {
        if (find_all(handle, found)) return true;
        dlclose(handle);
      }
  return false;
}

}  // namespace

const NetcdfLibrary* netcdf_library() {
  static NetcdfLibrary library;
  static const bool found = load(library);
  return found ? &library : nullptr;
}

}  // namespace collio::pio
