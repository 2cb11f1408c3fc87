// Cases whose file collio keeps in subfiles: how it is made, and what it holds.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

namespace collio::differential {

/// Hints for subfiles of all kinds, single bytes and one stripe for all among them; joined at close or not.
/// The same for a seed everywhere. Not collective.
void ask_for_subfiles(MPI_Info info, std::uint64_t seed);

/// An empty file gets these bytes in subfiles, by a call of this rank alone.
void fill_subfiles(const std::string& path, std::uint64_t seed, const std::vector<unsigned char>& bytes);

/// Whether the file is a placeholder.
[[nodiscard]] bool is_in_subfiles(const std::string& path);

/// What a file holds, read by this rank alone: through MPI if it is kept in subfiles, else by the kernel.
[[nodiscard]] std::string content_of(const std::string& path);

}  // namespace collio::differential
