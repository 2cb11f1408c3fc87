// The ranks of an open file while they can agree. Who has a Ranks is in a collective call, or in the open.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>

#include "policy/plan/plan.hpp"
#include "transport/liveness/roll_call.hpp"
#include "transport/node_memory/agreement.hpp"

namespace collio::engine {

class File;

/// A time in which the file has a line: its own, or one that it borrows.
class Ranks {
  /// else an earlier one did
  const bool took_line_;

 public:
  /// Collective where the file borrows a line.
  explicit Ranks(File& file);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  File& file;
  /// of all
  const MPI_Comm comm;
  /// of this rank's node
  const MPI_Comm node;
  transport::Agreement& agreement;
  /// which rank is in which collective call
  transport::RollCall& roll;
};

/// A collective call on the file, from construction to destruction. One at a time. Reductions in it return an
/// error where ranks are in different calls: calls that move bytes one way are one call, and others are if
/// they have one name. In check mode all are, if they have one name. Collective.
class Visit : public Ranks {
 public:
  /// `moves`: a call that moves bytes that way.
  Visit(File& file, const std::string& call, std::optional<policy::Direction> moves = {});
  ~Visit();

 private:
  const transport::RollCall::Visit visit_;
  const transport::CallHere before_;
};

}  // namespace collio::engine
