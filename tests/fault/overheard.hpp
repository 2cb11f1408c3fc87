// What ranks say on stderr, for a test to read.
#pragma once

#include <fcntl.h>

#include <fstream>

#include "../mpi/check.hpp"

namespace collio::test {

/// While it lives, what ranks say on stderr goes to files.
class Overheard {
 public:
  explicit Overheard(Program& program) : program_(program), before_(dup(2)) {
    for (int r = 0; r < program.size; ++r) names_.push_back(program.temporary("said." + std::to_string(r)));
    const int fd = open(names_[static_cast<std::size_t>(program.rank)].c_str(),
                        O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0600);
    dup2(fd, 2);
    close(fd);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  Overheard(const Overheard&) = delete;
  ~Overheard() {
    if (before_ >= 0) lines();
  }
  /// What was said until now, on rank 0. Ends the overhearing. Collective.
  std::vector<std::string> lines() {
    std::fflush(stderr);
    dup2(before_, 2);
    close(before_);
    before_ = -1;
    MPI_Barrier(MPI_COMM_WORLD);
    std::vector<std::string> all;
    for (const std::string& name : names_) {
      std::ifstream in(name);
      for (std::string line; program_.rank == 0 && std::getline(in, line);) all.push_back(line);
    }
    return all;
  }

 private:
  Program& program_;
  int before_;
  std::vector<std::string> names_;
};

}  // namespace collio::test
