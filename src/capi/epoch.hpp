// Declared epochs: what ranks put between two commits, told beforehand, so that the first of it is written while
// the program makes the rest (collio_declare).
//
// Groups of puts are collective calls of the file's queue. All ranks have the same groups (policy/epoch_groups.hpp)
// and begin them in order, each when it has made its puts of a group; the last begins with the commit. A call that
// is no commit, and would find some ranks in an epoch and others not, ends the epoch first.
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
    const collio_variable* variable;  ///< null: it is undefined by now
    std::int64_t record;
  };
  std::vector<Part> parts;         ///< this rank's puts, in order
  std::vector<std::int64_t> ends;  ///< of each group in `parts`

  std::int64_t made = 0;                         ///< puts since the last commit
  std::optional<std::int64_t> first_record;      ///< what is added to the records of `parts`; empty: not known yet
  std::vector<std::shared_ptr<Transfer>> begun;  ///< groups, since the last commit
  bool given_up = false;                         ///< no put is taken until the next commit
};

int declare(collio_file* file, int64_t count, const collio_part* parts);
int wait_puts(collio_file* file, int64_t puts);
int group_end(collio_file* file, int64_t put, int64_t* end);

/// An error where this put is not the next one of the file's epoch. Not collective.
[[nodiscard]] core::Error check_next(const collio_variable& variable, std::int64_t record);
/// A put was taken: begins the groups that are complete. Not collective; they are.
void count_put(collio_variable& variable, std::int64_t record);
/// The variable may not be put any more. Not collective.
void leave_out(const collio_variable& variable);
/// What is not begun of the epoch is written without this rank's data, and its commit is an error. Not collective.
void give_up(collio_file& file);
/// Begins what is left of the file's epoch. As collio_commit(). Collective.
[[nodiscard]] core::Error commit_epoch(collio_file& file, collio_request** request);
/// Before another collective call on the file: no rank is in an epoch then. An error where one was, the same on all
/// ranks. Collective.
[[nodiscard]] core::Error end_epoch(collio_file& file);

}  // namespace collio::capi
