// Sums and maxima of more numbers than a node's board has room for: the same on all ranks, in parts over the
// boards, and by messages among the nodes' first ranks alone.
#include <dlfcn.h>

#include <numeric>

#include "check.hpp"
#include "in_front.hpp"
#include "transport/node_memory/comm_agreement.hpp"
#include "transport/waiting/communicators.hpp"

namespace {

int reductions_of_all = 0;

}  // namespace

extern "C" int PMPI_Iallreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                               MPI_Comm comm, MPI_Request* request) {
  int size = 0, world = 0;
  MPI_Comm_size(comm, &size);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  if (count > 1 && size == world) ++reductions_of_all;
  return COLLIO_BEHIND(PMPI_Iallreduce)(in, out, count, type, op, comm, request);
}

namespace {

using collio::test::Program;
using collio::transport::CommAgreement;

constexpr std::size_t on_board = 400;

void reduce(Program& program, const CommAgreement& agreement, std::size_t length) {
  std::vector<std::int32_t> sums(length), maxima(length);
  for (std::size_t i = 0; i < length; ++i) {
    sums[i] = static_cast<std::int32_t>(i) + program.rank;
    maxima[i] =
        static_cast<std::int32_t>(i * 7 % 11) - (static_cast<int>(i) % program.size == program.rank ? 0 : 50);
  }
  agreement.sum(sums);
  agreement.maximum(maxima);
  bool right = true;
  for (std::size_t i = 0; i < length; ++i) {
    const auto number = static_cast<std::int32_t>(i);
    right = right && sums[i] == program.size * number + program.size * (program.size - 1) / 2 &&
            maxima[i] == static_cast<std::int32_t>(i * 7 % 11);
  }
  program.that(right, ("sums and maxima of " + std::to_string(length)).c_str());
}

/// Nodes of two ranks, the last one of what is left; or one node of all.
void reduce_on_nodes(Program& program, int per_node) {
  MPI_Comm comm = collio::transport::duplicate(MPI_COMM_WORLD);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split(comm, program.rank / per_node, program.rank, &node);
  std::vector<int> leaders;
  for (int rank = 0; rank < program.size; rank += per_node) leaders.push_back(rank);
  {
    CommAgreement agreement(comm);
    agreement.use_node_boards({node, leaders, program.rank / per_node}, on_board);
    program.that(agreement.by_shared_memory(), "boards in shared memory");
    reductions_of_all = 0;
    for (const std::size_t length : {std::size_t{1}, on_board, on_board + 1, 2 * on_board, 12 * on_board + 3})
      for (int times = 0; times < 3; ++times) reduce(program, agreement, length);
    program.equal(reductions_of_all, 0, "reductions over all ranks by messages");
  }
  MPI_Comm_free(&node);
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv, 50);
  if (const std::string why = program.no_node_memory(); !why.empty()) return program.skip(why);
  reduce_on_nodes(program, 2);
  reduce_on_nodes(program, program.size);
  return program.finish();
}
