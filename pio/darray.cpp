// Distributed arrays. A write copies the array in the file's type and byte order, and declares it to collio.
// Arrays are written together, in one collective access, when a rank would keep more than the limit, when a
// place is written again, and at PIOc_sync() and PIOc_closefile(). All ranks decide on the same numbers, so
// deciding takes no communication.
#include <collio/collio.h>

#include <algorithm>
#include <cstring>

#include "from_root.hpp"

namespace collio::pio {

namespace {

Failure check_array(const Access& a, long long length, const void* array) {
  if (length < a.elements.length)
    return not_allowed(std::string(a.function) + ": arraylen of rank " + std::to_string(a.file.system->rank),
                       length, std::to_string(a.elements.length) + " and more, as the decomposition's map");
  if (!array && a.elements.length > 0) return {PIO_EINVAL, std::string(a.function) + ": the array is null"};
  return {};
}

/// The variable by the decomposition for collio; defined once.
Failure declare(const Access& a, Declared*& declared) {
  const Variable& v = a.variable();
  const int bytes = type_bytes(v.type);
  declared = &a.file.declared[{a.varid, a.elements.id}];
  int code = COLLIO_OK;
  if (!declared->data)
    code = collio_define(a.file.data, a.elements.elements.get(), bytes, v.offset, a.place.record_bytes,
                         &declared->data);
  if (code == COLLIO_OK && !declared->written && a.elements.written)
    code = collio_define(a.file.data, a.elements.written.get(), bytes, v.offset, a.place.record_bytes,
                         &declared->written);
  if (code == COLLIO_OK && !declared->holes && a.elements.hole_elements)
    code = collio_define(a.file.data, a.elements.hole_elements.get(), bytes, v.offset, a.place.record_bytes,
                         &declared->holes);
  return collio_failure(code, a.name());
}

/// Copies the array and puts it, and this rank's share of the holes.
Failure put(const Access& a, const void* array, const void* fill) try {
  const Types types = a.types();
  const auto bytes = static_cast<std::size_t>(type_bytes(types.file));
  Declared* declared = nullptr;
  Failure failure = declare(a, declared);
  if (failure) return failure;
  const auto own_bytes = static_cast<std::size_t>(a.elements.length) * bytes;
  const auto hole_bytes = static_cast<std::size_t>(a.elements.holes) * bytes;
  // Kept before collio knows its address.
  const auto& buffer =
      a.file.pending.buffers.emplace_back(std::make_unique_for_overwrite<char[]>(own_bytes + hole_bytes));
  int worst = PIO_NOERR;
  for (const Run& run : a.elements.present) {
    const auto begin = static_cast<std::size_t>(run.begin);
    const char* from =
        static_cast<const char*>(array) + begin * static_cast<std::size_t>(type_bytes(types.memory));
    worst = std::min(worst, to_file(types, run.end - run.begin, from, buffer.get() + begin * bytes, fill));
  }
  failure = netcdf_failure(worst, a.name() + " of " + type_name(types.file));
  for (std::size_t i = 0; i < hole_bytes; i += bytes)
    (void)to_file({types.file, types.file}, 1, fill, buffer.get() + own_bytes + i, fill);
  collio_variable* written = declared->written ? declared->written : declared->data;
  int code = collio_put(written, a.place.record, buffer.get(), nullptr);
  if (code == COLLIO_OK && declared->holes)
    code = collio_put(declared->holes, a.place.record, buffer.get() + own_bytes, nullptr);
  keep_worse(failure, collio_failure(code, a.name()));
  return failure;
} catch (const std::bad_alloc&) {
  return {PIO_ENOMEM, a.name() + ": no memory for a copy of the array. Lower PIOc_set_buffer_size_limit()"};
}

struct Array {
  long long length;
  const void* data;
  /// of the decomposition's type; null: the variable's
  const void* fill;
};

/// The fill value in the file's type; netCDF's where it does not fit, which only matters if there are holes.
Failure fill_of(const Access& a, const Array& array, char (&fill)[8]) {
  std::memcpy(fill, a.variable().fill, sizeof fill);
  if (!array.fill) return {};
  const int code = convert(a.types(), 1, array.fill, fill);
  return a.elements.most_holes > 0 ? netcdf_failure(code, a.name() + ": the fill value") : Failure{};
}

/// Whether an array that waits is of the same bytes, or may be: a variable's places are of one kind at a
/// time.
bool waits(const Pending& pending, int varid, const Place& place) {
  const auto other = pending.places.lower_bound({varid, 0});
  return other != pending.places.end() && other->first.first == varid &&
         (other->second != place.record_bytes || pending.places.contains({varid, place.record}));
}

Failure check_write(const Access& a, const Array& array) {
  if (!a.file.writable) return netcdf_failure(NC_EPERM, a.function);
  if (!a.elements.read_only.empty())
    return {PIO_EINVAL, std::string(a.function) +
                            ": the decomposition can be read, not written: " + a.elements.read_only};
  return check_array(a, array.length, array.data);
}

Failure write(const Access& a, const Array& array) {
  File& file = a.file;
  const Place& place = a.place;
  const long long most = (a.elements.most_length + a.elements.most_holes) * type_bytes(a.variable().type);
  Failure of_others;
  if (waits(file.pending, a.varid, place) ||
      (!file.pending.places.empty() && file.pending.bytes + most > buffer_limit()))
    of_others = write_pending(file, a.function);
  Failure failure = of_others;
  if (!ends(failure) && a.variable().has_records)
    keep_worse(failure, fill_records(file, a.function, place.record + 1));
  if (!ends(failure)) keep_worse(failure, open_data(file, a.function));
  if (ends(failure)) return failure;
  file.pending.places[{a.varid, place.record}] = place.record_bytes;
  file.pending.bytes += most;
  if (a.variable().has_records)
    file.pending.records = std::max({file.pending.records, file.layout.records, place.record + 1});
  char fill[8];
  keep_worse(file.put_failure, fill_of(a, array, fill));
  keep_worse(file.put_failure, put(a, array.data, fill));
  return failure;  // what this rank's put met is an error of the next write, on all ranks
}

/// Numbers of the file as those of the program; holes of the map stay as they were.
Failure take(const Access& a, const char* read, void* array) {
  const Types types = a.types();
  const auto bytes = static_cast<std::size_t>(type_bytes(types.file));
  Failure failure;
  for (const Run& run : a.elements.present) {
    const auto begin = static_cast<std::size_t>(run.begin);
    char* to = static_cast<char*>(array) + begin * static_cast<std::size_t>(type_bytes(types.memory));
    keep_worse(failure,
               netcdf_failure(from_file(types, run.end - run.begin, read + begin * bytes, to), a.name()));
  }
  return failure;
}

/// Asks for the array. Zeros come where the file ends before the variable does.
Failure get(const Access& a, std::unique_ptr<char[]>& buffer) try {
  buffer =
      std::make_unique<char[]>(static_cast<std::size_t>(a.elements.length * type_bytes(a.variable().type)));
  if (a.file.layout.by_netcdf) return {};
  Declared* declared = nullptr;
  if (Failure failure = declare(a, declared)) return failure;
  return collio_failure(collio_get(declared->data, a.place.record, buffer.get(), nullptr), a.name());
} catch (const std::bad_alloc&) {
  return {PIO_ENOMEM, a.name() + ": no memory for a copy of the array"};
}

Failure check_read(const Access& a, long long length, const void* array) {
  const long long records = std::max(a.file.layout.records, a.file.pending.records);
  if (!a.variable().has_records || a.place.record < records) return check_array(a, length, array);
  Failure failure = not_allowed(a.name() + ": frame", a.place.record,
                                "less than " + std::to_string(records) + ", the number of records");
  failure.code = NC_EINVALCOORDS;
  return failure;
}

Failure read(const Access& a, void* array) {
  File& file = a.file;
  Failure before = write_pending(file, a.function);
  if (!ends(before) && !file.layout.by_netcdf) keep_worse(before, open_data(file, a.function));
  if (ends(before)) return before;
  std::unique_ptr<char[]> buffer;
  Failure own = get(a, buffer);
  keep_worse(own, file.layout.by_netcdf ? get_from_root(a, own, buffer.get())
                                        : collio_failure(collio_fetch(file.data, nullptr), a.name()));
  if (!own) own = take(a, buffer.get(), array);
  keep_worse(own, std::move(before));
  return agree(*file.system, std::move(own));
}

int write(const Target& t, const Array& array) {
  File* file = find_file(t.ncid);
  if (!file) return report(nullptr, no_file(t.function, t.ncid));
  std::optional<Access> access;
  Failure failure = agree_on(*file, t, access, [&](const Access& a) { return check_write(a, array); });
  if (!failure) failure = write(*access, array);
  return report(file->system, failure);
}

int read(const Target& t, long long length, void* array) {
  File* file = find_file(t.ncid);
  if (!file) return report(nullptr, no_file(t.function, t.ncid));
  std::optional<Access> access;
  Failure failure = agree_on(*file, t, access, [&](const Access& a) { return check_read(a, length, array); });
  if (!failure) failure = read(*access, array);
  return report(file->system, failure);
}

/// Variables of one call have as many dimensions each.
Failure check_same_dims(const File& file, const std::vector<int>& varids) {
  const auto dims = [&](int varid) { return file.layout.variables[static_cast<std::size_t>(varid)].dims; };
  for (const int varid : varids)
    if (dims(varid) != dims(varids[0]))
      return {PIO_EVARDIMMISMATCH, "PIOc_write_darray_multi: variable " + std::to_string(varid) + " has " +
                                       std::to_string(dims(varid)) + " dimensions, variable " +
                                       std::to_string(varids[0]) + " has " + std::to_string(dims(varids[0])) +
                                       "; all must have the same number"};
  return {};
}

struct SeveralTargets {
  const char* function;
  int ncid;
  const int* varids;
  int count, ioid;
  /// null: those that were set
  const int* frames;

