// A pattern through collio's library: what ranks have is declared once, and a step is as many puts and one
// commit.
#pragma once

#include "operation.hpp"

namespace collio::bench {

/// Every call of the pattern as a variable, steps as its records: all calls of a step in one commit or fetch,
/// blocking, or nonblocking with the computation meanwhile. The declaration counts as part of open.
/// Collective over MPI_COMM_WORLD.
[[nodiscard]] Outcome run_declared(Direction direction, const Target& target, const Work& work,
                                   const Pattern& pattern);

/// Why the pattern cannot be declared; empty: it can.
[[nodiscard]] std::string undeclarable(const Pattern& pattern);

}  // namespace collio::bench
