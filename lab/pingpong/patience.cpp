#include "patience.hpp"

#include <ctime>

namespace collio::pingpong {

double now_s() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void nap() {
  const timespec length{.tv_sec = 0, .tv_nsec = 20'000};  // and the kernel's timer slack of 50 us
  nanosleep(&length, nullptr);
}

void wait(MPI_Request& request) {
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) nap();
  }
}

void wait(std::vector<MPI_Request>& requests) {
  for (int done = 0; done == 0;) {
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    if (done == 0) nap();
  }
}

void barrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  wait(request);
}

void sum_on_first(std::vector<double>& numbers) {
  const std::vector<double> mine = numbers;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ireduce(mine.data(), numbers.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_SUM, 0,
              MPI_COMM_WORLD, &request);
  wait(request);
}

}  // namespace collio::pingpong
