// The data of a drill through collio.h instead of MPI-IO.
#pragma once

#include <collio/collio.h>

#include "drill.hpp"

namespace collio::test {

/// Blocks of `bytes` bytes, one of this rank in each period of the file.
struct DealtBlocks {
  std::int64_t first = 0, period = 0, bytes = 0, count = 0;
};

/// What a call came to.
struct Ended {
  int error_class = MPI_SUCCESS;
  std::string text;          ///< of the error
  std::int64_t counted = 0;  ///< bytes of the data, from its start
};

/// Forms: `commit`; `request`, a commit or fetch with a request; `epoch`, three variables, declared for
/// memory of one; `pieces`, a direct call.
class LibraryFile {
 public:
  [[nodiscard]] static bool makes(const std::string& form) {
    return form == "commit" || form == "request" || form == "epoch" || form == "pieces";
  }
  LibraryFile(const Drill& drill, const DealtBlocks& blocks) : drill_(drill), blocks_(blocks) {}

  /// `hints`: "key=value;..." on top of the drill's. Collective.
  [[nodiscard]] Ended open(const std::string& hints);
  [[nodiscard]] Ended call(unsigned char* data);
  [[nodiscard]] Ended close();

 private:
  [[nodiscard]] int put_and_commit(unsigned char* data, std::int64_t& counted);
  [[nodiscard]] int move_pieces(unsigned char* data, std::int64_t& counted);
  [[nodiscard]] int define();

  const Drill& drill_;
  DealtBlocks blocks_;
  collio_file* file_ = nullptr;
  std::vector<collio_variable*> variables_;
  std::vector<std::int64_t> begins_;  ///< of the variables, in blocks; and the end
};

}  // namespace collio::test
