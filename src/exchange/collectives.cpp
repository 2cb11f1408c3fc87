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

namespace {

/// Before MPI-4 a duplicate has the hints of the original. What the program asserts of its own messages does not hold for collio's, which
/// are received from any rank, and with room to spare. Collective.
void withdraw_assertions(MPI_Comm comm) {
  MPI_Info hints = MPI_INFO_NULL;
  MPI_Comm_get_info(comm, &hints);
  bool any = false;
  for (const char* key : {"mpi_assert_no_any_source", "mpi_assert_no_any_tag", "mpi_assert_exact_length", "mpi_assert_allow_overtaking"}) {
    char value[8] = "";
    int found = 0;
    MPI_Info_get(hints, key, sizeof value - 1, value, &found);
    if (!found || std::strcmp(value, "true") != 0) continue;
    MPI_Info_set(hints, key, "false");
    any = true;
  }
  if (any) MPI_Comm_set_info(comm, hints);
  MPI_Info_free(&hints);
}

}  // namespace

MPI_Comm duplicate(MPI_Comm comm) {
  MPI_Comm copy = MPI_COMM_NULL;
  if (alone(comm)) {
    MPI_Comm_dup(comm, &copy);
  } else {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_idup(comm, &copy, &request);
    wait_for(request);
  }
  withdraw_assertions(copy);
  return copy;
}

}  // namespace collio::exchange
