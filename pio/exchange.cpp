// See exchange.hpp.
#include "exchange.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace collio::pio {

namespace {

constexpr int int64s_per_run = 2;

/// Runs of a message, at most: a rank without memory has room for one still.
constexpr std::size_t most_runs = 1024;

struct Messages {
  RunsByRank runs;
  /// MPI_REQUEST_NULL until they are sent
  std::vector<MPI_Request> requests;

  explicit Messages(RunsByRank by_rank) : runs(std::move(by_rank)) {
    std::size_t count = 0;
    for (const auto& [rank, part] : runs) count += (part.size() + most_runs - 1) / most_runs;
    requests.resize(count, MPI_REQUEST_NULL);
  }
};

void send(const System& system, int tag, Messages& out) {
  auto request = out.requests.begin();
  for (const auto& [rank, runs] : out.runs)
    for (std::size_t i = 0; i < runs.size(); i += most_runs) {
      const auto numbers = static_cast<int>(std::min(most_runs, runs.size() - i)) * int64s_per_run;
      MPI_Issend(runs.data() + i, numbers, MPI_INT64_T, rank, tag, system.comm, &*request++);
    }
}

/// Appends what a rank has sent. Received even if there is no memory to append it: its sender waits.
void receive(const System& system, MPI_Status& status, RunsByRank& received) {
  std::array<Run, most_runs> message;
  int numbers = 0;
  MPI_Get_count(&status, MPI_INT64_T, &numbers);
  MPI_Recv(message.data(), numbers, MPI_INT64_T, status.MPI_SOURCE, status.MPI_TAG, system.comm,
           MPI_STATUS_IGNORE);
  std::vector<Run>& of_rank = received[status.MPI_SOURCE];
  of_rank.insert(of_rank.end(), message.begin(), message.begin() + numbers / int64s_per_run);
}

}  // namespace

Shares::Shares(const System& system, std::int64_t array_elements)
    : elements_(array_elements),
      share_(std::max<std::int64_t>(1, (array_elements + system.size - 1) / system.size)) {}

Run Shares::of(int rank) const {
  const std::int64_t begin = std::min(elements_, share_ * rank);
  return {begin, std::min(elements_, begin + share_)};
}

RunsByRank Shares::by_owner(const std::vector<Run>& runs) const {
  RunsByRank cut;
  for (Run run : runs)
    while (run.begin < run.end) {
      const std::int64_t owner = run.begin / share_;
      const std::int64_t end = std::min(run.end, (owner + 1) * share_);
      cut[static_cast<int>(owner)].push_back({run.begin, end});
      run.begin = end;
    }
  return cut;
}

/// Receives until all ranks are done. Nobody knows how many will send: a rank enters the barrier when its own
/// messages have been received, and the barrier is complete when all have. Without memory goes on to receive,
/// and fails then.
Failure exchange(const System& system, const char* function, const Outgoing& outgoing, RunsByRank& received) {
  std::optional<Messages> out;
  std::vector<MPI_Request> none;
  Failure failure = with_memory(function, [&]() -> Failure {
    out.emplace(outgoing.make());
    return {};
  });
  if (out) send(system, outgoing.tag, *out);
  std::vector<MPI_Request>& sends = out ? out->requests : none;
  MPI_Request barrier = MPI_REQUEST_NULL;
  for (bool in_barrier = false, done = false; !done;) {
    int there = 0, flag = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, outgoing.tag, system.comm, &there, &status);
    if (there) {
      keep_worse(failure, with_memory(function, [&]() -> Failure {
                   receive(system, status, received);
                   return {};
                 }));
      if (failure) received.clear();
    }
    if (in_barrier) {
      MPI_Test(&barrier, &flag, MPI_STATUS_IGNORE);
      done = flag != 0;
    } else {
      MPI_Testall(static_cast<int>(sends.size()), sends.data(), &flag, MPI_STATUSES_IGNORE);
      if (flag) MPI_Ibarrier(system.comm, &barrier);
      in_barrier = flag != 0;
    }
  }
  return failure;
}

}  // namespace collio::pio
