// See data_calls.hpp.
#include "pnetcdf/data_calls.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "netcdf/convert.hpp"
#include "observe/report_records.hpp"
#include "pnetcdf/errors.hpp"
#include "pnetcdf/library.hpp"
#include "pnetcdf/moving.hpp"

namespace collio::pnetcdf {

namespace {

netcdf::Offsets offsets(const MPI_Offset* program) { return reinterpret_cast<netcdf::Offsets>(program); }

netcdf::Named named_by(const collio_pnetcdf_call& call) {
  static_assert(sizeof(MPI_Offset) == sizeof(netcdf::Offset));
  using Form = netcdf::Named::Form;
  constexpr Form forms[] = {Form::whole, Form::one, Form::block, Form::block, Form::block, Form::list};
  return {forms[call.form],
          {offsets(call.start), offsets(call.count), offsets(call.stride)},
          call.parts,
          reinterpret_cast<const netcdf::Offsets*>(call.starts),
          reinterpret_cast<const netcdf::Offsets*>(call.counts),
          call.reads != 0};
}

int build_request(File& file, const collio_pnetcdf_call& call, Request& request) try {
  const Variable* v = file.layout.variable(call.varid);
  const std::int64_t records = v && v->records ? file.layout.records() : 0;
  const netcdf::Named named = named_by(call);
  // PnetCDF looks at the parts of a list last.
  const bool is_list = call.form == COLLIO_VARN && call.parts > 0;
  if (v && is_list && call.way == COLLIO_BUFFERED && !file.buffer) return no_buffer;
  const auto before = is_list ? file.lists.find(call.parts) : nullptr;
  if (!v || !region_of(named, *v, records, request.region, before)) {
    request.region = {};
    return refusal_of(call);
  }
  if (is_list && request.region.shared != before) file.lists.keep(call.parts, request.region.shared);
  const std::int64_t elements = request.region.elements;
  const bool is_mapped = call.form == COLLIO_VARM;
  auto memory = Elements::of(call, *v, elements,
                             is_mapped ? counts_of(named, *v, records) : std::vector<std::int64_t>());
  if (!memory) return refusal_of(call);
  request.bytes = elements * v->element_bytes;
  if (call.way == COLLIO_BUFFERED) {
    if (!file.buffer) return no_buffer;
    if (elements > 0) request.room = file.buffer->take(request.bytes);
    if (elements > 0 && request.room < 0) return buffer_too_small;
  }
  request.varid = call.varid;
  request.place = Place::of(*v);
  if (elements == 0) return netcdf::ok;
  std::byte fill[8] = {};
  if (!call.reads && !v->same_as(memory->type()))
    static_cast<void>(library().inq_var_fill(file.id, v->id, nullptr, fill));
  const Wanted wanted{*v, elements, fill, call.way == COLLIO_BUFFERED};
  return call.reads ? to_read(std::move(*memory), wanted, request.memory)
                    : to_write(*memory, wanted, request.memory);
} catch (const std::bad_alloc&) {
  return netcdf::no_memory;
}

bool is_made(int code) { return code == netcdf::ok || code == netcdf::out_of_range; }

/// The call as a request; a code of PnetCDF's: with out_of_range it is made all the same. Not collective.
int make_request(File& file, const collio_pnetcdf_call& call, Request& request) {
  const int code = build_request(file, call, request);
  ++(is_made(code) ? file.calls.served : file.calls.refused);
  return code;
}

int post(File& file, const collio_pnetcdf_call& call) try {
  Request request;
  if (call.request) *call.request = -1;
  const int code = make_request(file, call, request);
  if (!is_made(code) || request.region.elements == 0) {
    if (file.buffer) file.buffer->give_back(request.room);
    return code;
  }
  const int id = (call.reads ? file.gets : file.puts).add(std::move(request));
  if (call.request) *call.request = id;
  return code;
} catch (const std::bad_alloc&) {
  return netcdf::no_memory;
}

/// The same, with the new records made known. Collective.
Moved put_together(File& file, std::vector<Request>& puts, const Meeting& meeting) {
  Moved moved = move_together(file, puts, false);
  if (moved.all != netcdf::ok || meeting.records <= meeting.known_records) return moved;
  const int code = tell_records(file, puts, meeting.records);
  if (moved.mine == netcdf::ok) moved.mine = code;
  return moved;
}

std::int64_t records_of(const std::vector<Request>& puts) {
  std::int64_t records = 0;
  for (const Request& put : puts) records = std::max(records, put.region.records);
  return records;
}

/// The requests of one call. `made`: its code so far.
struct Call {
  std::vector<Request> requests;
  int made = netcdf::ok;

