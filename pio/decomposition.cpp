// See decomposition.hpp.
#include "decomposition.hpp"

#include <collio/collio.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <unordered_set>

#include "convert.hpp"
#include "file.hpp"

namespace collio::pio {

namespace {

constexpr int first_id = 512;

std::map<int, std::shared_ptr<Decomposition>>& decompositions() {
  static std::map<int, std::shared_ptr<Decomposition>> all;
  return all;
}

/// What a program says of a decomposition. Elements count from `first` on; lower numbers are holes.
struct Request {
  const char* function;
  nc_type type;
  int dims;
  const int* lengths;
  long long count;
  const PIO_Offset* map;
  int first;
  /// What an element in two maps, or twice in one, makes of it.
  enum Doubles { read_only, last_wins, always_read_only } doubles;
  /// the place for the id
  int* id;
};

Failure check(const Request& r, Decomposition& made) {
  const std::string function = std::string(r.function) + ": ";
  if (type_bytes(r.type) == 0)
    return not_allowed(function + "pio_type", r.type,
                       "PIO_BYTE, PIO_CHAR, PIO_SHORT, PIO_INT, PIO_FLOAT, PIO_DOUBLE, "
                       "PIO_UBYTE, PIO_USHORT, PIO_UINT, PIO_INT64, PIO_UINT64");
  if (!r.id) return {PIO_EINVAL, function + "the place for the id is null"};
  if (r.dims < 1) return not_allowed(function + "ndims", r.dims, "1 and more");
  if (!r.lengths) return {PIO_EINVAL, function + "gdimlen is null"};
  if (r.count < 0) return not_allowed(function + "maplen", r.count, "0 and more");
  if (!r.map && r.count > 0) return {PIO_EINVAL, function + "compmap is null"};
  made.array_elements = 1;
  for (int d = 0; d < r.dims; ++d) {
    if (r.lengths[d] <= 0)
      return not_allowed(function + "gdimlen[" + std::to_string(d) + "]", r.lengths[d], "1 and more");
    if (__builtin_mul_overflow(made.array_elements, std::int64_t{r.lengths[d]}, &made.array_elements))
      return {PIO_EINVAL, function + "the array has more than 2^63 elements"};
    made.shape += (d ? " x " : "") + std::to_string(r.lengths[d]);
  }
  return {};
}

/// The map as collio has it: from 0 on, with -1 for holes. Fills in `present`.
Failure read_map(const Request& r, Decomposition& made, std::vector<std::int64_t>& elements) {
  elements.resize(static_cast<std::size_t>(r.count));
  for (long long i = 0; i < r.count; ++i) {
    const std::int64_t element = r.map[i] - r.first;
    if (element >= made.array_elements)
      return not_allowed(std::string(r.function) + ": compmap[" + std::to_string(i) + "] of rank " +
                             std::to_string(made.system->rank),
                         r.map[i],
                         std::to_string(r.first) + " to " +
                             std::to_string(made.array_elements - 1 + r.first) + ", and " +
                             std::to_string(r.first - 1) + " for holes, as the array is " + made.shape);
    elements[static_cast<std::size_t>(i)] = element < 0 ? -1 : element;
    if (element < 0) continue;
    if (made.present.empty() || made.present.back().end != i) made.present.push_back({i, i});
    made.present.back().end = i + 1;
  }
  return {};
}

/// Elements as runs in ascending order. `doubled`: one that comes twice, or -1. O(n), with a sort if they do
/// not ascend.
std::vector<Run> runs_of(std::vector<std::int64_t> elements, std::int64_t& doubled) {
  if (!std::is_sorted(elements.begin(), elements.end())) std::sort(elements.begin(), elements.end());
  std::vector<Run> runs;
  for (const std::int64_t element : elements) {
    if (element < 0) continue;
    if (!runs.empty() && runs.back().end > element)
      doubled = element;
    else if (!runs.empty() && runs.back().end == element)
      ++runs.back().end;
    else
      runs.push_back({element, element + 1});
  }
  return runs;
}

/// Dimensions do not matter to a map, and collio has fewer of them than netCDF.
Failure make_elements(const Request& r, const Decomposition& made, const std::vector<std::int64_t>& list,
                      Elements& out) {
  collio_decomposition* raw = nullptr;
  const int code =
      collio_map(1, &made.array_elements, static_cast<std::int64_t>(list.size()), list.data(), &raw);
  out.reset(raw);
  return collio_failure(code, r.function);
}

Failure make_holes(const Request& r, Decomposition& made, const std::vector<Run>& holes) {
  std::vector<std::int64_t> list;
  for (const Run& run : holes)
    for (std::int64_t element = run.begin; element < run.end; ++element) list.push_back(element);
  made.holes = static_cast<std::int64_t>(list.size());
  return list.empty() ? Failure{} : make_elements(r, made, list, made.hole_elements);
}

/// Elements that are in the map of a higher rank, or later in this one, are not written here.
Failure make_written(const Request& r, Decomposition& made, const std::vector<Run>& mine) {
  std::vector<Run> lost;
  Failure failure = lost_elements(*made.system, r.function, made.array_elements, mine, lost);
  if (failure) return failure;
  return with_memory(r.function, [&] {
    std::vector<std::int64_t> list(static_cast<std::size_t>(made.length));
    collio_indices(made.elements.get(), list.data());
    std::unordered_set<std::int64_t> later;
    for (auto element = list.rbegin(); element != list.rend(); ++element) {
      const auto after = std::upper_bound(lost.begin(), lost.end(), *element,
                                          [](std::int64_t e, const Run& run) { return e < run.begin; });
      const bool is_lost = after != lost.begin() && *element < std::prev(after)->end;
      if (is_lost || (*element >= 0 && !later.insert(*element).second)) *element = -1;
    }
    return make_elements(r, made, list, made.written);
  });
}

/// On a rank with a failure the map is empty, as the others are on their way into the cover's reduction.
Failure make(const Request& r, Decomposition& made) {
  Cover cover;
  std::vector<Run> mine;
  Failure failure = agree(*made.system, with_memory(r.function, [&]() -> Failure {
    std::vector<std::int64_t> list;
    Failure own = check(r, made);
    if (!own) own = read_map(r, made, list);
    if (!own) own = make_elements(r, made, list, made.elements);
    if (!own && r.doubles != Request::always_read_only) mine = runs_of(std::move(list), cover.doubled);
    return own;
  }));
  if (failure) return failure;
  made.type = r.type, made.dims = r.dims, made.length = r.count;
  made.lengths.assign(r.lengths, r.lengths + r.dims);
  if (r.doubles == Request::always_read_only) {
    made.read_only = "it was made by PIOc_InitDecomp_ReadOnly()";
  } else {
    Failure own = cover_of(*made.system, r.function, made.array_elements, mine, cover);
    if (!own) own = with_memory(r.function, [&] { return make_holes(r, made, cover.holes); });
    failure = agree(*made.system, std::move(own));
    const std::string doubled =
        "element " + std::to_string(cover.doubled + r.first) + " is in its maps twice";
    if (cover.doubled >= 0 && r.doubles == Request::read_only) made.read_only = doubled;
    if (!failure && cover.doubled >= 0 && r.doubles == Request::last_wins) {
      if (log_level() >= 0 && made.system->is_root())
        std::fprintf(stderr, "collio (PIO): %s: %s; the highest rank writes it\n", r.function,
                     doubled.c_str());
      failure = agree(*made.system, make_written(r, made, mine));
    }
  }
  std::int64_t most[] = {made.length, made.holes};
  MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT64_T, MPI_MAX, made.system->comm);
  made.most_length = most[0], made.most_holes = most[1];
  return failure;
}

int make(int iosysid, const Request& request) {
  static int next = first_id;
  System* system = find_system(iosysid);
  if (!system) return report(nullptr, no_system(request.function, iosysid));
  auto made = std::make_shared<Decomposition>();
  made->system = system;
  if (const Failure failure = make(request, *made)) return report(system, failure);
  *request.id = made->id = next++;
  decompositions()[made->id] = std::move(made);
  return PIO_NOERR;
}

/// A box as a map, from 1 on, in C's order. Not a box of the array: the failure says so.
Failure map_of_box(const Request& r, const long* start, const long* count, std::vector<PIO_Offset>& map) {
  const std::string function = std::string(r.function) + ": ";
  if (r.dims < 1 || !r.lengths || !start || !count)
    return {PIO_EINVAL, function + "gdimlen, start or count is null"};
  map.assign(1, 0);
  for (int d = 0; d < r.dims; ++d) {
    if (start[d] < 0 || count[d] < 0 || start[d] + count[d] > r.lengths[d])
      return not_allowed(function + "start + count in dimension " + std::to_string(d), start[d] + count[d],
                         "0 to " + std::to_string(r.lengths[d]));
    std::vector<PIO_Offset> next;
    for (const PIO_Offset before : map)
      for (long i = 0; i < count[d]; ++i) next.push_back(before * r.lengths[d] + start[d] + i);
    map = std::move(next);
  }
  for (PIO_Offset& element : map) ++element;
  return {};
}

}  // namespace

