// See from_root.hpp.
#include "from_root.hpp"

#include <algorithm>
#include <cstring>

#include "reading.hpp"

namespace collio::pio {

namespace {

constexpr long long part_bytes = 8 << 20;

/// An element of this rank, and where it goes.
struct Wanted {
  long long element, place;
};

std::vector<Wanted> wanted_of(const Decomposition& elements) {
  std::vector<Wanted> wanted;
  const std::vector<PIO_Offset> map = map_of(elements);
  for (std::size_t i = 0; i < map.size(); ++i)
    if (map[i] > 0) wanted.push_back({map[i] - 1, static_cast<long long>(i)});
  std::sort(wanted.begin(), wanted.end(),
            [](const Wanted& a, const Wanted& b) { return a.element < b.element; });
  return wanted;
}

/// Elements [begin, end) of the array, on the root. NetCDF-C's code.
int read_part(const Access& a, long long begin, long long end, char* part) {
  const Variable& v = a.variable();
  const long long before = a.place.record * a.elements.array_elements;
  if (const int code = reading::netcdf_range(a.file.header.id(), a.varid, before + begin, before + end, part))
    return code;
  return to_file({v.type, v.type}, end - begin, part, part, v.fill);
}

}  // namespace

Failure get_from_root(const Access& a, const Failure& own, char* buffer) {
  const System& system = *a.file.system;
  const auto bytes = static_cast<std::size_t>(type_bytes(a.variable().type));
  const long long all = a.elements.array_elements;
  const long long most = std::min(all, part_bytes / static_cast<long long>(bytes));
  std::vector<char> part;
  std::vector<Wanted> wanted;
  Failure failure = own;
  if (!failure)
    failure = with_memory(a.function, [&]() -> Failure {
      part.resize(static_cast<std::size_t>(most) * bytes);
      wanted = wanted_of(a.elements);
      return {};
    });
  failure = agree(system, std::move(failure));
  auto next = wanted.begin();
  for (long long begin = 0; begin < all && !failure; begin += most) {
    const long long end = std::min(all, begin + most);
    if (system.is_root())
      failure = with_memory(a.function,
                            [&] { return netcdf_failure(read_part(a, begin, end, part.data()), a.name()); });
    failure = share_root(system, std::move(failure));
    if (failure) break;
    MPI_Bcast(part.data(), static_cast<int>(static_cast<std::size_t>(end - begin) * bytes), MPI_BYTE,
              system.root, system.comm);
    for (; next != wanted.end() && next->element < end; ++next)
      std::memcpy(buffer + static_cast<std::size_t>(next->place) * bytes,
                  part.data() + static_cast<std::size_t>(next->element - begin) * bytes, bytes);
  }
  return failure;
}

}  // namespace collio::pio
