// See collectives.hpp. A rank alone has nothing to wait for; MPICH 4.0 makes no progress in a session of one.
#include "exchange/collectives.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "exchange/waiting.hpp"

namespace collio::exchange {

namespace {

bool alone(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size == 1;
}

}  // namespace

void broadcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  if (alone(comm)) return;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(data, count, type, root, comm, &request);
  wait_for(request);
}

void broadcast_text(std::string& text, int root, MPI_Comm comm) {
  struct {
    std::int64_t length;
    char begin[1016];
  } first{static_cast<std::int64_t>(text.size()), {}};
  text.copy(first.begin, sizeof first.begin);
  broadcast(&first, sizeof first, MPI_BYTE, root, comm);
  const auto length = static_cast<std::size_t>(first.length);
  text.resize(length);
  text.replace(0, std::min(length, sizeof first.begin), first.begin, std::min(length, sizeof first.begin));
  if (length > sizeof first.begin)
    broadcast(text.data() + sizeof first.begin, static_cast<int>(length - sizeof first.begin), MPI_BYTE, root, comm);
}

void reduce_to_all(void* data, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (alone(comm)) return;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, data, count, type, op, comm, &request);
  wait_for(request);
}

void reduce_to_first(void* data, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (alone(comm)) return;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ireduce(rank == 0 ? MPI_IN_PLACE : data, rank == 0 ? data : nullptr, count, type, op, 0, comm, &request);
  wait_for(request);
}

void gather_to_all(const void* mine, int bytes, void* all, MPI_Comm comm) {
  if (alone(comm)) return static_cast<void>(std::memcpy(all, mine, static_cast<std::size_t>(bytes)));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm, &request);
  wait_for(request);
}

void gather(const void* mine, int bytes, void* all, MPI_Comm comm) {
  if (alone(comm)) return static_cast<void>(std::memcpy(all, mine, static_cast<std::size_t>(bytes)));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Igather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, 0, comm, &request);
  wait_for(request);
}

void meet(MPI_Comm comm) {
  if (alone(comm)) return;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &request);
  wait_for(request);
}

MPI_Comm duplicate(MPI_Comm comm) {
  MPI_Comm copy = MPI_COMM_NULL;
  if (alone(comm)) {
    MPI_Comm_dup(comm, &copy);
    return copy;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_idup(comm, &copy, &request);
  wait_for(request);
  return copy;
}

}  // namespace collio::exchange
