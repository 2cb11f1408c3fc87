// See io_tasks_apart.hpp.
#include "io_tasks_apart.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "system.hpp"

namespace collio::pio {

namespace {

constexpr int done_tag = 0;
constexpr std::chrono::microseconds shortest_nap{100}, longest_nap{10'000};

/// What a rank brings to the call.
struct Call {
  const char* function;
  MPI_Comm world;
  /// null: this rank is not in it; else the call's to keep
  std::vector<MPI_Comm> components;
  /// null: this rank is no I/O task
  MPI_Comm io = MPI_COMM_NULL;
  int* ids = nullptr;
};

/// Until `done()`, with little of a core's time: others compute meanwhile.
template <class Done>
void wait_for(Done&& done) {
  for (auto nap = shortest_nap; !done(); nap = std::min(2 * nap, longest_nap))
    std::this_thread::sleep_for(nap);
}

/// The first I/O task hears from all components, the others from it.
void wait_for_components(MPI_Comm world, MPI_Comm io, int components) {
  int rank = 0;
  MPI_Comm_rank(io, &rank);
  for (int i = 0; rank == 0 && i < components; ++i) {
    MPI_Request done = MPI_REQUEST_NULL;
    MPI_Irecv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, done_tag, world, &done);
    wait_for([&] {
      int flag = 0;
      MPI_Test(&done, &flag, MPI_STATUS_IGNORE);
      return flag != 0;
    });
  }
  MPI_Request all = MPI_REQUEST_NULL;
  MPI_Ibarrier(io, &all);
  wait_for([&] {
    int flag = 0;
    MPI_Test(&all, &flag, MPI_STATUS_IGNORE);
    return flag != 0;
  });
}

int rank_in(MPI_Comm comm) {
  int rank = -1;
  if (comm != MPI_COMM_NULL) MPI_Comm_rank(comm, &rank);
  return rank;
}

int roots_of(const std::vector<MPI_Comm>& components) {
  return static_cast<int>(
      std::count_if(components.begin(), components.end(), [](MPI_Comm comm) { return rank_in(comm) == 0; }));
}

Failure check_parts(const Call& call, int rank) {
  if (call.io == MPI_COMM_NULL) return {};
  for (std::size_t i = 0; i < call.components.size(); ++i)
    if (call.components[i] != MPI_COMM_NULL)
      return {PIO_EINVAL, std::string(call.function) + ": rank " + std::to_string(rank) +
                              " is an I/O task, and in component " + std::to_string(i) +
                              "; it can be one of these"};
  return {};
}

/// Makes the systems, or waits until they are freed. Collective over the world.
Failure make_systems(const Call& call) {
  const System ranks = ranks_of(call.world);
  Failure failure = agree(ranks, check_parts(call, ranks.rank));
  if (failure) return failure;
  int first_and_count[2] = {-1, 0}, components = roots_of(call.components);
  if (rank_in(call.io) == 0) {
    first_and_count[0] = ranks.rank;
    MPI_Comm_size(call.io, &first_and_count[1]);
  }
  MPI_Allreduce(MPI_IN_PLACE, first_and_count, 2, MPI_INT, MPI_MAX, call.world);
  MPI_Allreduce(MPI_IN_PLACE, &components, 1, MPI_INT, MPI_SUM, call.world);
  const auto [first, tasks] = first_and_count;
  if (first < 0) return {PIO_EINVAL, std::string(call.function) + ": there is no I/O task", true};
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(call.world, &own);
  const auto apart = std::make_shared<IoTasksApart>(own, first);
  for (std::size_t i = 0; i < call.components.size(); ++i)
    call.ids[i] =
        call.components[i] == MPI_COMM_NULL ? -1 : add_system(call.components[i], {tasks, 1, 0}, apart);
  if (call.io != MPI_COMM_NULL) wait_for_components(own, call.io, components);
  return {};
}

/// Frees what a failed call keeps.
int finish(Call call, Failure failure) {
  const int code = report(nullptr, failure);
  for (MPI_Comm& comm : call.components)
    if (failure && comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  return code;
}

int init_by_comms(Call call, int count, const MPI_Comm* components) {
  Failure failure;
  if (count < 1)
    failure = not_allowed(std::string(call.function) + ": component_count", count, "1 and more");
  else if (!components || !call.ids)
    failure = {PIO_EINVAL,
               std::string(call.function) + ": the communicators or the place for the ids are null"};
  failure = agree(ranks_of(call.world), std::move(failure));
  if (failure) return report(nullptr, failure);
  call.components.assign(static_cast<std::size_t>(count), MPI_COMM_NULL);
  for (int i = 0; i < count; ++i)
    if (components[i] != MPI_COMM_NULL)
      MPI_Comm_dup(components[i], &call.components[static_cast<std::size_t>(i)]);
  return finish(call, make_systems(call));
}

/// Ranks of the world, in the order that they have in their part.
using Part = std::vector<int>;

/// The parts of a call, I/O tasks first. Without lists ranks follow each other.
struct Lists {
  int io_count;
  const int* io;
  int components;
  const int* counts;
  const int* const* lists;
};

Failure read_lists(const char* function, const Lists& lists, int ranks, std::vector<Part>& parts) {
  const std::string name = std::string(function) + ": ";
  if (lists.io_count < 1) return not_allowed(name + "num_io_procs", lists.io_count, "1 and more");
  if (lists.components < 1) return not_allowed(name + "component_count", lists.components, "1 and more");
  if (!lists.counts) return {PIO_EINVAL, name + "num_procs_per_comp is null"};
  int next = 0;
  const auto add = [&](int count, const int* list) {
    Part part;
    for (int i = 0; i < count; ++i) part.push_back(list ? list[i] : next++);
    parts.push_back(std::move(part));
  };
  add(lists.io_count, lists.io);
  next = lists.io_count;
  for (int i = 0; i < lists.components; ++i) add(lists.counts[i], lists.lists ? lists.lists[i] : nullptr);
  for (const Part& part : parts)
    for (const int rank : part)
      if (rank < 0 || rank >= ranks)
        return not_allowed(name + "a rank", rank, "0 to " + std::to_string(ranks - 1));
  return {};
}

/// The communicator of a part; null on other ranks. Collective over the world.
MPI_Comm comm_of(MPI_Comm world, int rank, const Part& part) {
  const auto place = std::find(part.begin(), part.end(), rank);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(world, place == part.end() ? MPI_UNDEFINED : 0, static_cast<int>(place - part.begin()),
                 &comm);
  return comm;
}

/// Copies for the program. Null where it wants none.
struct Copies {
  MPI_Comm* io;
  MPI_Comm* components;
};

int init_by_lists(Call call, const Lists& lists, const Copies& copies) {
  const System ranks = ranks_of(call.world);
  std::vector<Part> parts;
  Failure failure = call.ids
                        ? read_lists(call.function, lists, ranks.size, parts)
                        : Failure{PIO_EINVAL, std::string(call.function) + ": the place for the ids is null"};
  failure = agree(ranks, std::move(failure));
  if (failure) return report(nullptr, failure);
  for (const Part& part : parts) call.components.push_back(comm_of(call.world, ranks.rank, part));
  call.io = call.components.front();
  call.components.erase(call.components.begin());
  if (copies.io) *copies.io = MPI_COMM_NULL;
  if (copies.io && call.io != MPI_COMM_NULL) MPI_Comm_dup(call.io, copies.io);
  for (std::size_t i = 0; copies.components && i < call.components.size(); ++i)
    if (call.components[i] != MPI_COMM_NULL) MPI_Comm_dup(call.components[i], &copies.components[i]);
  const int code = finish(call, make_systems(call));
  if (call.io != MPI_COMM_NULL) MPI_Comm_free(&call.io);
  return code;
}

}  // namespace

IoTasksApart::~IoTasksApart() {
  int over = 0;
  MPI_Finalized(&over);
  if (!over) MPI_Comm_free(&world_);
}

void IoTasksApart::tell_done() const { MPI_Send(nullptr, 0, MPI_BYTE, first_, done_tag, world_); }

}  // namespace collio::pio

using namespace collio::pio;

extern "C" {

int PIOc_init_async(MPI_Comm world, int num_io_procs, COLLIO_PIO_CONST int* io_proc_list, int component_count,
                    COLLIO_PIO_CONST int* num_procs_per_comp, COLLIO_PIO_CONST int** proc_list,
                    MPI_Comm* io_comm, MPI_Comm* comp_comm, int, int* iosysidp) {
  return init_by_lists({"PIOc_init_async", world, {}, MPI_COMM_NULL, iosysidp},
                       {num_io_procs, io_proc_list, component_count, num_procs_per_comp, proc_list},
                       {io_comm, comp_comm});
}

int PIOc_init_async_from_comms(MPI_Comm world, int component_count, MPI_Comm* comp_comm, MPI_Comm io_comm,
                               int, int* iosysidp) {
  return init_by_comms({"PIOc_init_async_from_comms", world, {}, io_comm, iosysidp}, component_count,
                       comp_comm);
}

int PIOc_init_intercomm(int component_count, const MPI_Comm peer_comm, const MPI_Comm* comp_comms,
                        const MPI_Comm io_comm, int, int* iosysidps) {
  return init_by_comms({"PIOc_init_intercomm", peer_comm, {}, io_comm, iosysidps}, component_count,
                       comp_comms);
}
}
