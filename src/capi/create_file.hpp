// What one rank does with a file by its name: makes it, empties it, changes its size.
#pragma once

#include <cstdint>
#include <string>

#include "core/result.hpp"

namespace collio::capi {

/// An error when these are no modes of enum collio_mode that go together. Pure.
[[nodiscard]] core::Error check_modes(int mode);

/// Makes the file or empties it, as `mode` says. Not collective; by one rank.
[[nodiscard]] core::Error create_file(const std::string& path, int mode, std::uint64_t& inode);

/// A file by its name, and what was opened by it.
struct NamedFile {
  const std::string& path;
  std::uint64_t inode;
};

/// Both: error `no_such_file` when another file has the name now. Not collective.
[[nodiscard]] core::Error size_of(const NamedFile& file, std::int64_t& bytes);
[[nodiscard]] core::Error truncate_file(const NamedFile& file, std::int64_t bytes);

}  // namespace collio::capi
