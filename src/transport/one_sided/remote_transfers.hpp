// This rank's one-sided transfers: asked for by a description, begun when granted, over when MPI says so.
//
// Memory that is not contiguous is staged, within the link's budget of bytes; a transfer that finds no room
// waits for those before it.
//
// Why ranks cannot deadlock: a grant needs only this rank's descriptions. A granted transfer under locks ends
// without its aggregator and frees its staging. Under fences the fence frees staging. This rank comes to the
// next fence even if transfers of that step wait for room: they belong to the step after it, which then has
// the same round again.
#pragma once

#include <functional>
#include <limits>
#include <list>

#include "access/access.hpp"
#include "transport/messages/domain_source.hpp"
#include "transport/one_sided/grants.hpp"

namespace collio::transport {

/// What a message carries besides its description.
enum class Payload { data, request, nothing };

/// Behind all rounds.
inline constexpr std::int64_t behind_all_rounds = std::numeric_limits<std::int64_t>::max();

class RemoteTransfers {
 public:
  /// `memory`: where data comes from (write) or goes to (read); outlives the transfers.
  RemoteTransfers(MessageLink link, const access::MemoryAccess& memory, Payload payload)
      : link_(link), memory_(memory), payload_(payload) {}
  ~RemoteTransfers() = default;
  RemoteTransfers(const RemoteTransfers&) = delete;
  RemoteTransfers& operator=(const RemoteTransfers&) = delete;

  /// Called with the lane of a transfer that is over.
  using Over = std::function<void(std::size_t lane)>;
  /// A description was sent on `lane`; its window begins at file offset `origin`.
  void ask(std::size_t lane, Description&& description, std::int64_t origin);
  /// Moves on what can. True when anything happened.
  bool advance(const Over& over);
  /// Nothing is left to do, notes included.
  [[nodiscard]] bool idle() const noexcept { return transfers_.empty() && notes_.empty(); }
  /// Data bytes that came (read).
  [[nodiscard]] std::int64_t bytes_got() const noexcept { return bytes_got_; }

  /// First round of which a grant is still to come.
  [[nodiscard]] std::int64_t first_not_granted() const noexcept { return first_round_in(State::asked); }
  /// First round that was granted, but waits for room in the budget.
  [[nodiscard]] std::int64_t first_without_room() const noexcept { return first_round_in(State::granted); }
  /// Fences, read: begins to get all that was granted and has room. Between two fences.
  void get_all();
  /// Fences: what was begun before is over.
  void fenced(const Over& over);

 private:
  enum class State {
    asked,
    /// waits for room
    granted,
    /// fences, read: has room
    ready,
    moving,
  };
  struct Transfer {
    std::size_t lane = 0;
    Description what;
    std::int64_t origin = 0;
    State state = State::asked;
    Grant grant;
    /// memory that is not contiguous
    Buffer staging;
  };
  using Place = std::list<Transfer>::iterator;

  [[nodiscard]] std::int64_t first_round_in(State state) const noexcept;
  bool take_grants();
  bool stage(Transfer& t);
  bool take_room(Transfer& t);
  void begin(Transfer& t);
  void send_note(const Transfer& t);
  bool retire_notes();
  Place finish(Place t, const Over& over);

  MessageLink link_;
  const access::MemoryAccess& memory_;
  Payload payload_;
  std::list<Transfer> transfers_;
  InFlight<Transfer*> asked_;
  InFlight<DoneNote> notes_;
  std::int64_t staged_bytes_ = 0, bytes_got_ = 0;
};

}  // namespace collio::transport
