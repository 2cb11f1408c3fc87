// The ranks of a communicator, what is known of their nodes, and the lines on which they talk: made once,
// shared by all files they open.
//
// Communicators are scarce (MPICH has 2048) and dear to make, and programs keep a thousand files open. The
// first files that are open at once have a line each; of two of those, calls may be under way in any order.
// Further files borrow a line for each call.
//
// A crew lives as long as the communicators its files were opened on, whose attribute holds it, and as long
// as its files. Where the ranks are those of MPI_COMM_WORLD or MPI_COMM_SELF, that holds it: libraries open
// each file on a duplicate that they free.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "access/mpi_life.hpp"
#include "engine/open/known_places.hpp"
#include "engine/open/line.hpp"
#include "engine/open/switchboard.hpp"
#include "engine/open/ticket.hpp"

namespace collio::engine {

class Crew {
 public:
  /// for the first files that are open at once
  static constexpr int own_lines = 16;

  /// A file's part in its crew, until it is closed.
  class Membership {
   public:
    Membership() = default;
    Membership(Membership&& other) noexcept;
    Membership& operator=(Membership&& other) noexcept;
    ~Membership() { leave(); }

    /// The network is each file's own to find out.
    [[nodiscard]] const Place& place() const noexcept { return *crew_->place_; }
    /// This file's own line; null: it borrows one for each call.
    [[nodiscard]] Line* own() const noexcept { return own_; }
    /// A line for the call that all ranks make on this file; to be released. Collective.
    [[nodiscard]] Line& borrow() const { return board_->connect(number_); }

   private:
    friend class Crew;
    void leave() noexcept;
    std::shared_ptr<Crew> crew_;
    Line* own_ = nullptr;
    Switchboard* board_ = nullptr;
    /// of the line, or of the file among those that borrow
    int number_ = -1;
  };

  /// Ranks that open a file.
  struct Gathering {
    MPI_Comm comm = MPI_COMM_NULL;
    /// null: they have none yet, or had it before
    const Hall* hall = nullptr;
  };

  /// The crew that this rank knows the communicator's ranks by, before it has met them. On the first rank
  /// also the ticket for a file, which is void if the file does not join.
  class Offer {
   public:
    /// Not collective.
    explicit Offer(MPI_Comm comm);
    ~Offer() { withdraw(); }
    Offer(const Offer&) = delete;
    Offer& operator=(const Offer&) = delete;
    [[nodiscard]] CrewId crew() const noexcept { return crew_ ? crew_->id_ : CrewId{}; }
    [[nodiscard]] const Ticket& ticket() const noexcept { return ticket_; }

   private:
    friend class Crew;
    void withdraw() noexcept;
    std::shared_ptr<Crew> crew_;
    Ticket ticket_;
    /// on the first rank
    bool reserved_ = false;
  };

  /// A part for one file in the crew of the communicator's ranks, which is made when there is none. `ticket`:
  /// of the first rank, whose crew is that of all ranks; null: they are not of one mind. Collective. An error
  /// on all ranks: MPI has no more communicators.
  [[nodiscard]] static core::Result<Membership> join(const Gathering& at, Offer& offer, const Ticket* ticket);

  /// This process has a crew, of whatever ranks. Thread-safe.
  [[nodiscard]] static bool any();
  /// No other process has it: numbers of processes come again in containers. Thread-safe.
  [[nodiscard]] static CrewId fresh_id();
  /// It was made by this process as it is now: on the same processors, by the same settings.
  [[nodiscard]] bool fits_here() const;

 private:
  /// What ranks that are not of one mind come to.
  struct Finding {
    PlaceKey key;
    /// of all ranks; null: a new one
    std::shared_ptr<Crew> crew;
    Ticket ticket;
    /// of a new one; nothing: to be found out
    std::optional<Place> place;
  };
  [[nodiscard]] static Finding find_by_messages(MPI_Comm comm);
  [[nodiscard]] static Finding find_in_hall(const Gathering& at);
  [[nodiscard]] static core::Result<Membership> join_found(const Gathering& at, Finding found);
  [[nodiscard]] core::Error serve(const Gathering& at, const Ticket& ticket, Membership& member);
  [[nodiscard]] static std::shared_ptr<Crew> find(const PlaceKey& key, const Ticket& ticket);
  [[nodiscard]] Ticket reserve();
  void cancel(const Ticket& ticket);
  template <class Map>
  auto& wait_for(Map& map, int place);
  [[nodiscard]] core::Error serve_own(const Gathering& at, const Ticket& ticket, Membership& member);
  [[nodiscard]] core::Error serve_shared(MPI_Comm comm, const Ticket& ticket, Membership& member);

  access::MpiStays mpi_stays_;
  CrewId id_{};
  PlaceKey key_;
  std::optional<Place> place_;
  /// of what follows
  std::mutex mutex_;
  /// null: being made
  std::map<int, std::unique_ptr<Line>> lines_;
  /// null: being made; one, unless files were opened at the same time
  std::map<int, std::unique_ptr<Switchboard>> boards_;
  /// of files that borrow; complete on the first rank
  std::set<int> numbers_;
};

}  // namespace collio::engine