  [[nodiscard]] Target at(int i) const {
    return {function, ncid, varids[i], ioid, frames ? std::optional<long long>(frames[i]) : std::nullopt};
  }
};

Failure check(const File& file, const SeveralTargets& t) {
  if (!t.varids || t.count < 1)
    return not_allowed(std::string(t.function) + ": nvars, with varids", t.count, "1 and more, and not null");
  for (int i = 0; i < t.count; ++i)
    if (Failure failure = check(file, t.at(i))) return failure;
  return check_same_dims(file, {t.varids, t.varids + t.count});
}

/// 0 for none: the call itself tells all ranks of a wrong id.
long long length_of(int ioid) {
  const auto found = find_decomposition(ioid);
  return found ? found->length : 0;
}

int set_frame(const Target& t) {
  File* file = find_file(t.ncid);
  return file ? report(file->system, set_frame(*file, t)) : report(nullptr, no_file(t.function, t.ncid));
}

/// Frees what the file has of decompositions that the program has freed. Arrays that wait still need it.
void forget_freed(File& file) {
  if (!file.pending.places.empty()) return;
  std::erase_if(file.declared, [](const auto& entry) {
    auto [key, declared] = entry;
    if (find_decomposition(key.second)) return false;
    collio_undefine(&declared.data);
    if (declared.written) collio_undefine(&declared.written);
    if (declared.holes) collio_undefine(&declared.holes);
    return true;
  });
}

}  // namespace

void forget_freed_decompositions() { for_each_file(forget_freed); }

Failure flush_data(const File& file, const std::string& what) {
  Failure failure = collio_failure(collio_sync(file.data), what);
  failure.agreed = true;
  return failure;
}

long long& buffer_limit() {
  static long long limit = 10LL << 20;
  return limit;
}

Failure write_pending(File& file, const char* function, Flush flush) {
  if (file.pending.places.empty()) return {};
  const std::string what = function + quoted(file.path.c_str());
  Failure failure = collio_failure(collio_commit(file.data, nullptr), what);
  const long long records = std::exchange(file.pending, {}).records;
  forget_freed(file);
  keep_worse(failure, std::exchange(file.put_failure, {}));
  failure = agree(*file.system, std::move(failure));
  if (!ends(failure) && flush == Flush::yes) keep_worse(failure, flush_data(file, what));
  if (ends(failure) || records <= file.layout.records) return failure;
  Failure own;
  if (file.system->is_root())
    own = collio_failure(file.header.write_records(file.data, records), what + ": number of records");
  own = share_root(*file.system, std::move(own));
  if (!own) file.layout.records = records;  // of arrays that are in the file
  if (!own && flush == Flush::yes) own = flush_data(file, what);
  keep_worse(failure, std::move(own));
  return failure;
}

}  // namespace collio::pio

