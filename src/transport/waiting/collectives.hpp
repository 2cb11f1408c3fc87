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
/// The first of `ranks` has these bytes, then all of them do, by messages along a tree. `index`: this rank's
/// among them. Collective among these ranks, as the only messages of theirs on `comm`.
void broadcast_among(const std::vector<int>& ranks, int index, std::span<std::byte> bytes, MPI_Comm comm);
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
