// Runs one case on one file and reports every difference from the model.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "case.hpp"
#include "model.hpp"

namespace collio::differential {

/// Who does the I/O: collio when it is preloaded (else the MPI library), or always the MPI library's own
/// code.
enum class Engine { preloaded, native };

/// How the data calls are made. Blocking: even those that the case wants otherwise.
enum class Calls { collective, independent, independent_blocking };

struct Session {
  MPI_Comm comm = MPI_COMM_NULL;
  std::string path;
  Engine engine = Engine::preloaded;
  bool prepare = true;     ///< make the file as the case wants to find it; false: it is there already
  std::string rules;       ///< file of faults: every call is tried with faults first; empty: none
  long* failed = nullptr;  ///< counts the tries that failed, where there are faults
  Calls calls = Calls::collective;
  bool subfiles = false;  ///< collio keeps the file in subfiles, and may join them when it is closed
};

/// What differed on this rank. `kind` is a short stable word (data, status, position, size, file, error,
/// type).
struct Finding {
  std::string kind;
  std::string detail;
};

/// Collective over session.comm. `model` holds the file before the case and after it on return.
[[nodiscard]] std::vector<Finding> run_session(const Session& session, const Case& subject, FileModel& model);

/// Where this rank is now, for the watchdog's message.
void set_stage(const char* stage) noexcept;
[[nodiscard]] const char* stage() noexcept;

}  // namespace collio::differential
