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
/// Lines of numbers end in a space. PIO reads nothing after the last map, and writes the stack of the call
/// there, SCORPIO the decomposition's id, and collio the maps' checksums (map_checksum.hpp):
///
///     collio checksums
///     0 2f1b6c5d8e9a0b37
///     1 90aa3c5512e47f08
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "failure.hpp"
#include "map_checksum.hpp"

namespace collio::pio {

constexpr int map_version = 2001;

[[nodiscard]] std::string head_text(const MapHead& head);
[[nodiscard]] std::string map_text(int rank, long long count, const PIO_Offset* map);
/// `ioid`: null for none, as in ParallelIO.
[[nodiscard]] std::string end_text(const int* ioid, const std::vector<std::uint64_t>& checksums);
/// 16 digits.
[[nodiscard]] std::string checksum_text(std::uint64_t checksum);
/// "the map of rank R is damaged: ...".
[[nodiscard]] std::string damage_text(int rank, const std::string& found, const std::string& expected);

/// Reads such a file from its begin to its end. Failures name the file, the number, and what is allowed.
class MapReader {
 public:
  /// `function`: for failures.
  MapReader(const char* function, const char* path);
  /// `most_ranks`: more in the file are a failure.
  [[nodiscard]] Failure read_head(int most_ranks, MapHead& head);
  /// The next rank's map.
  [[nodiscard]] Failure read_map(std::vector<PIO_Offset>& map);
  /// What comes after the last map: checksums, if collio has written the file.
  [[nodiscard]] Failure read_end();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  struct Range {
    long long least, most;
  };
  [[nodiscard]] std::string word();
  [[nodiscard]] std::string line();
  [[nodiscard]] Failure expect(const char* wanted);
  [[nodiscard]] Failure number(const std::string& name, Range allowed, long long& value);
  std::string what_;
  std::unique_ptr<std::FILE, Closer> file_;
  Failure opened_;
  MapHead head_;
  /// of the maps that were read
  std::vector<std::uint64_t> checksums_;
  long long elements_ = 0;
};

}  // namespace collio::pio
