/// I/O systems: the ranks that share files. PIO has I/O tasks among them, which make the file accesses; here
/// only the first differs: it is the root, which keeps the headers of files. collio chooses the
/// ranks that write data.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "io_tasks_apart.hpp"

namespace collio::pio {

/// An I/O task of PIO is every stride-th rank from base on.
struct Tasks {
  int count, stride, base;
};

struct System {
  int id;
  MPI_Comm comm;
  int rank, size, root;
  Tasks tasks;
  int handler;
  std::vector<std::pair<std::string, std::string>> hints;
  /// null: the I/O tasks are among its ranks
  std::shared_ptr<IoTasksApart> apart;

  /// -1: this rank is no I/O task
  [[nodiscard]] int io_rank() const;
  [[nodiscard]] bool is_root() const { return rank == root; }
};

/// Null: there is none with this id.
System* find_system(int id);

/// Adds a system of the ranks of `own`, a communicator that it takes over. Its id.
int add_system(MPI_Comm own, Tasks tasks, std::shared_ptr<IoTasksApart> apart = {});

/// The ranks of a communicator, for what ranks of a system do.
[[nodiscard]] System ranks_of(MPI_Comm comm);

/// A number that must be the same on all ranks, and what it is called.
struct Same {
  const char* name;
  long long value;
};

/// Replaces `failure` by the worst of all ranks, or if there is none by numbers of a call that differ. Every
/// rank gives as many numbers, with a failure as well. Collective: one reduction, and after a failure a
/// broadcast of the text.
[[nodiscard]] Failure agree(const System& system, Failure failure, const char* function = "",
                            std::initializer_list<Same> same = {});

/// Makes a failure of the root one of all ranks. Collective: a broadcast, and one of the text.
[[nodiscard]] Failure share_root(const System& system, Failure failure);

/// What PIO's own functions do with the arguments that they share.
[[nodiscard]] Failure no_system(const std::string& function, int id);
[[nodiscard]] Failure no_decomposition(const std::string& function, int id);

}  // namespace collio::pio
