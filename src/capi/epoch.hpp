// Declared epochs: a step's puts, told beforehand, so that collio writes the first while the program makes
// the others (collio_declare).
//
// Groups of puts are collective calls in the file's queue. All ranks have the same groups
// (policy/plan/epoch_groups.hpp) and begin them in order, each rank when it has made its puts of a group; the
// last group begins with the commit. Other collective calls begin and end what is left of the groups first:
// some ranks may be in an epoch, and no rank knows.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "capi/library.h"
#include "core/result.hpp"

namespace collio::capi {

struct Transfer;

struct Epoch {
  struct Part {
    /// null: undefined since
    const collio_variable* variable;
    std::int64_t record;
  };
  /// this rank's puts, in order
  std::vector<Part> parts;
  /// of each group in `parts`
  std::vector<std::int64_t> ends;

  /// puts since the last commit
  std::int64_t made = 0;
  /// added to the records of `parts`; empty: not known yet
  std::optional<std::int64_t> first_record;
  /// groups, since the last commit
  std::vector<std::shared_ptr<Transfer>> begun;
  /// no put is taken before the next commit
  bool given_up = false;
};

int declare(collio_file* file, int64_t count, const collio_part* parts, int64_t in_memory);
int wait_puts(collio_file* file, int64_t puts);
int group_end(collio_file* file, int64_t put, int64_t* end);

/// An error where this put is not the next one of the file's epoch. Not collective.
[[nodiscard]] core::Error check_next(const collio_variable& variable, std::int64_t record);
/// Counts a put that was taken, and begins the groups that it completes. Not collective; they are.
void count_put(collio_variable& variable, std::int64_t record);
/// The variable may not be put any more. Not collective.
void leave_out(const collio_variable& variable);
/// Begins the groups that are left, without this rank's data and with an error. Not collective; they are.
void give_up(collio_file& file);
/// Begins what is left of the file's epoch. As collio_commit(). Collective.
[[nodiscard]] core::Error commit_epoch(collio_file& file, collio_request** request);
/// Before another collective call on the file: completes the epoch. The same error on all ranks where a rank
/// has put. Collective.
[[nodiscard]] core::Error end_epoch(collio_file& file);

/// While another collective call on the file lasts: end_epoch(), and then the next step.
class BetweenSteps {
 public:
  explicit BetweenSteps(collio_file& file);
  ~BetweenSteps();
  BetweenSteps(const BetweenSteps&) = delete;
  BetweenSteps& operator=(const BetweenSteps&) = delete;
  const core::Error error;

 private:
  collio_file& file_;
};

}  // namespace collio::capi
