// See system.hpp.
#include "system.hpp"

#include <array>
#include <new>

#include "decomposition.hpp"
#include "file.hpp"

namespace collio::pio {

namespace {

constexpr int first_id = 2048;
constexpr std::size_t most_same = 6;  // numbers of a call that ranks compare

std::map<int, std::unique_ptr<System>>& systems() {
  static std::map<int, std::unique_ptr<System>> all;
  return all;
}

/// The text of `from` on all ranks.
void share_text(const System& system, std::string& text, int from) {
  unsigned long long length = text.size();
  MPI_Bcast(&length, 1, MPI_UNSIGNED_LONG_LONG, from, system.comm);
  text.resize(length);
  MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, from, system.comm);
}

Failure check(Tasks tasks, int size, const int* id) {
  const std::string function = "PIOc_Init_Intracomm: ";
  if (!id) return {PIO_EINVAL, function + "the place for the id is null"};
  if (tasks.stride < 1) return not_allowed(function + "stride", tasks.stride, "1 and more");
  if (tasks.count < 1 || tasks.count > size / tasks.stride)
    return not_allowed(function + "num_iotasks", tasks.count,
                       "1 to " + std::to_string(size / tasks.stride) + ", as there are " +
                           std::to_string(size) + " ranks and the stride is " + std::to_string(tasks.stride));
  if (tasks.base < 0) return not_allowed(function + "base", tasks.base, "0 and more");
  return {};
}

/// Collective: the ranks find out that one of them has wrong arguments, or others.
Failure make_system(MPI_Comm comm, Tasks tasks, int* id) {
  const System ranks = ranks_of(comm);
  if (Failure failure = agree(ranks, check(tasks, ranks.size, id), "PIOc_Init_Intracomm",
                              {{"num_iotasks", tasks.count}, {"stride", tasks.stride}, {"base", tasks.base}}))
    return failure;
  MPI_Comm own = MPI_COMM_NULL;
  if (MPI_Comm_dup(comm, &own) != MPI_SUCCESS) return {PIO_EIO, "PIOc_Init_Intracomm: MPI_Comm_dup failed"};
  *id = add_system(own, tasks);
  return {};
}

int free_system(const char* function, int id) {
  System* system = find_system(id);
  if (!system) return report(nullptr, no_system(function, id));
  free_decompositions(*system);
  const Failure open = close_files(*system);
  const int code = report(system, open);
  if (system->apart && system->is_root()) system->apart->tell_done();
  MPI_Comm_free(&system->comm);
  systems().erase(id);
  return code;
}

Failure bad_handler(const char* function, int method) {
  return not_allowed(std::string(function) + ": method", method,
                     "PIO_INTERNAL_ERROR, PIO_BCAST_ERROR and PIO_RETURN_ERROR");
}

}  // namespace

int System::io_rank() const {
  if (apart) return -1;
  const int from_base = (rank - root + size) % size;
  return from_base % tasks.stride == 0 && from_base / tasks.stride < tasks.count ? from_base / tasks.stride
                                                                                 : -1;
}

System* find_system(int id) {
  const auto found = systems().find(id);
  return found == systems().end() ? nullptr : found->second.get();
}

System ranks_of(MPI_Comm comm) {
  System system{0, comm, 0, 1, 0, {1, 1, 0}, default_handler(), {}, {}};
  MPI_Comm_rank(comm, &system.rank);
  MPI_Comm_size(comm, &system.size);
  return system;
}

int add_system(MPI_Comm own, Tasks tasks, std::shared_ptr<IoTasksApart> apart) {
  static int next = first_id;
  auto system = std::make_unique<System>(ranks_of(own));
  system->id = next++;
  system->root = tasks.base % system->size;
  system->tasks = tasks;
  system->apart = std::move(apart);
  const int id = system->id;
  systems()[id] = std::move(system);
  return id;
}

Failure no_system(const std::string& function, int id) {
  return {PIO_EBADID,
          function + ": there is no I/O system " + std::to_string(id) + "; PIOc_Init_Intracomm() makes them"};
}

Failure no_decomposition(const std::string& function, int id) {
  return {PIO_EBADID, function + ": there is no decomposition " + std::to_string(id)};
}

Failure agree(const System& system, Failure failure, const char* function, std::initializer_list<Same> same) {
  constexpr int rank_bits = 32;
  std::array<std::int64_t, 1 + 2 * most_same>
      least;  // the worst failure and its rank; values; negative values
  std::size_t count = 0;
  least[count++] = (std::int64_t{collio::pio::order(failure.code)} << rank_bits) + system.rank;
  for (const Same& number : same) least[count++] = number.value, least[count++] = -number.value;
  MPI_Allreduce(MPI_IN_PLACE, least.data(), static_cast<int>(count), MPI_INT64_T, MPI_MIN, system.comm);
  const auto worst = static_cast<int>(least[0] >> rank_bits);
  if (worst != PIO_NOERR) {
    share_text(system, failure.text, static_cast<int>(least[0] & 0xffffffff));
    return {code_of_order(worst), failure.text, true};
  }
  for (count = 1; const Same& number : same) {
    const std::int64_t smallest = least[count], largest = -least[count + 1];
    count += 2;
    if (smallest != largest)
      return {PIO_EINVAL,
              std::string(function) + ": " + number.name + " is " + std::to_string(smallest) +
                  " on a rank and " + std::to_string(largest) + " on another; allowed: the same on all ranks",
              true};
  }
  return {};
}

