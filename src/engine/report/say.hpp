// Warnings on stderr: each once a job, whatever the number of ranks and files.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace collio::engine {

class File;

/// Says "collio: `text`" on the first rank of `comm`, unless this process said so before. Of communicators of
/// one rank each, as MPI_COMM_SELF, the job's first rank speaks; with COLLIO_VERBOSE all do. Not collective.
/// Thread-safe.
void say_once(MPI_Comm comm, const std::string& text);

/// Says the warnings from number `first` on, each as say_once(): those of a close.
void say_rest(MPI_Comm comm, const std::vector<std::string>& warnings, std::size_t first);

/// Says a file's warnings on its first rank; with COLLIO_VERBOSE also how it was opened, and `origins`: hints
/// that other layers' settings gave it. Not collective.
void say_opened(const File& file, MPI_Comm comm, const std::string& origins);

/// COLLIO_VERBOSE is set.
[[nodiscard]] bool verbose();

}  // namespace collio::engine
