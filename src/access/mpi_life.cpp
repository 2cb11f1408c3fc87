// See mpi_life.hpp.
#include "access/mpi_life.hpp"

#include <mpi.h>

#include <atomic>

namespace collio::access {

namespace {

std::atomic<std::uint64_t> present_life{1};
std::atomic<int> staying{0};

}  // namespace

int rank_in_world(int otherwise) {
  int rank = otherwise;
  if (has_world()) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

bool has_world() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized && !finalized;
}

MpiStays::MpiStays() { ++staying; }

MpiStays::~MpiStays() {
  if (--staying == 0 && !has_world()) end_mpi_life();
}

void end_mpi_life() { ++present_life; }

std::uint64_t mpi_life() { return present_life; }

bool mpi_stays() { return staying > 0 || has_world(); }

}  // namespace collio::access
