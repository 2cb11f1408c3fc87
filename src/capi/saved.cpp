// See saved.hpp.
//
// Each step is one that all ranks make: this rank's part of it as an Error, which all ranks agree on. Where
// they agree on a failure, all leave.
#include "capi/saved.hpp"

#include <array>

#include "capi/error.hpp"
#include "capi/file.hpp"
#include "capi/saved_file.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::capi {

namespace {

using access::Bytes;
using access::Decomposition;
using access::SavedEntry;
using access::SavedHeader;
using core::Error;
using core::ErrorClass;

constexpr auto header_bytes = static_cast<std::int64_t>(access::saved_header_bytes),
               entry_bytes = static_cast<std::int64_t>(access::saved_entry_bytes);

// ---- saving ----

/// Error: this rank's array has another shape than rank 0's. Collective.
Error check_shape(const SavedFile& file, const std::vector<std::int64_t>& shape) {
  std::array<std::int64_t, Decomposition::most_dims + 1> first{};
  first[0] = static_cast<std::int64_t>(shape.size());
  std::copy(shape.begin(), shape.end(), first.begin() + 1);
  transport::broadcast(first.data(), static_cast<int>(first.size()), MPI_INT64_T, 0, file.comm());
  const std::span<const std::int64_t> wanted(first.data() + 1, static_cast<std::size_t>(first[0]));
  if (std::equal(wanted.begin(), wanted.end(), shape.begin(), shape.end())) return {};
  return {ErrorClass::not_same, "the array of rank " + std::to_string(file.rank()) + " is " +
                                    access::text_of_shape(shape) +
                                    "; allowed: " + access::text_of_shape(wanted) + ", as on rank 0"};
}

/// Where this rank's map is among those of all ranks. Fills in the header. Collective.
SavedEntry place_map(const SavedFile& file, const Decomposition& decomposition, const Bytes& map,
                     SavedHeader& header) {
  SavedEntry entry;
  entry.bytes = static_cast<std::int64_t>(map.size());
  entry.elements = decomposition.elements();
  entry.checksum = access::checksum_of(map);
  entry.offset = transport::sum_to_here(entry.bytes, file.comm()) - entry.bytes;
  entry.before = transport::sum_to_here(entry.elements, file.comm()) - entry.elements;
  std::array<std::int64_t, 2> ends{entry.offset + entry.bytes, entry.after()};
  transport::broadcast(ends.data(), 2, MPI_INT64_T, file.ranks() - 1, file.comm());
  header = {decomposition.shape(), file.ranks(), ends[1], 0, 0};
  entry.offset += header.maps_begin();
  header.bytes = header.maps_begin() + ends[0];
  return entry;
}

/// The header comes when all else is there: a file without its end has none.
Error write_all(SavedFile& file, SavedHeader& header, const SavedEntry& entry, Bytes& map) {
  const auto first = access::pack_header(header);
  Error error = file.create();
  if (!error.ok()) return error;
  const auto packed = access::pack_entry(header, file.rank(), entry);
  map.insert(map.begin(), packed.begin(), packed.end());
  SavedFile::Pieces mine, header_place;
  mine.add(header_bytes + file.rank() * entry_bytes, entry_bytes);
  mine.add(entry.offset, entry.bytes);
  error = file.write(mine, map);
  if (!error.ok()) return error;
  if (file.rank() == 0) header_place.add(0, header_bytes);
  error = file.write(header_place, file.rank() == 0 ? Bytes(first.begin(), first.end()) : Bytes());
  return error.ok() ? file.replace() : error;
}

Error save_here(SavedFile& file, const char* path, const collio_decomposition* decomposition) {
  Bytes map;
  Error error = file.on_all([&]() -> Error {
    if (!path || !*path) return {ErrorClass::argument, "the path is empty"};
    if (!decomposition) return {ErrorClass::argument, "the decomposition is null"};
    map = access::pack_map(*decomposition->elements);
    map.reserve(map.size() + access::saved_entry_bytes);
    return {};
  });
  if (!error.ok()) return error;
  const Decomposition& elements = *decomposition->elements;
  error = file.agreed(check_shape(file, elements.shape()));
  if (!error.ok()) return error;
  SavedHeader header;
  const SavedEntry entry = place_map(file, elements, map, header);
  return write_all(file, header, entry, map);
}

// ---- loading ----

struct LoadCall {
  SavedFile& file;
  const char* path;
  const collio_shape* shape;
  int deal;
  collio_decomposition** decomposition;
};

/// Which elements of the saved list a rank gets, and from which maps.
struct Share {
  /// elements; all of the maps unless dealt in equal shares
  std::int64_t from = 0, to = 0;
  std::int64_t first_map = 0, maps = 0;
};

Error check(const LoadCall& call) {
  if (!call.path || !*call.path) return {ErrorClass::argument, "the path is empty"};
  if (!call.decomposition) return {ErrorClass::argument, "the place for the decomposition is null"};
  if (call.deal < COLLIO_DEAL_NONE || call.deal > COLLIO_DEAL_MAPS)
    return not_allowed("deal", call.deal, "COLLIO_DEAL_NONE, COLLIO_DEAL_SHARES, COLLIO_DEAL_MAPS");
  if (!call.shape) return {};
  const int most = static_cast<int>(Decomposition::most_dims);
  if (call.shape->dims < 1 || call.shape->dims > most)
    return not_allowed("dims", call.shape->dims, "1 to " + std::to_string(most));
  return call.shape->lengths ? Error{} : Error{ErrorClass::argument, "the shape's lengths are null"};
}

/// Whether the file fits the call.
Error check(const LoadCall& call, const SavedHeader& header) {
  const int ranks = call.file.ranks();
  if (call.shape) {
    const std::span wanted(call.shape->lengths, static_cast<std::size_t>(call.shape->dims));
    if (!std::equal(wanted.begin(), wanted.end(), header.shape.begin(), header.shape.end()))
      return {ErrorClass::argument, "its array is " + access::text_of_shape(header.shape) +
                                        "; the program expects " + access::text_of_shape(wanted)};
  }
  if (header.ranks == ranks || call.deal != COLLIO_DEAL_NONE) return {};
  return {ErrorClass::argument, "it was saved by " + std::to_string(header.ranks) +
                                    " ranks and is loaded by " + std::to_string(ranks) +
                                    "; allowed: " + std::to_string(header.ranks) +
                                    ", or a rule for other numbers (COLLIO_DEAL_SHARES, COLLIO_DEAL_MAPS)"};
}

std::int64_t part(std::int64_t whole, std::int64_t index, std::int64_t parts) {
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(Wide{whole} * index / parts);
}

/// For each number of `targets` the last map whose elements begin there or before: by halving, with one small
/// read of all ranks for each step. Collective.
Error find_maps(SavedFile& file, const SavedHeader& header, std::array<std::int64_t, 2> targets,
                std::array<std::int64_t, 2>& found) {
  found = {0, 0};
  std::array<std::int64_t, 2> past{header.ranks, header.ranks};
  Bytes bytes(2 * access::saved_entry_bytes);
  for (std::int64_t steps = 1; steps < header.ranks; steps *= 2) {
    SavedFile::Pieces pieces;
    const std::array<std::int64_t, 2> middle{(found[0] + past[0]) / 2, (found[1] + past[1]) / 2};
    for (const std::int64_t map : middle) pieces.add(header_bytes + map * entry_bytes, entry_bytes);
    if (Error error = file.read(pieces, bytes); !error.ok()) return error;
    const Error error = file.on_all([&]() -> Error {
      for (std::size_t i = 0; i < 2; ++i) {
        const access::ByteView here(bytes.data() + i * access::saved_entry_bytes, access::saved_entry_bytes);
        const auto entry = access::read_entry(header, middle[i], here);
        if (!entry) return file.named(entry.error());
        (entry.value().before <= targets[i] ? found : past)[i] = middle[i];
      }
      return {};
    });
    if (!error.ok()) return error;
  }
  return {};
}

/// Which part of a file this rank gets. Collective.
Error deal(const LoadCall& call, const SavedHeader& header, Share& share) {
  const std::int64_t rank = call.file.rank(), ranks = call.file.ranks();
  if (header.ranks == ranks) {
    share.first_map = rank, share.maps = 1;
  } else if (call.deal == COLLIO_DEAL_MAPS) {
    share.first_map = part(header.ranks, rank, ranks);
    share.maps = part(header.ranks, rank + 1, ranks) - share.first_map;
  } else {
    share.from = part(header.elements, rank, ranks), share.to = part(header.elements, rank + 1, ranks);
    std::array<std::int64_t, 2> found{};
    Error error = find_maps(call.file, header, {share.from, share.to - 1}, found);
    if (!error.ok()) return error;
    if (share.from < share.to) share.first_map = found[0], share.maps = found[1] - found[0] + 1;
    return {};
  }
  share.to = header.elements;
  return {};
}

/// A share's maps. Collective.
Error read_entries(SavedFile& file, const SavedHeader& header, const Share& share,
                   std::vector<SavedEntry>& entries) {
  Bytes bytes;
  SavedFile::Pieces pieces;
  Error error = file.on_all([&]() -> Error {
    bytes.resize(static_cast<std::size_t>(share.maps * entry_bytes));
    if (share.maps > 0) pieces.add(header_bytes + share.first_map * entry_bytes, share.maps * entry_bytes);
    return {};
  });
  if (error.ok()) error = file.read(pieces, bytes);
  if (!error.ok()) return error;
  return file.on_all([&]() -> Error {
    for (std::int64_t i = 0; i < share.maps; ++i) {
      const access::ByteView here(bytes.data() + i * entry_bytes, access::saved_entry_bytes);
      const auto entry = access::read_entry(header, share.first_map + i, here);
      if (!entry) return file.named(entry.error());
      entries.push_back(entry.value());
    }
    return {};
  });
}

/// A decomposition of the elements of a share.
Decomposition::Made make(const SavedHeader& header, const Share& share,
                         const std::vector<SavedEntry>& entries, const Bytes& bytes) {
  std::vector<std::int64_t> indices;
  std::size_t at = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const SavedEntry& entry = entries[i];
    const access::SavedMap map{share.first_map + static_cast<std::int64_t>(i), entry,
                               access::ByteView(bytes).subspan(at, static_cast<std::size_t>(entry.bytes))};
    at += static_cast<std::size_t>(entry.bytes);
    if (share.maps == 1 && share.from <= entry.before && share.to >= entry.after())
      return access::decomposition_of(header, map);
    if (Error error = access::check_map(map); !error.ok()) return error;
    const std::int64_t from = std::max(share.from - entry.before, std::int64_t{0}),
                       to = std::min(share.to - entry.before, entry.elements);
    if (Error error = access::append_elements(header, map, from, to, indices); !error.ok()) return error;
  }
  return Decomposition::map(header.shape, indices);
}

