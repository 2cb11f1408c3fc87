// Moves what requests say, by all ranks or by this one, and informs PnetCDF of new records.
#pragma once

#include <vector>

#include "pnetcdf/file.hpp"

namespace collio::pnetcdf {

/// What ranks agree on before they move.
struct Meeting {
  /// of any rank
  bool writes = false, reads = false;
  /// a code of this rank's; any: a rank has one, and nothing moves
  int failed = 0;
  /// in the file, when all have written
  std::int64_t records = 0;
  /// Afterwards: the fewest that PnetCDF knows of on a rank, as after calls in independent mode. Ranks must
  /// not go by their own number: some would then wait in tell_records() for others, which do not come.
  std::int64_t known_records = 0;
};

/// A code of PnetCDF's where ranks cannot agree. Collective.
[[nodiscard]] int meet(File& file, Meeting& meeting);

/// How a move ended, as PnetCDF's codes.
struct Moved {
  /// the same on all ranks: what they do next goes by it alone
  int all = 0;
  /// of this rank, where it had no memory to take part with its bytes; else `all`
  int mine = 0;
};
/// Writes or reads the requests of this rank, of which there may be none. Collective.
[[nodiscard]] Moved move_together(File& file, std::vector<Request>& requests, bool reads);
/// The same by this rank alone. Not collective.
[[nodiscard]] int move_alone(File& file, std::vector<Request>& requests, bool reads);

/// Makes PnetCDF put one element of the last record, so that it learns the new number of records and writes
/// it into the file. `puts` are written; `records`: those that all ranks' puts make. A code of PnetCDF's.
/// Collective in collective mode.
[[nodiscard]] int tell_records(File& file, const std::vector<Request>& puts, std::int64_t records);

/// Gives the program what was read, and all requests their status. The first code of an error.
[[nodiscard]] int finish(File& file, std::vector<Request>& requests, int code, bool reads);

}  // namespace collio::pnetcdf
