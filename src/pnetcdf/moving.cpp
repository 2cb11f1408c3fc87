// See moving.hpp.
#include "pnetcdf/moving.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "access/reserve.hpp"
#include "capi/file.hpp"
#include "capi/transfer.hpp"
#include "core/reversed.hpp"
#include "netcdf/convert.hpp"
#include "pnetcdf/errors.hpp"
#include "pnetcdf/library.hpp"

namespace collio::pnetcdf {

namespace {

using policy::Direction;

/// Definitions since the request was posted may have moved its variable.
void follow_variable(File& file, Request& request) {
  const Variable* v = file.layout.variable(request.varid);
  if (!v || Place::of(*v) == request.place) return;
  const Place now = Place::of(*v);
  netcdf::Region& region = request.region;
  const Place was{request.place.begin - region.shift, request.place.record_step};
  region.own = moved(region.pieces(), was, now, v->record_bytes);
  region.shared = nullptr;
  region.shift = 0;
  request.place = now;
}

/// Memory that is written as one type and as another has a copy for each.
std::shared_ptr<const access::TurnedMemory> turned_of(std::vector<Request>& requests, bool reads) {
  std::vector<access::TurnedMemory::Range> ranges;
  for (const Request& request : requests) {
    const auto address = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(request.memory.address));
    ranges.push_back({address, address + request.bytes, request.memory.element_bytes});
  }
  bool fits = true;
  auto turned = access::TurnedMemory::of(std::move(ranges), fits);
  if (fits) return turned;
  for (Request& request : requests) copy_turned(request.memory, request.bytes, reads);
  return nullptr;
}

/// In `all`, which they refer to.
capi::Blocks blocks_of(File& file, std::vector<Request>& requests, bool reads,
                       std::vector<capi::Block>& all) {
  for (Request& request : requests) follow_variable(file, request);
  auto turned = turned_of(requests, reads);
  for (const Request& request : requests) {
    const netcdf::Pieces& pieces = request.region.pieces();
    all.push_back({pieces.offsets, pieces.lengths, request.memory.address, request.region.shift,
                   request.region.shared ? &pieces.map : nullptr});
  }
  return {all, std::move(turned)};
}

/// The last element that a put writes, and its index.
struct LastElement {
  std::vector<MPI_Offset> index;
  const std::byte* at = nullptr;
};

LastElement last_of(const Variable& v, const Request& request) {
  const netcdf::Pieces& pieces = request.region.pieces();
  std::size_t last = 0;
  std::int64_t before = 0, bytes = 0;
  for (std::size_t i = 0; i < pieces.offsets.size(); bytes += pieces.lengths[i++])
    if (pieces.offsets[i] >= pieces.offsets[last]) {
      last = i;
      before = bytes;
    }
  const std::int64_t inside = pieces.lengths[last] - v.element_bytes;
  LastElement element{{}, request.memory.address + before + inside};
  std::int64_t offset = pieces.offsets[last] + request.region.shift + inside - v.begin;
  for (const std::int64_t step : v.step) {
    element.index.push_back(step > 0 ? offset / step : 0);
    if (step > 0) offset %= step;
  }
  return element;
}

/// Posts the put's last element with PnetCDF.
int post_last(File& file, const Request& put, std::byte* value) {
  const Variable& v = *file.layout.variable(put.varid);
  const LastElement last = last_of(v, put);
  std::memcpy(value, last.at, static_cast<std::size_t>(v.element_bytes));
  if (put.memory.element_bytes == 1 && std::endian::native == std::endian::little)
    std::reverse(value, value + v.element_bytes);  // the copy has it as the file does
  int request = -1;
  // No type: the numbers are of the variable's.
  return library().iput_var1(file.id, put.varid, last.index.data(), value, 1, MPI_DATATYPE_NULL, &request);
}

}  // namespace

int meet(File& file, Meeting& meeting) {
  const access::Reserve::Use no_list_fails;
  engine::Session& session = *file.data->open;
  const engine::Visit visit(*session.engine, "PnetCDF's wait");
  std::int64_t words[] = {meeting.writes, meeting.reads, meeting.failed != 0, meeting.records,
                          ~file.layout.records()};
  const core::Error error = visit.agreement.worst({}, session.engine->path, words);
  meeting.writes = words[0] != 0;
  meeting.reads = words[1] != 0;
  if (meeting.failed == 0 && words[2] != 0) meeting.failed = no_such_request;
  meeting.records = words[3];
  meeting.known_records = ~words[4];
  return code_of(static_cast<int>(error.kind), !meeting.writes);
}

Moved move_together(File& file, std::vector<Request>& requests, bool reads) {
  const access::Reserve::Use no_list_fails;
  std::vector<capi::Block> blocks;
  capi::Blocks moved;
  int mine = netcdf::ok;
  try {
    moved = blocks_of(file, requests, reads, blocks);
  } catch (const std::bad_alloc&) {  // the others wait: this rank moves nothing
    moved = {};
    mine = netcdf::no_memory;
  }
  const core::Error error = reads ? capi::move_blocks(*file.data, Direction::read, "ncmpi_get", moved)
                                  : capi::move_blocks(*file.data, Direction::write, "ncmpi_put", moved);
  const int all = code_of(static_cast<int>(error.kind), reads);
  return {all, mine != netcdf::ok ? mine : all};
}

int move_alone(File& file, std::vector<Request>& requests, bool reads) try {
  if (requests.empty()) return netcdf::ok;
  std::vector<capi::Block> blocks;
  const core::Error error = capi::move_blocks_alone(*file.data, reads ? Direction::read : Direction::write,
                                                    blocks_of(file, requests, reads, blocks));
  return code_of(static_cast<int>(error.kind), reads);
} catch (const std::bad_alloc&) {
  return netcdf::no_memory;
}

int tell_records(File& file, const std::vector<Request>& puts, std::int64_t records) {
  int code = netcdf::ok;
  std::byte value[8];
  const auto last =
      std::ranges::find_if(puts, [&](const Request& put) { return put.region.records == records; });
  if (last != puts.end()) code = post_last(file, *last, value);
  const auto wait = file.mode == Mode::independent ? library().wait : library().wait_all;
  constexpr int all_puts = -3;
  const int waited = wait(file.id, all_puts, nullptr, nullptr);
  return code != netcdf::ok ? code : waited;
}

namespace {

int delivered(Request& request) try {
  return request.memory.deliver ? request.memory.deliver() : int{netcdf::ok};
} catch (const std::bad_alloc&) {
  return netcdf::no_memory;
}

}  // namespace

int finish(File& file, std::vector<Request>& requests, int code, bool reads) {
  int first = code;
  for (Request& request : requests) {
    int own = code == netcdf::ok ? delivered(request) : code;
    if (own == netcdf::ok) (reads ? file.got_bytes : file.put_bytes) += request.bytes;
    if (file.buffer) file.buffer->give_back(request.room);
    if (request.told) *request.told = own;
    if (first == netcdf::ok) first = own;
  }
  return first;
}

}  // namespace collio::pnetcdf