/// Reads the maps of a share and makes them a decomposition. Collective.
Error read_maps(const LoadCall& call, const SavedHeader& header, const Share& share,
                collio_decomposition*& made) {
  std::vector<SavedEntry> entries;
  Bytes bytes;
  SavedFile::Pieces pieces;
  Error error = read_entries(call.file, header, share, entries);
  if (!error.ok()) return error;
  error = call.file.on_all([&]() -> Error {
    std::int64_t room = 0;
    for (const SavedEntry& entry : entries) {
      pieces.add(entry.offset, entry.bytes);
      room += entry.bytes;
    }
    bytes.resize(static_cast<std::size_t>(room));
    return {};
  });
  if (error.ok()) error = call.file.read(pieces, bytes);
  if (!error.ok()) return error;
  return call.file.on_all([&]() -> Error {
    auto elements = make(header, share, entries, bytes);
    if (!elements) return call.file.named(elements.error());
    made = new collio_decomposition{std::move(elements.value())};
    return {};
  });
}

Error load_here(const LoadCall& call) {
  // The header's numbers decide what all ranks do: they are those that rank 0 read.
  Error error = call.file.on_all([&] { return check(call); });
  if (error.ok()) error = call.file.open(COLLIO_READ);
  if (!error.ok()) return error;
  Bytes begin;
  std::int64_t size = 0;
  error = call.file.read_begin(access::saved_header_bytes, begin, size);
  if (!error.ok()) return error;
  SavedHeader header;
  error = call.file.on_all([&]() -> Error {
    auto found = access::read_header(begin, size);
    if (!found) return call.file.named(found.error());
    header = std::move(found.value());
    return call.file.named(check(call, header));
  });
  Share share;
  if (error.ok()) error = deal(call, header, share);
  collio_decomposition* made = nullptr;
  if (error.ok()) error = read_maps(call, header, share, made);
  if (error.ok()) error = call.file.close();
  if (error.ok())
    *call.decomposition = made;
  else
    delete made;
  return error;
}

}  // namespace

int save(int fortran_comm, const char* path, const collio_decomposition* decomposition) {
  return guarded_collectively(&path, [&]() -> Error {
    if (Error error = SavedFile::check_comm(fortran_comm); !error.ok()) return error;
    SavedFile file(fortran_comm, path);
    return save_here(file, path, decomposition);
  });
}

int load(int fortran_comm, const char* path, const collio_shape* shape, int deal,
         collio_decomposition** decomposition) {
  return guarded_collectively(&path, [&]() -> Error {
    if (Error error = SavedFile::check_comm(fortran_comm); !error.ok()) return error;
    SavedFile file(fortran_comm, path);
    return load_here({file, path, shape, deal, decomposition});
  });
}

}  // namespace collio::capi
