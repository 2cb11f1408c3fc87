/// A file that takes the place of another at once: written under a temporary name, flushed, renamed. Whatever
/// happens to the machine, the path has the whole file before or the whole new one.
#pragma once

#include <string>

#include "system.hpp"

namespace collio::pio {

class Replacement {
 public:
  /// `what`: for failures.
  Replacement(const System& ranks, std::string what, const char* path)
      : ranks_(ranks), what_(std::move(what)), path_(path) {}
  enum class Existing { replace, keep };
  /// Finds a free name. `keep`: a file that is there is a failure. Collective.
  [[nodiscard]] Failure begin(Existing existing);
  /// Where to write the file. All ranks flush what they have written before end().
  [[nodiscard]] const char* temporary() const { return temporary_.c_str(); }
  /// Gives the new file the path, or after a failure of writing it, the same on all ranks, removes it.
  /// Collective.
  [[nodiscard]] Failure end(Failure written);

 private:
  [[nodiscard]] Failure find_place(Existing existing);
  [[nodiscard]] Failure give_name() const;
  [[nodiscard]] Failure failed(const std::string& step) const;

  const System& ranks_;
  /// path_: on the root without links
  std::string what_, path_, temporary_;
};

}  // namespace collio::pio
