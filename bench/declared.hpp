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

/// Throws UsageError where it cannot be done so: the pattern's buffer has gaps, or its calls are split.
void check_declarable(const Pattern& pattern, const std::string& name, Collective collective);

}  // namespace collio::bench
