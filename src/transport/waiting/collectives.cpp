// See collectives.hpp. A rank alone has nothing to wait for; MPICH 4.0 makes no progress in a session of one.
#include "transport/waiting/collectives.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "core/index.hpp"
#include "transport/waiting/communicators.hpp"
#include "transport/waiting/waiting.hpp"

namespace collio::transport {

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
  must(MPI_Ibcast(data, count, type, root, comm, &request), "MPI_Ibcast");
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
    broadcast(text.data() + sizeof first.begin, static_cast<int>(length - sizeof first.begin), MPI_BYTE, root,
              comm);
}

namespace {

MPI_Request begin_send(const Among& among, std::span<const std::byte> bytes, int to) {
  MPI_Request request = MPI_REQUEST_NULL;
  must(MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, among.ranks[core::at(to)], among.tag,
                 among.comm, &request),
       "MPI_Isend");
  return request;
}

void send(const Among& among, std::span<const std::byte> bytes, int to) {
  MPI_Request request = begin_send(among, bytes, to);
  wait_for(request);
}

void receive(const Among& among, std::span<std::byte> bytes, int from) {
  MPI_Request request = MPI_REQUEST_NULL;
  must(MPI_Irecv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, among.ranks[core::at(from)],
                 among.tag, among.comm, &request),
       "MPI_Irecv");
  wait_for(request);
}

}  // namespace

void broadcast_among(const Among& among, std::span<std::byte> bytes) {
  const auto count = static_cast<int>(among.ranks.size());
  int reach = 1;  // this rank has the bytes from the one this far before it
  while (reach < count && (among.index & reach) == 0) reach <<= 1;
  if (among.index > 0) receive(among, bytes, among.index - reach);
  for (reach >>= 1; reach > 0; reach >>= 1)
    if (among.index + reach < count) send(among, bytes, among.index + reach);
}

namespace {

/// Without allocations: where one failed, others would wait for ever.
constexpr std::size_t most_at_once = 16 << 10;

/// Recursive doubling (Thakur, Rabenseifner & Gropp, 2005) among as many ranks as are a power of two. Each of
/// the others gives its record to one of these before, and has the result from it.
void reduce_part(const Among& among, std::span<std::byte> record, Combine combine) {
  const auto count = static_cast<int>(among.ranks.size());
  const auto inner = static_cast<int>(std::bit_floor(static_cast<unsigned>(count)));
  if (among.index >= inner) {
    send(among, record, among.index - inner);
    return receive(among, record, among.index - inner);
  }
  alignas(std::max_align_t) std::byte room[most_at_once];
  const std::span<std::byte> other(room, record.size());
  const bool has_outer = among.index + inner < count;
  if (has_outer) {
    receive(among, other, among.index + inner);
    combine(other.data(), record.data(), record.size());
  }
  for (int reach = 1; reach < inner; reach <<= 1) {
    MPI_Request sent = begin_send(among, record, among.index ^ reach);
    receive(among, other, among.index ^ reach);
    wait_for(sent);
    combine(other.data(), record.data(), record.size());
  }
  if (has_outer) send(among, record, among.index + inner);
}

}  // namespace

void reduce_among(const Among& among, std::span<std::byte> record, Combine combine) {
  for (; !record.empty(); record = record.subspan(std::min(most_at_once, record.size())))
    reduce_part(among, record.first(std::min(most_at_once, record.size())), combine);
}

void reduce_to_all(void* data, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (alone(comm)) return;
  MPI_Request request = MPI_REQUEST_NULL;
  must(MPI_Iallreduce(MPI_IN_PLACE, data, count, type, op, comm, &request), "MPI_Iallreduce");
  wait_for(request);
}

std::int64_t sum_to_here(std::int64_t mine, MPI_Comm comm) {
  if (alone(comm)) return mine;
  MPI_Request request = MPI_REQUEST_NULL;
  must(MPI_Iscan(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_SUM, comm, &request), "MPI_Iscan");
  wait_for(request);
  return mine;
}

void reduce_to_first(void* data, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (alone(comm)) return;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Request request = MPI_REQUEST_NULL;
  must(MPI_Ireduce(rank == 0 ? MPI_IN_PLACE : data, rank == 0 ? data : nullptr, count, type, op, 0, comm,
                   &request),
       "MPI_Ireduce");
  wait_for(request);
}

void gather_to_all(const void* mine, int bytes, void* all, MPI_Comm comm) {
  if (alone(comm)) return static_cast<void>(std::memcpy(all, mine, static_cast<std::size_t>(bytes)));
  MPI_Request request = MPI_REQUEST_NULL;
  must(MPI_Iallgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm, &request), "MPI_Iallgather");
  wait_for(request);
}

void gather(const void* mine, int bytes, void* all, MPI_Comm comm) {
  if (alone(comm)) return static_cast<void>(std::memcpy(all, mine, static_cast<std::size_t>(bytes)));
  MPI_Request request = MPI_REQUEST_NULL;
  must(MPI_Igather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, 0, comm, &request), "MPI_Igather");
  wait_for(request);
}

void meet(MPI_Comm comm) {
  if (alone(comm)) return;
  MPI_Request request = MPI_REQUEST_NULL;
  must(MPI_Ibarrier(comm, &request), "MPI_Ibarrier");
  wait_for(request);
}

bool all_true(bool mine, MPI_Comm comm) {
  int all = mine ? 1 : 0;
  reduce_to_all(&all, 1, MPI_INT, MPI_MIN, comm);
  return all != 0;
}

namespace {

void send(int word, int to, int tag, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  must(MPI_Isend(&word, 1, MPI_INT, to, tag, comm, &request), "MPI_Isend");
  wait_for(request);
}

int receive(int from, int tag, MPI_Comm comm) {
  int word = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  must(MPI_Irecv(&word, 1, MPI_INT, from, tag, comm, &request), "MPI_Irecv");
  wait_for(request);
  return word;
}

}  // namespace

int meet_and_hear(MPI_Comm comm, int tag, const std::function<int()>& decide) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int reach =
      1;  // ranks rank + 1, rank + 2, rank + 4, … below this one have those up to the next of them below
  for (; reach < size && (rank & reach) == 0; reach <<= 1)
    if (rank + reach < size) static_cast<void>(receive(rank + reach, tag, comm));
  int word = 0;
  if (rank == 0) {
    word = decide();
  } else {
    send(0, rank - reach, tag, comm);
    word = receive(rank - reach, tag, comm);
  }
  for (reach >>= 1; reach > 0; reach >>= 1)
    if (rank + reach < size) send(word, rank + reach, tag, comm);
  return word;
}

}  // namespace collio::transport