using namespace collio::pio;

extern "C" {

PIO_Offset collio_scorpio_set_buffer_size_limit(PIO_Offset limit) {
  return limit >= 0 ? std::exchange(buffer_limit(), limit) : buffer_limit();
}

PIO_Offset PIOc_set_buffer_size_limit(PIO_Offset limit) {
  return collio_scorpio_set_buffer_size_limit(limit > 0 ? limit : -1);
}

int PIOc_setframe(int ncid, int varid, int frame) {
  return set_frame({"PIOc_setframe", ncid, varid, -1, frame});
}

int PIOc_advanceframe(int ncid, int varid) {
  File* file = find_file(ncid);
  if (!file) return report(nullptr, no_file("PIOc_advanceframe", ncid));
  const auto frame = file->frames.find(varid);
  return set_frame(
      {"PIOc_advanceframe", ncid, varid, -1, frame == file->frames.end() ? 0 : frame->second + 1LL});
}

int PIOc_write_darray(int ncid, int varid, int ioid, PIO_Offset arraylen, const void* array,
                      const void* fillvalue) {
  return write({"PIOc_write_darray", ncid, varid, ioid}, {arraylen, array, fillvalue});
}

// PIO's header calls `fillvalue` pointers; its library takes them as one array of values of the
// decomposition's type.
int PIOc_write_darray_multi(int ncid, const int* varids, int ioid, int nvars, PIO_Offset arraylen,
                            const void* array, const int* frame, COLLIO_PIO_FILLVALUES fillvalue,
                            bool flushtodisk) {
  const char* function = "PIOc_write_darray_multi";
  const File* file = find_file(ncid);
  if (!file) return report(nullptr, no_file(function, ncid));
  const SeveralTargets targets{function, ncid, varids, nvars, ioid, frame};
  if (const Failure failure = agree(*file->system, check(*file, targets), function,
                                    {{"nvars", nvars}, {"flushtodisk", flushtodisk}}))
    return report(file->system, failure);
  const auto element_bytes = static_cast<std::size_t>(type_bytes(find_decomposition(ioid)->type));
  const auto array_bytes = static_cast<std::size_t>(std::max<PIO_Offset>(arraylen, 0)) * element_bytes;
  const char* data = static_cast<const char*>(array);
  const char* fill = reinterpret_cast<const char*>(fillvalue);
  int of_numbers = PIO_NOERR;  // they keep no variable from the file
  for (int i = 0; i < nvars; ++i) {
    const int code = write(targets.at(i), {arraylen, data, fill});
    if (code != PIO_NOERR && code != PIO_ERANGE) return code;
    of_numbers = std::min(of_numbers, code);
    if (data) data += array_bytes;
    if (fill) fill += element_bytes;
  }
  return std::min(of_numbers, flushtodisk ? PIOc_sync(ncid) : PIO_NOERR);
}

int PIOc_read_darray(int ncid, int varid, int ioid, PIO_Offset arraylen, void* array) {
  return read({"PIOc_read_darray", ncid, varid, ioid, {}, true}, arraylen, array);
}

int PIOc_put_vard(int ncid, int varid, int decompid, const PIO_Offset recnum, const void* buf) {
  return write({"PIOc_put_vard", ncid, varid, decompid, recnum}, {length_of(decompid), buf, nullptr});
}

int PIOc_get_vard(int ncid, int varid, int decompid, const PIO_Offset recnum, void* buf) {
  return read({"PIOc_get_vard", ncid, varid, decompid, recnum, true}, length_of(decompid), buf);
}
}
