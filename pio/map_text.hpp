/// PIO's text of a decomposition: version, ranks and dimensions, and the map of each rank, from 1 on with 0
/// for holes:
///
///     version 2001 npes 2 ndims 2
///     4 6
///     0 3
///     1 2 0
///     1 1
///     24
///
/// Lines of numbers end in a space. What follows the last map is for people: PIO writes the stack of the call
/// there, and SCORPIO the decomposition's id.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "failure.hpp"

namespace collio::pio {

constexpr int map_version = 2001;

/// What a file has before its maps.
struct MapHead {
  int ranks = 0;
  std::vector<int> lengths;  ///< of the array, in the program's order
};

[[nodiscard]] std::string head_text(const MapHead& head);
[[nodiscard]] std::string map_text(int rank, long long count, const PIO_Offset* map);
/// `ioid`: null for none, as in ParallelIO.
[[nodiscard]] std::string end_text(const int* ioid);

/// Reads such a file from its begin to its end. Failures name the file, the number, and what is allowed.
class MapReader {
 public:
  /// `function`: for failures.
  MapReader(const char* function, const char* path);
  /// `most_ranks`: more in the file are a failure.
  [[nodiscard]] Failure read_head(int most_ranks, MapHead& head);
  /// The next rank's map.
  [[nodiscard]] Failure read_map(std::vector<PIO_Offset>& map);

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  struct Range {
    long long least, most;
  };
  [[nodiscard]] std::string word();
  [[nodiscard]] Failure expect(const char* wanted);
  [[nodiscard]] Failure number(const std::string& name, Range allowed, long long& value);
  std::string what_;
  std::unique_ptr<std::FILE, Closer> file_;
  Failure opened_;
  long long elements_ = 0;
  int next_ = 0;
};

}  // namespace collio::pio
