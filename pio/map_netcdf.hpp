/// What netCDF files of decompositions have beside the maps, and how it is read.
#pragma once

#include <string>

#include "pio.h"

namespace collio::pio {

constexpr const char* version_name = "PIO_library_version";
constexpr const char* longest_name = "max_maplen";
constexpr const char* title_name = "title";
constexpr const char* history_name = "history";
constexpr const char* source_name = "source";
constexpr const char* order_name = "array_order";
constexpr const char* orders[] = {"C", "Fortran"};
constexpr const char* checksums_name = "map_checksum";
constexpr const char* version = "2.6.0";  // of the ParallelIO whose files these are

constexpr int checksum_words = 2;

struct MapVariables {
  int shape = -1, lengths = -1, maps = -1;
  /// -1: the file has none
  int checksums = -1;
};

/// All but the maps. Sent to all ranks as bytes.
struct MapFileHead {
  int dims = 0, ranks = 0, longest = 0;
  int lengths[PIO_MAX_DIMS] = {};
  int order = 0;
  MapVariables variables;
  char title[PIO_MAX_NAME + 1] = {};
  char history[PIO_MAX_NAME + 1] = {};
  /// what the file has not, or has wrongly
  char wrong[PIO_MAX_NAME] = {};
};

/// PnetCDF's code; `head.wrong` says what is wrong with the file, if that is the reason. On the root.
[[nodiscard]] int read_map_head(int id, const char* path, MapFileHead& head);

}  // namespace collio::pio
