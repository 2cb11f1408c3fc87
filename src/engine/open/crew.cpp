// See crew.hpp.
#include "engine/open/crew.hpp"

#include <algorithm>
#include <atomic>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "engine/open/crew_holders.hpp"
#include "engine/open/processors.hpp"
#include "transport/waiting/collectives.hpp"
#include "transport/waiting/waiting.hpp"

namespace collio::engine {

namespace {

/// All crews of this process, the latest last.
struct Registry {
  std::mutex mutex;
  std::vector<std::weak_ptr<Crew>> crews;
};
Registry& registry() {
  static auto* r = new Registry;
  return *r;
}

template <class Map>
int first_free(const Map& used) {
  int number = 0;
  while (used.contains(number)) ++number;
  return number;
}

}  // namespace

CrewId Crew::fresh_id() {
  static const std::uint64_t process = [] {
    std::random_device device;
    return static_cast<std::uint64_t>(device()) << 32 | device();
  }();
  static std::atomic<std::uint64_t> count{0};
  return {process, ++count};
}

bool Crew::any() {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  return !std::ranges::all_of(r.crews, [](const auto& crew) { return crew.expired(); });
}

Crew::Membership::Membership(Membership&& other) noexcept { *this = std::move(other); }

Crew::Membership& Crew::Membership::operator=(Membership&& other) noexcept {
  leave();
  crew_ = std::move(other.crew_);
  own_ = std::exchange(other.own_, nullptr);
  board_ = std::exchange(other.board_, nullptr);
  number_ = other.number_;
  return *this;
}

void Crew::Membership::leave() noexcept {
  if (own_) own_->release();
  if (board_) {
    const std::lock_guard lock(crew_->mutex_);
    crew_->numbers_.erase(number_);
  }
  own_ = nullptr;
  board_ = nullptr;
  crew_.reset();
}

std::shared_ptr<Crew> Crew::find(const PlaceKey& key, const Ticket& ticket) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  std::erase_if(r.crews, [](const auto& crew) { return crew.expired(); });
  for (auto at = r.crews.rbegin(); at != r.crews.rend(); ++at) {
    auto crew = at->lock();
    const bool meant = ticket.crew == CrewId{} || (crew && crew->id_ == ticket.crew);
    if (crew && meant && crew->key_ == key) return crew;
  }
  return nullptr;
}

/// On the first rank.
Ticket Crew::reserve() {
  const std::lock_guard lock(mutex_);
  Ticket ticket{.crew = id_};
  for (const auto& [index, line] : lines_) {
    if (!line || !line->try_take()) continue;
    ticket.place = index;
    ticket.made_now = 0;
    return ticket;
  }
  if (lines_.size() < own_lines) {
    ticket.place = first_free(lines_);
    lines_[ticket.place] = nullptr;
    return ticket;
  }
  ticket.shares = 1;
  ticket.number = first_free(numbers_);
  numbers_.insert(ticket.number);
  const auto board = std::ranges::find_if(boards_, [](const auto& one) { return one.second != nullptr; });
  ticket.made_now = board == boards_.end();
  ticket.place = ticket.made_now ? first_free(boards_) : board->first;
  if (ticket.made_now) boards_[ticket.place] = nullptr;
  return ticket;
}

/// On the first rank: nothing came of it.
void Crew::cancel(const Ticket& ticket) {
  const std::lock_guard lock(mutex_);
  if (ticket.shares) numbers_.erase(ticket.number);
  if (ticket.made_now) {
    ticket.shares ? boards_.erase(ticket.place) : lines_.erase(ticket.place);
  } else if (!ticket.shares) {
    lines_[ticket.place]->release();
  }
}

/// What `map` has there, once it is: another thread of this process may be about to put it there, which waits
/// for nobody.
template <class Map>
auto& Crew::wait_for(Map& map, int place) {
  for (transport::PoliteWait wait;; wait.idle()) {
    const std::lock_guard lock(mutex_);
    if (const auto found = map.find(place); found != map.end() && found->second) return *found->second;
  }
}

core::Error Crew::serve_own(const Gathering& at, const Ticket& ticket, Membership& member) {
  int rank = 0;
  MPI_Comm_rank(at.comm, &rank);
  if (!ticket.made_now) {
    member.own_ = &wait_for(lines_, ticket.place);
    // A file's close may still be at its end here, on another thread. All ranks have come to it, as the first
    // one has released the line: it ends.
    if (rank != 0) member.own_->take();
    return {};
  }
  std::optional<Place> place = place_;
  auto line = Line::make(at.comm, place, at.hall);
  if (!line) return line.error();
  member.own_ = line.value().get();
  member.own_->take();
  const std::lock_guard lock(mutex_);
  if (!place_) place_ = std::move(place);
  lines_[ticket.place] = std::move(line.value());
  return {};
}

