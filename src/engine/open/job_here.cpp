// See job_here.hpp.
#include "engine/open/job_here.hpp"

#include <mpi.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <utility>

#include "access/mpi_life.hpp"
#include "storage/storage.hpp"

namespace collio::engine {

namespace {

/// Ranks of the whole job on this node, as the launcher says; 0: unknown.
int job_ranks_here() {
  for (const char* name : {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "SLURM_NTASKS_PER_NODE"})
    if (const char* text = ::secure_getenv(name)) return std::atoi(text);
  return 0;
}

machine::NodeShare most_known(const machine::NodeShare& now) {
  static std::mutex mutex;
  static machine::NodeShare most{0, 0};
  const std::lock_guard lock(mutex);
  if (now.ranks >= most.ranks) most = now;
  return most;
}

}  // namespace

double ranks_per_core_of_job(const machine::NodeShare& now) {
  static const auto cores = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));  // it reads a file
  return machine::ranks_per_core(most_known(now), job_ranks_here(), cores);
}

int nodes_of_job() {
  int ranks = 1;
  if (access::has_world()) MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int here = job_ranks_here();
  return here > 0 ? (ranks + here - 1) / here : 1;
}

machine::StorageModel model_for_job(const std::string& path) {
  machine::StorageModel model = storage::model_of(path);
  return nodes_of_job() > 1 ? storage::for_several_nodes(std::move(model)) : model;
}

}  // namespace collio::engine
