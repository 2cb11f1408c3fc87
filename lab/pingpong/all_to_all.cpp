#include "all_to_all.hpp"

#include <mpi.h>

#include <array>

#include "patience.hpp"

namespace collio::pingpong {
namespace {

constexpr int kTag = 2000;

/// A node's part: from every other node into `in`, a message each, and `out` to every other node.
struct Part {
  std::vector<unsigned char> in, out;
  std::vector<MPI_Request> requests;
};

void post(Part& part, const std::vector<Place>& places, std::size_t own, std::int64_t bytes) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int count = static_cast<int>(bytes);
  const std::size_t nodes = places.size();
  for (std::size_t step = 1; step < nodes;
       ++step) {  // each in another order, so that nobody gets all at once
    const std::size_t from = (own + nodes - step) % nodes, to = (own + step) % nodes;
    if (rank == places[own].receiver)
      MPI_Irecv(part.in.data() + from * static_cast<std::size_t>(bytes), count, MPI_BYTE, places[from].sender,
                kTag, MPI_COMM_WORLD, &part.requests.emplace_back());
    if (rank == places[own].sender)
      MPI_Isend(part.out.data(), count, MPI_BYTE, places[to].receiver, kTag, MPI_COMM_WORLD,
                &part.requests.emplace_back());
  }
}

}  // namespace

double all_to_all_s(const std::vector<Place>& places, std::int64_t bytes) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Part part;
  for (const Place& place : places) {
    if (rank == place.receiver) part.in.resize(static_cast<std::size_t>(bytes) * places.size());
    if (rank == place.sender)
      part.out.resize(static_cast<std::size_t>(bytes), static_cast<unsigned char>(rank));
  }
  barrier();
  const std::array<double, 2> mine = [&] {
    const double start = now_s();
    for (std::size_t own = 0; own < places.size(); ++own)
      if (rank == places[own].sender || rank == places[own].receiver) post(part, places, own, bytes);
    wait(part.requests);
    return std::array<double, 2>{-start, now_s()};  // begin negated, so that one maximum finds both
  }();
  std::array<double, 2> span = mine;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ireduce(mine.data(), span.data(), 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD, &request);
  wait(request);
  return span[0] + span[1];
}

}  // namespace collio::pingpong
