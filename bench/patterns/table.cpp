// The table of patterns, and the datatypes that they share.
#include "patterns/patterns.hpp"

#include <array>
#include <limits>

namespace collio::bench {

std::span<const PatternEntry> pattern_table() {
  static constexpr std::array table {
#define COLLIO_NUMBER(name, otherwise, least, most, help) " --" name " " #otherwise
#define COLLIO_SIZE(name, otherwise, help) " --" name " " #otherwise
#define COLLIO_CHOICE(name, words, help) " --" name " " #words
#define COLLIO_FLAG(name, help) " [--" name "]"
#define COLLIO_USAGE(text) " " text
#define COLLIO_PATTERN(name, about, its_options, bytes) \
  PatternEntry{#name, about, &(its_options)[1], make_##name},
#include "patterns/patterns.def"
  };
  return table;
}

Datatype subarray_type(std::span<const Axis> axes, std::int64_t element_bytes) {
  std::vector<int> sizes;
  std::vector<int> counts;
  std::vector<int> starts;
  for (const Axis& axis : axes) {
    sizes.push_back(static_cast<int>(axis.size));
    counts.push_back(static_cast<int>(axis.count));
    starts.push_back(static_cast<int>(axis.start));
  }
  MPI_Datatype element = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(element_bytes), MPI_BYTE, &element);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(static_cast<int>(axes.size()), sizes.data(), counts.data(), starts.data(),
                           MPI_ORDER_C, element, &type);
  MPI_Type_free(&element);
  return Datatype(type);
}

Datatype hindexed_filetype(std::span<const Extent> extents) {
  std::vector<int> lengths(extents.size());
  std::vector<MPI_Aint> places(extents.size());
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i].length > std::numeric_limits<int>::max())
      throw UsageError("a piece of " + std::to_string(extents[i].length) + " bytes; allowed: below 2 GiB");
    lengths[i] = static_cast<int>(extents[i].length);
    places[i] = static_cast<MPI_Aint>(extents[i].offset);
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (extents.empty())
    MPI_Type_contiguous(1, MPI_BYTE, &type);
  else
    MPI_Type_create_hindexed(static_cast<int>(extents.size()), lengths.data(), places.data(), MPI_BYTE,
                             &type);
  return Datatype(type);
}

}  // namespace collio::bench
