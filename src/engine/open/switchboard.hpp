// A few lines for any number of files: a call borrows one.
//
// A call gets a line when all its ranks have come, and gives it back at its end. So a call with a line always
// ends, whatever the order in which ranks make calls on several files, and a call without one waits for such
// an end. The first rank chooses the line.
#pragma once

#include <memory>
#include <vector>

#include "engine/open/line.hpp"

namespace collio::engine {

class Switchboard {
 public:
  static constexpr int lines = 4;
  /// each has a tag of its own
  static constexpr int most_files = 32000;

  /// Collective. An error on all ranks: see Line::make.
  static core::Result<std::unique_ptr<Switchboard>> make(MPI_Comm comm, std::optional<Place>& place);
  /// Collective.
  ~Switchboard();
  Switchboard(const Switchboard&) = delete;
  Switchboard& operator=(const Switchboard&) = delete;

  /// A line for a call on the file `number`; the call releases it. Collective over the ranks, also while
  /// other files have calls.
  [[nodiscard]] Line& connect(int number);

 private:
  Switchboard() = default;
  [[nodiscard]] int take_any() noexcept;

  /// messages alone, with the file's number as tag
  MPI_Comm lobby_ = MPI_COMM_NULL;
  std::vector<std::unique_ptr<Line>> lines_;
};

}  // namespace collio::engine
