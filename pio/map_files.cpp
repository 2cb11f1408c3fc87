// Decompositions in files of PIO's text (map_text.hpp). All ranks write their own maps by collio; the first
// reads, as the place of a map is known only after those before it are read.
#include <collio/collio.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "decomposition.hpp"
#include "file.hpp"
#include "map_text.hpp"
#include "replacement.hpp"

namespace collio::pio {

namespace {

constexpr int map_tag = 0;

// ---- writing ----

struct WriteCall {
  const char* function;
  const char* path;
  int dims;
  const int* lengths;
  long long count;
  const PIO_Offset* map;
  /// null: the file does not have it
  const int* ioid;
};

Failure check(const WriteCall& call) {
  const std::string function = std::string(call.function) + ": ";
  if (!call.path || !*call.path) return {PIO_EINVAL, function + "the file is null or has no name"};
  if (call.dims < 1) return not_allowed(function + "ndims", call.dims, "1 and more");
  if (!call.lengths) return {PIO_EINVAL, function + "gdims is null"};
  for (int d = 0; d < call.dims; ++d)
    if (call.lengths[d] < 1)
      return not_allowed(function + "gdims[" + std::to_string(d) + "]", call.lengths[d], "1 and more");
  if (call.count < 0) return not_allowed(function + "maplen", call.count, "0 and more");
  if (!call.map && call.count > 0) return {PIO_EINVAL, function + "map is null"};
  return {};
}

std::string what_of(const WriteCall& call) { return call.function + quoted(call.path); }

/// Collective.
Failure write_text(const WriteCall& call, MPI_Comm comm, const char* path, const std::string& text) {
  long long bytes = static_cast<long long>(text.size()), before = 0;
  MPI_Exscan(&bytes, &before, 1, MPI_LONG_LONG, MPI_SUM, comm);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const std::int64_t offset = rank == 0 ? 0 : before, length = bytes;
  const collio_pieces piece{1, &offset, &length};
  collio_file* file = nullptr;
  int code =
      collio_open(comm, path, COLLIO_WRITE | COLLIO_CREATE | COLLIO_EXCLUSIVE | COLLIO_WHOLE, nullptr, &file);
  if (code != COLLIO_OK) return collio_failure(code, what_of(call));
  code = collio_write_pieces(file, &piece, text.data(), nullptr, nullptr);
  Failure failure = collio_failure(code, what_of(call));
  if (!failure) failure = collio_failure(collio_sync(file), what_of(call));
  code = collio_close(&file);
  return failure ? failure : collio_failure(code, what_of(call));
}

/// This rank's part of the text. Collective.
Failure text_of(const WriteCall& call, const System& ranks, std::string& text) {
  const MapHead head{ranks.size, {call.lengths, call.lengths + call.dims}};
  const std::uint64_t mine = map_checksum(head, ranks.rank, call.count, call.map);
  const int last = ranks.size - 1;
  std::vector<std::uint64_t> all;
  Failure failure = agree(ranks, with_memory(call.function, [&]() -> Failure {
                            if (ranks.rank == 0) text = head_text(head);
                            text += map_text(ranks.rank, call.count, call.map);
                            if (ranks.rank == last) all.resize(static_cast<std::size_t>(ranks.size));
                            return {};
                          }));
  if (failure) return failure;
  MPI_Gather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, last, ranks.comm);
  return agree(ranks, with_memory(call.function, [&]() -> Failure {
                 if (ranks.rank == last) text += end_text(call.ioid, all);
                 return {};
               }));
}

/// Collective.
int write_map(const WriteCall& call, MPI_Comm comm) {
  const System ranks = ranks_of(comm);
  std::string text;
  Failure failure = agree(ranks, check(call));
  if (!failure) failure = text_of(call, ranks, text);
  if (failure) return report(&ranks, failure);
  Replacement file(ranks, what_of(call), call.path);
  failure = file.begin(Replacement::Existing::replace);
  if (!failure) failure = file.end(agree(ranks, write_text(call, comm, file.temporary(), text)));
  return report(&ranks, failure);
}

int write_decomposition(const char* path, int iosysid, int ioid, MPI_Comm comm, bool with_id) {
  const char* function = "PIOc_write_decomp";
  const System* system = find_system(iosysid);
  if (!system) return report(nullptr, no_system(function, iosysid));
  const auto found = find_decomposition(ioid);
  std::vector<PIO_Offset> map;
  // The ranks of `comm` call it, which need not be all of the system.
  const System ranks = ranks_of(comm);
  const Failure failure = agree(ranks, with_memory(function, [&]() -> Failure {
                                  if (!found) return no_decomposition(function, ioid);
                                  map = map_of(*found);
                                  return {};
                                }));
  if (failure) return report(&ranks, failure);
  return write_map({function, path, found->dims, found->lengths.data(), found->length, map.data(),
                    with_id ? &ioid : nullptr},
                   comm);
}

// ---- reading ----

struct ReadCall {
  const char* path;
  int* dims;
  int** lengths;
  PIO_Offset* count;
  PIO_Offset** map;
};

/// In place of a map's length: the first rank has failed.
constexpr long long failed = -1;

/// A copy that the program frees by free(). Never null, but without memory.
template <class T>
T* copy_of(const std::vector<T>& from) {
  T* copy = static_cast<T*>(std::malloc(from.size() * sizeof(T) + 1));
  if (copy && !from.empty()) std::memcpy(copy, from.data(), from.size() * sizeof(T));
  return copy;
}

/// To a rank: how long its map is, and when it has room for it, the map. Failed: none.
void send_map(const std::vector<PIO_Offset>* map, int rank, MPI_Comm comm) {
  const long long count = map ? static_cast<long long>(map->size()) : failed;
  int room = 0;
  MPI_Send(&count, 1, MPI_LONG_LONG, rank, map_tag, comm);
  if (count <= 0) return;
  MPI_Recv(&room, 1, MPI_INT, rank, map_tag, comm, MPI_STATUS_IGNORE);
  if (room != 0) MPI_Send(map->data(), static_cast<int>(count), MPI_OFFSET, rank, map_tag, comm);
}

Failure receive_map(std::vector<PIO_Offset>& map, MPI_Comm comm) {
  long long count = 0;
  int room = 1;
  MPI_Recv(&count, 1, MPI_LONG_LONG, 0, map_tag, comm, MPI_STATUS_IGNORE);
  if (count <= 0) return {};
  try {
    map.resize(static_cast<std::size_t>(count));
  } catch (const std::bad_alloc&) {
    room = 0;
  }
  MPI_Send(&room, 1, MPI_INT, 0, map_tag, comm);
  if (room == 0) return netcdf_failure(NC_ENOMEM, "PIOc_readmap");
  MPI_Recv(map.data(), static_cast<int>(count), MPI_OFFSET, 0, map_tag, comm, MPI_STATUS_IGNORE);
  return {};
}

/// Reads all maps and sends each to its rank, after a failure too: no rank waits for what does not come.
Failure read_and_send(MapReader& reader, const MapHead& head, MPI_Comm comm, std::vector<PIO_Offset>& own) {
  Failure failure;
  std::vector<PIO_Offset> map;
  for (int rank = 0; rank < head.ranks; ++rank) {
    try {
      if (!failure) failure = reader.read_map(rank == 0 ? own : map);
    } catch (const std::bad_alloc&) {
      failure = netcdf_failure(NC_ENOMEM, "PIOc_readmap");
    }
    if (rank > 0) send_map(failure ? nullptr : &map, rank, comm);
  }
  return failure ? failure : reader.read_end();
}

/// Collective.
Failure read_maps(const ReadCall& call, const System& ranks, MapHead& head, std::vector<PIO_Offset>& own) {
  std::unique_ptr<MapReader> reader;
  Failure failure;
  if (ranks.is_root()) {
    reader = std::make_unique<MapReader>("PIOc_readmap", call.path);
    failure = reader->read_head(ranks.size, head);
  }
  failure = share_root(ranks, std::move(failure));
  if (failure) return failure;
  int numbers[] = {head.ranks, static_cast<int>(head.lengths.size())};
  MPI_Bcast(numbers, 2, MPI_INT, 0, ranks.comm);
  head.ranks = numbers[0];
  head.lengths.resize(static_cast<std::size_t>(numbers[1]));
  MPI_Bcast(head.lengths.data(), numbers[1], MPI_INT, 0, ranks.comm);
  if (ranks.is_root())
    failure = read_and_send(*reader, head, ranks.comm, own);
  else if (ranks.rank < head.ranks)
    failure = receive_map(own, ranks.comm);
  return agree(ranks, std::move(failure));
}

Failure check(const ReadCall& call) {
  if (call.path && *call.path && call.dims && call.lengths && call.count && call.map) return {};
  return {PIO_EINVAL, "PIOc_readmap: the file, or the place for ndims, gdims, fmaplen or map, is null"};
}

/// Collective.
int read_map(const ReadCall& call, MPI_Comm comm) {
  const System ranks = ranks_of(comm);
  Failure failure = agree(ranks, check(call));
  MapHead head;
  std::vector<PIO_Offset> own;
  if (!failure) failure = read_maps(call, ranks, head, own);
  if (failure) return report(&ranks, failure);
  int* lengths = copy_of(head.lengths);
  const bool mine = ranks.rank < head.ranks;
  PIO_Offset* map = mine ? copy_of(own) : nullptr;  // null for ranks that the file has not, as in PIO
  failure = agree(ranks, lengths && (map || !mine) ? Failure{} : netcdf_failure(NC_ENOMEM, "PIOc_readmap"));
  if (failure) {
    std::free(lengths);
    std::free(map);
    return report(&ranks, failure);
  }
  *call.dims = static_cast<int>(head.lengths.size());
  *call.lengths = lengths, *call.map = map;
  *call.count = static_cast<PIO_Offset>(own.size());
  return PIO_NOERR;
}

}  // namespace

}  // namespace collio::pio

