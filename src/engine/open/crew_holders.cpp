// See crew_holders.hpp. Communicators may be freed in an attribute's delete function, and for MPI_COMM_SELF
// MPI calls that before it ends.
#include "engine/open/crew_holders.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <mutex>

#include "access/mpi_life.hpp"
#include "engine/open/crew.hpp"

namespace collio::engine {

namespace {

constexpr std::size_t most_held = 4;

struct Held {
  std::deque<std::shared_ptr<Crew>> crews;
  Met met;
};

std::mutex mutex;
int key = MPI_KEYVAL_INVALID;  // of the attribute
std::uint64_t life_of_key = 0;

int let_go(MPI_Comm comm, int, void* value, void*) {
  if (access::has_world() && comm == MPI_COMM_SELF) {
    access::end_mpi_life();
    int of_world = MPI_KEYVAL_INVALID;
    {
      const std::lock_guard lock(mutex);
      std::swap(of_world, key);
    }
    void* held = nullptr;
    int found = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, of_world, &held, &found);
    if (found) MPI_Comm_delete_attr(MPI_COMM_WORLD, of_world);
    MPI_Comm_free_keyval(&of_world);
  }
  delete static_cast<Held*>(value);
  return MPI_SUCCESS;
}

bool same_ranks(MPI_Comm comm, MPI_Comm other) {
  int size = 0, other_size = 0, how = MPI_UNEQUAL;
  MPI_Comm_size(comm, &size);
  MPI_Comm_size(other, &other_size);
  if (size != other_size) return false;
  MPI_Comm_compare(comm, other, &how);
  return how == MPI_IDENT || how == MPI_CONGRUENT;
}

MPI_Comm holder_of(MPI_Comm comm) {
  if (!access::has_world()) return comm;  // a session's
  if (same_ranks(comm, MPI_COMM_SELF)) return MPI_COMM_SELF;
  return same_ranks(comm, MPI_COMM_WORLD) ? MPI_COMM_WORLD : comm;
}

/// Under the lock.
bool has_key() { return key != MPI_KEYVAL_INVALID && life_of_key == access::mpi_life(); }

/// What `comm` holds. Under the lock.
Held& held_by(MPI_Comm comm) {
  if (!has_key()) {
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, let_go, &key, nullptr);
    life_of_key = access::mpi_life();
  }
  void* value = nullptr;
  int found = 0;
  MPI_Comm_get_attr(comm, key, &value, &found);
  if (found) return *static_cast<Held*>(value);
  if (access::has_world() && comm == MPI_COMM_WORLD) held_by(MPI_COMM_SELF);  // its end is MPI's
  auto* fresh = new Held;
  MPI_Comm_set_attr(comm, key, fresh);
  return *fresh;
}

}  // namespace

void hold(MPI_Comm comm, const std::shared_ptr<Crew>& crew) {
  const MPI_Comm holder = holder_of(comm);
  std::shared_ptr<Crew> dropped;  // not under the lock
  const std::lock_guard lock(mutex);
  auto& held = held_by(holder).crews;
  if (std::ranges::find(held, crew) != held.end()) return;
  held.push_back(crew);
  if (held.size() <= most_held) return;
  dropped = std::move(held.front());
  held.pop_front();
}

std::shared_ptr<Crew> held_crew(MPI_Comm comm) {
  const MPI_Comm holder = holder_of(comm);
  const std::lock_guard lock(mutex);
  if (!has_key()) return nullptr;
  void* value = nullptr;
  int found = 0;
  MPI_Comm_get_attr(holder, key, &value, &found);
  if (!found) return nullptr;
  const auto& held = static_cast<Held*>(value)->crews;
  const auto fits =
      std::find_if(held.rbegin(), held.rend(), [](const auto& crew) { return crew->fits_here(); });
  return fits == held.rend() ? nullptr : *fits;
}

Met& met_on(MPI_Comm comm) {
  const std::lock_guard lock(mutex);
  return held_by(comm).met;
}

}  // namespace collio::engine