core::Error Crew::serve_shared(MPI_Comm comm, const Ticket& ticket, Membership& member) {
  if (ticket.number >= Switchboard::most_files)
    return {core::ErrorClass::other,
            "more than " + std::to_string(Switchboard::most_files) + " files are open on the same ranks"};
  if (ticket.made_now) {
    std::optional<Place> place = place_;
    auto board = Switchboard::make(comm, place);
    if (!board) return board.error();
    const std::lock_guard lock(mutex_);
    boards_[ticket.place] = std::move(board.value());
  }
  member.board_ = &wait_for(boards_, ticket.place);
  member.number_ = ticket.number;
  const std::lock_guard lock(mutex_);
  numbers_.insert(ticket.number);
  return {};
}

Crew::Finding Crew::find_by_messages(MPI_Comm comm) {
  Finding found{.key = place_key(comm)};
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  found.place = known_place(found.key);
  Ticket& ticket = found.ticket;
  if (rank == 0) {
    found.crew = find(found.key, ticket);
    if (found.crew) ticket = found.crew->reserve();
    ticket.fresh = fresh_id();
    ticket.known = found.crew || found.place;
  }
  transport::broadcast(&ticket, sizeof ticket, MPI_BYTE, 0, comm);
  // From here on what rank 0 knows decides which collectives follow. What this rank knows, goes into them.
  if (rank != 0 && ticket.crew != CrewId{}) found.crew = find(found.key, ticket);
  int all_know[] = {found.crew ? 1 : 0, found.place ? 1 : 0};
  if (ticket.known)
    transport::reduce_to_all(all_know, 2, MPI_INT, MPI_MIN, comm);
  else
    all_know[0] = all_know[1] = 0;
  if (rank == 0 && found.crew && !all_know[0]) found.crew->cancel(ticket);
  if (!all_know[0]) found.crew.reset();
  if (!all_know[1]) found.place.reset();
  return found;
}

Crew::Finding Crew::find_in_hall(const Gathering& at) {
  Finding found{.key = key_of(at.hall->ranks())};
  int rank = 0, size = 1;
  MPI_Comm_rank(at.comm, &rank);
  MPI_Comm_size(at.comm, &size);
  found.place = place_on_one_node(at.hall->facts(), rank, size);
  found.ticket.fresh = at.hall->fresh();
  if (at.hall->strangers()) return found;  // on all ranks, or some would wait at the board
  if (rank == 0) {
    found.crew = find(found.key, {});
    if (found.crew) found.ticket = found.crew->reserve();
    found.ticket.fresh = at.hall->fresh();
  }
  at.hall->hear_first(std::as_writable_bytes(std::span(&found.ticket, 1)));
  if (found.ticket.crew == CrewId{}) return found;  // the first rank's: on all ranks
  if (rank != 0) found.crew = find(found.key, found.ticket);
  if (at.hall->all_true(found.crew != nullptr)) return found;
  if (rank == 0) found.crew->cancel(found.ticket);
  found.crew.reset();
  return found;
}

core::Result<Crew::Membership> Crew::join_found(const Gathering& at, Finding found) {
  const bool is_new = !found.crew, is_known = found.place.has_value();
  if (is_new) {
    found.ticket = {.crew = found.ticket.fresh};
    found.crew = std::make_shared<Crew>();
    found.crew->id_ = found.ticket.crew;
    found.crew->key_ = found.key;
    found.crew->place_ = std::move(found.place);
  }
  const std::shared_ptr<Crew>& crew = found.crew;
  Membership member;
  member.crew_ = crew;
  if (core::Error error = crew->serve(at, found.ticket, member); !error.ok()) {
    int rank = 0;
    MPI_Comm_rank(at.comm, &rank);
    if (rank == 0 && !is_new) crew->cancel(found.ticket);
    return error;
  }
  if (is_new) {
    if (at.hall || !is_known) remember_place(std::move(found.key), *crew->place_);
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    r.crews.push_back(crew);
  }
  hold(at.comm, crew);
  return member;
}

core::Error Crew::serve(const Gathering& at, const Ticket& ticket, Membership& member) {
  return ticket.shares ? serve_shared(at.comm, ticket, member) : serve_own(at, ticket, member);
}

bool Crew::fits_here() const {
  return key_.ranks_per_node == emulated_nodes_text() && key_.processors == own_processors();
}

Crew::Offer::Offer(MPI_Comm comm) : crew_(held_crew(comm)) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (!crew_ || rank != 0) return;
  ticket_ = crew_->reserve();
  reserved_ = true;
}

void Crew::Offer::withdraw() noexcept {
  if (std::exchange(reserved_, false)) crew_->cancel(ticket_);
}

core::Result<Crew::Membership> Crew::join(const Gathering& at, Offer& offer, const Ticket* ticket) {
  if (!ticket) {
    offer.withdraw();
    return join_found(at, at.hall ? find_in_hall(at) : find_by_messages(at.comm));
  }
  Membership member;
  member.crew_ = offer.crew_;
  if (core::Error error = offer.crew_->serve({at.comm}, *ticket, member); !error.ok()) return error;
  offer.reserved_ = false;
  return member;
}

}  // namespace collio::engine