  /// False: PnetCDF refuses it, and nothing moves.
  bool add(File& file, const collio_pnetcdf_call& call) try {
    Request request;
    const int code = make_request(file, call, request);
    if (made == netcdf::ok) made = code;
    if (!is_made(code)) {
      made = code;
      requests.clear();
    } else if (request.region.elements > 0) {
      requests.push_back(std::move(request));
    }
    return is_made(code);
  } catch (const std::bad_alloc&) {
    requests.clear();
    made = netcdf::no_memory;
    return false;
  }
};

int call_together(File& file, Call& call, bool reads) {
  int code = netcdf::ok;
  if (reads) {
    code = move_together(file, call.requests, true).mine;
  } else {
    Meeting meeting{.writes = true, .records = records_of(call.requests)};
    // Where the file may get records, all ranks learn how many, whatever one of them puts.
    if (file.layout.has_records()) code = meet(file, meeting);
    if (code == netcdf::ok) code = put_together(file, call.requests, meeting).mine;
  }
  const int ended = finish(file, call.requests, code, reads);
  return call.made != netcdf::ok ? call.made : ended;
}

int put_alone(File& file, std::vector<Request>& puts) {
  const std::int64_t records = records_of(puts);
  const int code = move_alone(file, puts, false);
  const bool tells = code == netcdf::ok && records > file.layout.records();
  return finish(file, puts, tells ? tell_records(file, puts, records) : code, false);
}

int get_alone(File& file, std::vector<Request>& gets) {
  return finish(file, gets, move_alone(file, gets, true), true);
}

int call_alone(File& file, Call& call, bool reads) {
  if (call.requests.empty()) return call.made;
  const int ended = reads ? get_alone(file, call.requests) : put_alone(file, call.requests);
  return call.made != netcdf::ok ? call.made : ended;
}

int move_call(File& file, Call& call, const collio_pnetcdf_call& of) {
  const bool reads = of.reads != 0;
  return of.way == COLLIO_BLOCKING ? call_together(file, call, reads) : call_alone(file, call, reads);
}

/// The file is in the mode that the blocking call's function is for.
bool fits_mode(const File& file, const collio_pnetcdf_call& call) {
  return file.mode == (call.way == COLLIO_BLOCKING ? Mode::collective : Mode::independent) &&
         (call.reads || file.writable);
}

collio_pnetcdf_call one_of(const collio_pnetcdf_calls& calls, int i) {
  collio_pnetcdf_call one = calls.alike;
  one.varid = calls.varids[i];
  if (calls.starts) one.start = calls.starts[i];
  if (calls.counts) one.count = calls.counts[i];
  if (calls.strides) one.stride = calls.strides[i];
  if (calls.imaps) one.imap = calls.imaps[i];
  one.buffer = calls.buffers[i];
  if (!calls.buffer_counts) return one;
  one.buffer_count = calls.buffer_counts[i];
  one.buffer_type = calls.buffer_types[i];
  return one;
}

bool is_all(int count) { return count == all_requests || count == all_gets || count == all_puts; }

/// A code where an id is of no request: nothing is taken then. O(named).
int check(const File& file, const Named& named) {
  if (is_all(named.count) || named.count == 0) return netcdf::ok;
  if (named.count < 0 || !named.ids) return netcdf::invalid;
  int code = netcdf::ok;
  for (int i = 0; i < named.count; ++i) {
    const int id = named.ids[i];
    const bool known = id == -1 || file.puts.has(id) || file.gets.has(id);
    const int status = known ? int{netcdf::ok} : int{no_such_request};
    if (named.statuses) named.statuses[i] = status;
    if (!known) code = status;
  }
  return code;
}

struct Taken {
  std::vector<Request> puts, gets;
};

Taken take(File& file, const Named& named) {
  Taken taken;
  if (is_all(named.count)) {
    if (named.count != all_gets) taken.puts = file.puts.take_all();
    if (named.count != all_puts) taken.gets = file.gets.take_all();
    return taken;
  }
  for (int i = 0; i < named.count; ++i) {
    int& id = named.ids[i];
    auto& list = file.puts.owns(id) ? file.puts : file.gets;
    auto one = list.take(id);
    if (!one) continue;
    one->told = named.statuses ? &named.statuses[i] : nullptr;
    (file.puts.owns(id) ? taken.puts : taken.gets).push_back(std::move(*one));
    id = -1;
  }
  file.puts.forget_taken();
  file.gets.forget_taken();
  return taken;
}

}  // namespace

int data_call(File& file, const collio_pnetcdf_call& call) {
  const bool posts = call.way == COLLIO_NONBLOCKING || call.way == COLLIO_BUFFERED;
  if (posts ? !call.reads && !file.writable : !fits_mode(file, call)) {
    ++file.calls.refused;
    return call_library(call);
  }
  if (posts) return post(file, call);
  Call one;
  one.add(file, call);
  return move_call(file, one, call);
}

bool several_calls(File& file, const collio_pnetcdf_calls& calls, int& code) {
  if (!fits_mode(file, calls.alike)) {
    ++file.calls.refused;
    return false;
  }
  Call all;
  for (int i = 0; i < calls.count; ++i)
    if (!all.add(file, one_of(calls, i))) break;
  code = move_call(file, all, calls.alike);
  return true;
}

int wait_together(File& file, const Named& named) {
  if (file.mode != Mode::collective) return library().wait_all(file.id, 0, nullptr, nullptr);
  Meeting meeting;
  meeting.failed = check(file, named);
  Taken taken;
  if (meeting.failed == netcdf::ok) taken = take(file, named);
  meeting.writes = !taken.puts.empty();
  meeting.reads = !taken.gets.empty();
  meeting.records = records_of(taken.puts);
  Moved moved;
  moved.all = moved.mine = meet(file, meeting);
  const bool moves = moved.all == netcdf::ok && meeting.failed == netcdf::ok;
  if (moves && meeting.writes) moved = put_together(file, taken.puts, meeting);
  int first = finish(file, taken.puts, moved.mine, false);
  if (moves && moved.all == netcdf::ok && meeting.reads) moved = move_together(file, taken.gets, true);
  const int read = finish(file, taken.gets, moved.mine, true);
  if (first == netcdf::ok) first = read;
  return meeting.failed != netcdf::ok ? meeting.failed : first;
}

int wait_alone(File& file, const Named& named) {
  if (file.mode != Mode::independent) return library().wait(file.id, 0, nullptr, nullptr);
  if (const int code = check(file, named); code != netcdf::ok) return code;
  Taken taken = take(file, named);
  const int written = put_alone(file, taken.puts);
  const int read = get_alone(file, taken.gets);
  return written != netcdf::ok ? written : read;
}

int cancel(File& file, const Named& named) {
  if (!is_all(named.count) && named.count < 0) return netcdf::invalid;
  const int code = check(file, named);
  const Taken taken = take(file, named);
  for (const Request& put : taken.puts)
    if (file.buffer) file.buffer->give_back(put.room);
  return code;
}

}  // namespace collio::pnetcdf
