// One fuzz case as plain data: everything all ranks will do with one file, the same on every rank.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "layout.hpp"
#include "random_types.hpp"

namespace collio::differential {

/// What one rank does in one collective call.
struct Access {
  std::int64_t offset =
      0;  ///< etypes, in the view; meaningful for explicit offsets, and the expected file pointer otherwise
  MemoryShape memory;
  bool bottom = false;  ///< buffer given as MPI_BOTTOM with absolute addresses

  [[nodiscard]] std::int64_t bytes() const { return memory.count * memory.type->shape.size; }
};

/// How collio is asked for a call; the library's own side is always asked the first way.
enum class Form { blocking, nonblocking, split };

struct Call {
  Form form = Form::blocking;
  bool write = false;
  bool explicit_offset = false;
  bool large_count = false;  ///< through the _c form where there is one
  std::uint64_t data_seed = 0;
  std::vector<Access> access;  // one per rank
};

/// One file view and the calls made through it.
struct Phase {
  Layout layout;
  bool set_view = true;  ///< false: the view that MPI_File_open leaves
  std::vector<Call> calls;
};

enum class Mode { read_write, write_only, read_only };

struct Case {
  std::uint64_t seed = 0;
  Mode mode = Mode::read_write;
  bool file_exists = false;
  std::int64_t old_bytes = 0;                ///< size of the file found by open
  std::map<std::string, std::string> hints;  ///< and COLLIO_* for the environment
  std::vector<Phase> phases;
};

/// Case number `seed` for a communicator of `ranks`. Pure.
[[nodiscard]] Case random_case(std::uint64_t seed, int ranks, std::int64_t max_bytes);

/// The same views and buffers, every call a read, on a file of `file_bytes` bytes.
[[nodiscard]] Case read_back_case(const Case& written, std::int64_t file_bytes);

/// Byte `index` of the data stream that rank `rank` writes in a call with `data_seed`.
[[nodiscard]] unsigned char data_byte(std::uint64_t data_seed, int rank, std::int64_t index);
/// Byte `offset` of a file that existed before the case.
[[nodiscard]] unsigned char old_byte(std::uint64_t seed, std::int64_t offset);

[[nodiscard]] std::string text(const Case& subject);

}  // namespace collio::differential
