// Variables of the environment for the time of a test.
#pragma once

#include <stdlib.h>

#include <map>
#include <string>
#include <vector>

namespace collio::test {

/// These, and no other variable that gives collio or an MPI library hints; as before when it ends.
class Environment {
 public:
  using Pairs = std::map<std::string, std::string>;
  Environment(std::initializer_list<Pairs::value_type> set) {
    for (const char* name :
         {"COLLIO_HINTS", "COLLIO_SET_FOR", "COLLIO_PATIENCE", "COLLIO_CHECK", "COLLIO_FAULTS",
          "COLLIO_ENABLE", "COLLIO_REPORT", "COLLIO_VERBOSE", "ROMIO_HINTS", "MPICH_MPIIO_HINTS",
          "OMPI_MCA_fcoll", "OMPI_MCA_io_ompio_num_aggregators", "MPI_LOCALNRANKS",
          "OMPI_COMM_WORLD_LOCAL_SIZE", "SLURM_NTASKS_PER_NODE"})
      put(name, nullptr);
    for (const auto& [name, value] : set) put(name, value.c_str());
  }
  ~Environment() {
    for (auto one = before_.rbegin(); one != before_.rend(); ++one)
      if (one->had)
        ::setenv(one->name.c_str(), one->value.c_str(), 1);
      else
        ::unsetenv(one->name.c_str());
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  struct Before {
    std::string name, value;
    bool had;
  };
  void put(const std::string& name, const char* value) {
    const char* old = ::getenv(name.c_str());
    before_.push_back({name, old ? old : "", old != nullptr});
    if (value)
      ::setenv(name.c_str(), value, 1);
    else
      ::unsetenv(name.c_str());
  }
  std::vector<Before> before_;
};

}  // namespace collio::test
