// How long one process' writes to the subfiles of a file took, and which of its further writes are worth
// their time.
//
// While the ranks are in a collective write that they can make again, a write to a subfile that has become
// far slower than it was may be left out: the ranks then deal its stripes to the others.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

namespace collio::storage {

/// Thread-safe.
class WriteTimes {
 public:
  /// System calls that write less do not count: they tell of a server's latency.
  static constexpr std::int64_t long_enough = 256 << 10;

  WriteTimes(std::int64_t subfiles, std::int64_t unit_bytes);

  void took(std::int64_t subfile, std::int64_t bytes, double seconds);
  /// Of all subfiles the bytes of the writes that count, since the last call of this, then their nanoseconds.
  [[nodiscard]] std::vector<std::int64_t> take();
  /// The same of those since leave_out_below(). The others are forgotten.
  [[nodiscard]] std::vector<std::int64_t> take_since();

  /// From now on a subfile to which this process writes less than its number of bytes per second is left out;
  /// 0: it is not.
  void leave_out_below(std::vector<double> least);
  /// None is left out any more. Whether a write was.
  bool leave_out_none();
  /// Whether the subfile is to be written to. If not, that counts as a write left out.
  [[nodiscard]] bool wanted(std::int64_t subfile);

 private:
  struct Amount {
    std::int64_t bytes = 0, ns = 0;
  };
  struct Written {
    /// since leave_out_below()
    Amount all, since;
    /// bytes per second
    double least = 0;
  };
  [[nodiscard]] std::vector<std::int64_t> take(Amount Written::*which);
  [[nodiscard]] Written& of(std::int64_t subfile) { return written_[static_cast<std::size_t>(subfile)]; }

  const std::int64_t least_bytes_;
  std::mutex mutex_;
  std::vector<Written> written_;
  bool left_out_ = false;
};

}  // namespace collio::storage
