// See switchboard.hpp.
#include "engine/open/switchboard.hpp"

#include <utility>

#include "core/index.hpp"
#include "transport/waiting/collectives.hpp"
#include "transport/waiting/communicators.hpp"
#include "transport/waiting/waiting.hpp"

namespace collio::engine {

core::Result<std::unique_ptr<Switchboard>> Switchboard::make(MPI_Comm comm, std::optional<Place>& place) {
  std::unique_ptr<Switchboard> board(new Switchboard);
  for (int i = 0; i < lines; ++i) {
    auto line = Line::make(comm, place);
    if (!line) return line.error();
    board->lines_.push_back(std::move(line.value()));
  }
  const transport::ErrorsReturn quiet(comm);
  const MPI_Comm lobby = transport::duplicate(comm);
  if (!transport::all_true(lobby != MPI_COMM_NULL, comm))
    return core::Error{core::ErrorClass::other, "MPI gave no communicator for files that share lines"};
  transport::end_on_errors(lobby);
  board->lobby_ = lobby;
  return board;
}

Switchboard::~Switchboard() {
  if (lobby_ != MPI_COMM_NULL) MPI_Comm_free(&lobby_);
}

int Switchboard::take_any() noexcept {
  for (transport::PoliteWait wait;; wait.idle())
    for (int i = 0; i < lines; ++i)
      if (lines_[core::at(i)]->try_take()) return i;
}

Line& Switchboard::connect(int number) {
  // Rank 0 takes a line when all ranks have come, so no call holds one while it waits for ranks that have
  // not. A line that is free on rank 0 is at the end of its call on the others.
  bool taken = false;
  const int index = transport::meet_and_hear(lobby_, number, [&] {
    taken = true;
    return take_any();
  });
  Line& line = *lines_[core::at(index)];
  if (!taken) line.take();
  return line;
}

}  // namespace collio::engine
