#include "latency.hpp"

#include <algorithm>

#include "patience.hpp"

namespace collio::pingpong {

double latency_s(const Flow& pair, const PingPong& shape) {
  constexpr int kTag = 1000;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  barrier();
  std::vector<unsigned char> message(static_cast<std::size_t>(shape.bytes));
  const int count = static_cast<int>(shape.bytes);
  std::vector<double> seconds;
  for (int k = 0; k < shape.times && rank == pair.source; ++k) {
    const double start = now_s();
    MPI_Send(message.data(), count, MPI_BYTE, pair.destination, kTag, MPI_COMM_WORLD);
    MPI_Recv(message.data(), count, MPI_BYTE, pair.destination, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    seconds.push_back((now_s() - start) / 2);
  }
  for (int k = 0; k < shape.times && rank == pair.destination; ++k) {
    MPI_Recv(message.data(), count, MPI_BYTE, pair.source, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(message.data(), count, MPI_BYTE, pair.source, kTag, MPI_COMM_WORLD);
  }
  std::vector<double> median(1, 0.0);
  if (!seconds.empty()) {
    std::nth_element(seconds.begin(), seconds.begin() + shape.times / 2, seconds.end());
    median[0] = seconds[static_cast<std::size_t>(shape.times) / 2];
  }
  barrier();
  sum_on_first(median);
  return median[0];
}

}  // namespace collio::pingpong