Failure share_root(const System& system, Failure failure) {
  MPI_Bcast(&failure.code, 1, MPI_INT, system.root, system.comm);
  if (!failure) return {};
  share_text(system, failure.text, system.root);
  failure.agreed = true;
  return failure;
}

}  // namespace collio::pio

using namespace collio::pio;

extern "C" {

int PIOc_Init_Intracomm(MPI_Comm comm, int num_iotasks, int stride, int base, int, int* iosysidp) {
  return report(nullptr, make_system(comm, {num_iotasks, stride, base}, iosysidp));
}

int PIOc_Init_Intracomm_from_F90(int f90_comp_comm, const int num_iotasks, const int stride, const int base,
                                 const int rearr, rearr_opt_t* options, int* iosysidp) {
  const int code =
      PIOc_Init_Intracomm(MPI_Comm_f2c(f90_comp_comm), num_iotasks, stride, base, rearr, iosysidp);
  if (code != PIO_NOERR || !options) return code;
  const rearr_comm_fc_opt_t &in = options->comp2io, &out = options->io2comp;
  return PIOc_set_rearr_opts(*iosysidp, options->comm_type, options->fcd, in.hs, in.isend, in.max_pend_req,
                             out.hs, out.isend, out.max_pend_req);
}

int PIOc_finalize(int iosysid) { return free_system("PIOc_finalize", iosysid); }

int PIOc_free_iosystem(int iosysid) { return free_system("PIOc_free_iosystem", iosysid); }

int PIOc_set_iosystem_error_handling(int iosysid, int method, int* old_method) {
  const char* function = "PIOc_set_iosystem_error_handling";
  System* system = find_system(iosysid);
  if (iosysid != PIO_DEFAULT && !system) return report(nullptr, no_system(function, iosysid));
  if (!is_handler(method)) return report(system, bad_handler(function, method));
  int& handler = system ? system->handler : default_handler();
  if (old_method) *old_method = handler;
  handler = method;
  return PIO_NOERR;
}

int PIOc_Set_IOSystem_Error_Handling(int iosysid, int method) {
  int before = 0;
  const int code = PIOc_set_iosystem_error_handling(iosysid, method, &before);
  return code == PIO_NOERR ? before : code;
}

int PIOc_iam_iotask(int iosysid, bool* ioproc) {
  const System* system = find_system(iosysid);
  if (!system) return report(nullptr, no_system("PIOc_iam_iotask", iosysid));
  if (ioproc) *ioproc = system->io_rank() >= 0;
  return PIO_NOERR;
}

int PIOc_iotask_rank(int iosysid, int* iorank) {
  const System* system = find_system(iosysid);
  if (!system) return report(nullptr, no_system("PIOc_iotask_rank", iosysid));
  if (iorank) *iorank = system->io_rank();
  return PIO_NOERR;
}

int PIOc_get_numiotasks(int iosysid, int* numiotasks) {
  const System* system = find_system(iosysid);
  if (!system) return report(nullptr, no_system("PIOc_get_numiotasks", iosysid));
  if (numiotasks) *numiotasks = system->tasks.count;
  return PIO_NOERR;
}

int PIOc_iosystem_is_active(int iosysid, bool* active) {
  if (active) *active = find_system(iosysid) != nullptr;
  return PIO_NOERR;
}

int PIOc_iotype_available(int iotype) { return iotype == PIO_IOTYPE_PNETCDF || iotype == PIO_IOTYPE_NETCDF; }

int PIOc_set_rearr_opts(int iosysid, int comm_type, int fcd, bool, bool, int pending_to_io, bool, bool,
                        int pending_from_io) {
  const std::string function = "PIOc_set_rearr_opts: ";
  System* system = find_system(iosysid);
  if (!system) return report(nullptr, no_system("PIOc_set_rearr_opts", iosysid));
  if (comm_type != PIO_REARR_COMM_P2P && comm_type != PIO_REARR_COMM_COLL)
    return report(system, not_allowed(function + "comm_type", comm_type, "0 and 1"));
  if (fcd < PIO_REARR_COMM_FC_2D_ENABLE || fcd > PIO_REARR_COMM_FC_2D_DISABLE)
    return report(system, not_allowed(function + "fcd", fcd, "0 to 3"));
  for (const int pending : {pending_to_io, pending_from_io})
    if (pending < 0 && pending != PIO_REARR_COMM_UNLIMITED_PEND_REQ)
      return report(system, not_allowed(function + "max_pend_req", pending, "-1 and more"));
  return PIO_NOERR;
}

int PIOc_set_hint(int iosysid, const char* hint, const char* hintval) {
  System* system = find_system(iosysid);
  if (!system) return report(nullptr, no_system("PIOc_set_hint", iosysid));
  if (!hint || !hintval) return report(system, {PIO_EINVAL, "PIOc_set_hint: the hint or its value is null"});
  system->hints.emplace_back(hint, hintval);
  return PIO_NOERR;
}

int PIOc_set_blocksize(int newblocksize) {
  if (newblocksize > 0) return PIO_NOERR;  // a size of PIO's box rearranger
  return report(nullptr, not_allowed("PIOc_set_blocksize: newblocksize", newblocksize, "1 and more"));
}
}
