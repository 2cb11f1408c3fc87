// Collective operations whose ranks wait as all waits here do (waiting.hpp). MPI's own blocking ones may
// spin, and where ranks outnumber cores a rank that spins keeps those it waits for from running: of an MPI
// that does, one call takes time slices.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace collio::transport {

/// `count` elements of the root's, on all ranks. Collective.
void broadcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm);
/// The root's text, on all ranks: one message for up to about 1000 bytes, two for more. Collective.
void broadcast_text(std::string& text, int root, MPI_Comm comm);
/// Some ranks of `comm` that come together by messages with a tag of their own, in place of a communicator.
struct Among {
  MPI_Comm comm = MPI_COMM_NULL;
  const std::vector<int>& ranks;
  /// this rank's place among them
  int index = 0;
  int tag = 0;
};
/// The bytes of the first of these ranks, on all of them. Collective among them.
void broadcast_among(const Among& among, std::span<std::byte> bytes);
using Combine = void (*)(const std::byte* in, std::byte* inout, std::size_t bytes);
/// Their records combined, on all of them, in any order; long ones in parts of 16 KiB. Collective among them.
/// O(log ranks) messages a part.
void reduce_among(const Among& among, std::span<std::byte> record, Combine combine);
/// All ranks' `count` elements combined, on all ranks. Collective.
void reduce_to_all(void* data, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
/// The sum of this rank's number and those of the ranks before it. Collective.
[[nodiscard]] std::int64_t sum_to_here(std::int64_t mine, MPI_Comm comm);
/// All ranks' `count` elements combined, on rank 0; elsewhere `data` is as it was. Collective.
void reduce_to_first(void* data, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
/// Every rank's `bytes` bytes, in order, on all ranks. Collective.
void gather_to_all(const void* mine, int bytes, void* all, MPI_Comm comm);
/// Every rank's `bytes` bytes, in order, on rank 0. Collective.
void gather(const void* mine, int bytes, void* all, MPI_Comm comm);
/// All ranks have come here. Collective.
void meet(MPI_Comm comm);
/// True on all ranks when `mine` is true on all. Collective.
[[nodiscard]] bool all_true(bool mine, MPI_Comm comm);
/// When all ranks have come, decide() on rank 0; what it returns, on all ranks. By messages with this tag:
/// whatever else is under way on the communicator with other tags, in whatever order. Collective.
[[nodiscard]] int meet_and_hear(MPI_Comm comm, int tag, const std::function<int()>& decide);

}  // namespace collio::transport