void FreeDecomposition::operator()(collio_decomposition* decomposition) const { collio_free(&decomposition); }

std::shared_ptr<Decomposition> find_decomposition(int id) {
  const auto found = decompositions().find(id);
  return found == decompositions().end() ? nullptr : found->second;
}

std::vector<PIO_Offset> map_of(const Decomposition& decomposition) {
  std::vector<std::int64_t> elements(static_cast<std::size_t>(decomposition.length));
  collio_indices(decomposition.elements.get(), elements.data());
  std::vector<PIO_Offset> map(elements.begin(), elements.end());
  for (PIO_Offset& element : map) ++element;
  return map;
}

void free_decompositions(const System& system) {
  std::erase_if(decompositions(), [&](const auto& entry) { return entry.second->system == &system; });
}

}  // namespace collio::pio

using namespace collio::pio;

extern "C" {

int PIOc_InitDecomp(int iosysid, int pio_type, int ndims, const int* gdimlen, int maplen,
                    const PIO_Offset* compmap, int* ioidp, const int*, const PIO_Offset*, const PIO_Offset*) {
  return make(iosysid,
              {"PIOc_InitDecomp", pio_type, ndims, gdimlen, maplen, compmap, 1, Request::read_only, ioidp});
}

int collio_scorpio_InitDecomp(int iosysid, int pio_type, int ndims, const int* gdimlen, int maplen,
                              const PIO_Offset* compmap, int* ioidp, const int*, const PIO_Offset*,
                              const PIO_Offset*) {
  return make(iosysid,
              {"PIOc_InitDecomp", pio_type, ndims, gdimlen, maplen, compmap, 1, Request::last_wins, ioidp});
}

int collio_scorpio_init_decomp(int iosysid, int pio_type, int ndims, const int* gdimlen, int maplen,
                               const PIO_Offset* compmap, int* ioidp, int, const PIO_Offset*,
                               const PIO_Offset*) {
  return make(iosysid,
              {"PIOc_init_decomp", pio_type, ndims, gdimlen, maplen, compmap, 0, Request::last_wins, ioidp});
}

int PIOc_InitDecomp_ReadOnly(int iosysid, int pio_type, int ndims, const int* gdimlen, int maplen,
                             const PIO_Offset* compmap, int* ioidp, const int*, const PIO_Offset*,
                             const PIO_Offset*) {
  return make(iosysid, {"PIOc_InitDecomp_ReadOnly", pio_type, ndims, gdimlen, maplen, compmap, 1,
                        Request::always_read_only, ioidp});
}

int PIOc_init_decomp(int iosysid, int pio_type, int ndims, const int* gdimlen, int maplen,
                     const PIO_Offset* compmap, int* ioidp, int, const PIO_Offset*, const PIO_Offset*) {
  return make(iosysid,
              {"PIOc_init_decomp", pio_type, ndims, gdimlen, maplen, compmap, 0, Request::read_only, ioidp});
}

int PIOc_InitDecomp_bc(int iosysid, int basetype, int ndims, const int* gdimlen, const long int* start,
                       const long int* count, int* ioidp) {
  Request request{"PIOc_InitDecomp_bc", basetype, ndims, gdimlen, 0, nullptr, 1, Request::read_only, ioidp};
  std::vector<PIO_Offset> map;
  System* system = find_system(iosysid);
  if (!system) return report(nullptr, no_system(request.function, iosysid));
  const Failure failure =
      agree(*system, with_memory(request.function, [&] { return map_of_box(request, start, count, map); }));
  if (failure) return report(system, failure);
  request.count = static_cast<long long>(map.size()), request.map = map.data();
  return make(iosysid, request);
}

int PIOc_freedecomp(int iosysid, int ioid) {
  const System* system = find_system(iosysid);
  if (!system) return report(nullptr, no_system("PIOc_freedecomp", iosysid));
  if (decompositions().erase(ioid) == 1) {
    forget_freed_decompositions();
    return PIO_NOERR;
  }
  return report(system, no_decomposition("PIOc_freedecomp", ioid));
}

int PIOc_get_local_array_size(int ioid) {
  const auto found = find_decomposition(ioid);
  if (found) return static_cast<int>(found->length);
  return report(nullptr, no_decomposition("PIOc_get_local_array_size", ioid));
}
}
