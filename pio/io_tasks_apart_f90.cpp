// What PIO's Fortran libraries call to make systems whose I/O tasks are ranks apart: see io_tasks_apart.hpp.
#include <algorithm>
#include <vector>

#include "system.hpp"

namespace collio::pio {

namespace {

/// As ParallelIO has them: 0 for none.
MPI_Comm comm_or_null(int f90_comm) { return f90_comm == 0 ? MPI_COMM_NULL : MPI_Comm_f2c(f90_comm); }

std::vector<MPI_Comm> comms_of(int count, const int* f90_comms, MPI_Comm (*comm_of)(int)) {
  std::vector<MPI_Comm> comms;
  for (int i = 0; f90_comms && i < count; ++i) comms.push_back(comm_of(f90_comms[i]));
  return comms;
}

MPI_Comm from_handle(int f90_comm) { return MPI_Comm_f2c(f90_comm); }

}  // namespace

}  // namespace collio::pio

using namespace collio::pio;

extern "C" {

int PIOc_init_async_from_F90(int f90_world_comm, int num_io_procs, int* io_proc_list, int component_count,
                             int* procs_per_component, int* flat_proc_list, int* f90_io_comm,
                             int* f90_comp_comm, int rearranger, int* iosysidp) {
  const auto count = static_cast<std::size_t>(std::max(component_count, 0));
  const int longest = procs_per_component && count > 0
                          ? *std::max_element(procs_per_component, procs_per_component + component_count)
                          : 0;
  std::vector<COLLIO_PIO_CONST int*> lists;
  for (int i = 0; i < component_count; ++i) lists.push_back(flat_proc_list + i * longest);
  MPI_Comm io = MPI_COMM_NULL;
  std::vector<MPI_Comm> components(count, MPI_COMM_NULL);
  const int code = PIOc_init_async(MPI_Comm_f2c(f90_world_comm), num_io_procs, io_proc_list, component_count,
                                   procs_per_component, flat_proc_list ? lists.data() : nullptr, &io,
                                   components.data(), rearranger, iosysidp);
  if (f90_io_comm) *f90_io_comm = MPI_Comm_c2f(io);
  for (std::size_t i = 0; f90_comp_comm && i < count; ++i) f90_comp_comm[i] = MPI_Comm_c2f(components[i]);
  return code;
}

int PIOc_init_async_comms_from_F90(int f90_world_comm, int component_count, int* f90_comp_comms,
                                   int f90_io_comm, int rearranger, int* iosysidp) {
  std::vector<MPI_Comm> components = comms_of(component_count, f90_comp_comms, comm_or_null);
  return PIOc_init_async_from_comms(MPI_Comm_f2c(f90_world_comm), component_count, components.data(),
                                    comm_or_null(f90_io_comm), rearranger, iosysidp);
}

int PIOc_Init_Intercomm_from_F90(int component_count, int f90_peer_comm, const int* f90_comp_comms,
                                 int f90_io_comm, int rearranger, int* iosysidps) {
  const std::vector<MPI_Comm> components = comms_of(component_count, f90_comp_comms, from_handle);
  return PIOc_init_intercomm(component_count, MPI_Comm_f2c(f90_peer_comm), components.data(),
                             MPI_Comm_f2c(f90_io_comm), rearranger, iosysidps);
}
}