using namespace collio::pio;

extern "C" {

int PIOc_writemap(const char* file, int ndims, const int* gdims, PIO_Offset maplen, const PIO_Offset* map,
                  MPI_Comm comm) {
  return write_map({"PIOc_writemap", file, ndims, gdims, maplen, map, nullptr}, comm);
}

int PIOc_writemap_from_f90(const char* file, int ndims, const int* gdims, PIO_Offset maplen,
                           const PIO_Offset* map, int f90_comm) {
  return PIOc_writemap(file, ndims, gdims, maplen, map, MPI_Comm_f2c(f90_comm));
}

int collio_scorpio_writemap(const char* file, int ioid, int ndims, const int* gdims, PIO_Offset maplen,
                            const PIO_Offset* map, MPI_Comm comm) {
  return write_map({"PIOc_writemap", file, ndims, gdims, maplen, map, &ioid}, comm);
}

int collio_scorpio_writemap_from_f90(const char* file, int ioid, int ndims, const int* gdims,
                                     PIO_Offset maplen, const PIO_Offset* map, int f90_comm) {
  return collio_scorpio_writemap(file, ioid, ndims, gdims, maplen, map, MPI_Comm_f2c(f90_comm));
}

int PIOc_write_decomp(const char* file, int iosysid, int ioid, MPI_Comm comm) {
  return write_decomposition(file, iosysid, ioid, comm, false);
}

int collio_scorpio_write_decomp(const char* file, int iosysid, int ioid, MPI_Comm comm) {
  return write_decomposition(file, iosysid, ioid, comm, true);
}

int PIOc_readmap(const char* file, int* ndims, int** gdims, PIO_Offset* fmaplen, PIO_Offset** map,
                 MPI_Comm comm) {
  return read_map({file, ndims, gdims, fmaplen, map}, comm);
}

int PIOc_readmap_from_f90(const char* file, int* ndims, int** gdims, PIO_Offset* maplen, PIO_Offset** map,
                          int f90_comm) {
  return PIOc_readmap(file, ndims, gdims, maplen, map, MPI_Comm_f2c(f90_comm));
}
}
