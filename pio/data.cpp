// Data that are not distributed. PIO has one task write them, and gives all tasks what it reads. So does
// this: PnetCDF moves them on the root.
#include <algorithm>
#include <cstring>

#include "convert.hpp"
#include "file.hpp"

namespace collio::pio {

namespace {

/// PIO's number for C's long, which is no type of files.
constexpr nc_type long_type = 13;

MPI_Datatype mpi_type(nc_type type) {
  switch (type) {
    case NC_BYTE:
      return MPI_SIGNED_CHAR;
    case NC_CHAR:
      return MPI_CHAR;
    case NC_SHORT:
      return MPI_SHORT;
    case NC_INT:
      return MPI_INT;
    case NC_FLOAT:
      return MPI_FLOAT;
    case NC_DOUBLE:
      return MPI_DOUBLE;
    case NC_UBYTE:
      return MPI_UNSIGNED_CHAR;
    case NC_USHORT:
      return MPI_UNSIGNED_SHORT;
    case NC_UINT:
      return MPI_UNSIGNED;
    case NC_INT64:
      return MPI_LONG_LONG_INT;
    case NC_UINT64:
      return MPI_UNSIGNED_LONG_LONG;
    case long_type:
      return MPI_LONG;
    default:
      return MPI_DATATYPE_NULL;
  }
}

/// A part of a variable: null start: from the beginning; null count: to the end, or one element after a
/// start; null stride: all ones. `type`: in memory; NC_NAT for the variable's.
struct Part {
  const char* function;
  int ncid, varid;
  const PIO_Offset *start, *count, *stride;
  nc_type type;
  /// of PIOc_put_var1: no count is one element
  bool one = false;
  /// what is not there cannot be
  bool reads = false;
};

/// The part in full, as PnetCDF takes it.
struct Box : reading::Box {
  nc_type type = NC_NAT;
};

int get_box(int id, int varid, const Box& box, void* values) {
  if (!reading::by_netcdf(id))
    return ncmpi_get_vars_all(id, varid, box.start.data(), box.count.data(), box.stride.data(), values,
                              box.elements, mpi_type(box.type));
  return reading::netcdf_box(id, varid, box, box.type == long_type ? type_of<long>() : box.type, values);
}

int find_box(const Part& part, int id, Box& box) {
  reading::Inquired found;
  if (const int code = reading::inq_var(id, part.varid, found)) return code;
  box.type = part.type == NC_NAT ? found.type : part.type;
  if (mpi_type(box.type) == MPI_DATATYPE_NULL) return NC_EBADTYPE;
  for (std::size_t d = 0; d < found.dimids.size(); ++d) {
    PIO_Offset length = 0;
    if (const int code = reading::inq_dim(id, found.dimids[d], nullptr, &length)) return code;
    box.start.push_back(part.start ? part.start[d] : 0);
    box.count.push_back(part.count ? part.count[d] : part.one ? 1 : length);
    box.stride.push_back(part.stride ? part.stride[d] : 1);
    if (box.count.back() < 0) return NC_ENEGATIVECNT;
    if (part.reads && box.count.back() > length)
      return box.start.back() < 0 || box.start.back() > length ? NC_EINVALCOORDS : NC_EEDGE;
    if (__builtin_mul_overflow(box.elements, box.count.back(), &box.elements)) return NC_EINTOVERFLOW;
  }
  return NC_NOERR;
}

std::string about(const Part& part) { return "(variable " + std::to_string(part.varid) + ")"; }

/// Arrays that wait are written first, if they may be of the same bytes. The root's variable counts.
Failure write_before(File& file, const Part& part, bool all) {
  if (file.defining) return {};  // there are none, and PnetCDF refuses the call
  bool pending = all;
  int varid = part.varid;
  if (!all && !file.pending.places.empty())
    MPI_Bcast(&varid, 1, MPI_INT, file.system->root, file.system->comm);
  for (const auto& [at, distance] : file.pending.places) pending = pending || at.first == varid;
  return pending ? write_pending(file, part.function) : Failure{};
}

/// In fill mode: what PnetCDF does not, unlike netCDF.
Failure fill_before(File& file, const Part& part) {
  if (file.fill_mode != NC_FILL || file.defining) return {};
  long long records = 0;
  const auto run = [&](int id) {
    Box box;
    if (const int code = find_box(part, id, box)) return code;
    if (part.varid < 0 || !file.layout.variables[static_cast<std::size_t>(part.varid)].has_records)
      return NC_NOERR;
    if (box.elements > 0) records = box.start[0] + (box.count[0] - 1) * box.stride[0] + 1;
    return NC_NOERR;
  };
  if (Failure failure = asked(file, {part.function, about(part), run, true}, {out(records)})) return failure;
  return fill_records(file, part.function, records);
}

int put(const Part& part, const void* buffer) {
  File* file = find_file(part.ncid);
  if (!file) return report(nullptr, no_file(part.function, part.ncid));
  Failure failure = write_before(*file, part, false);
  if (!ends(failure)) keep_worse(failure, fill_before(*file, part));
  if (ends(failure)) return report(file->system, failure);
  long long records = file->layout.records;
  const auto run = [&](int id) {
    Box box;
    if (!buffer) return PIO_EINVAL;
    if (const int code = find_box(part, id, box)) return code;
    const int code = ncmpi_put_vars_all(id, part.varid, box.start.data(), box.count.data(), box.stride.data(),
                                        buffer, box.elements, mpi_type(box.type));
    file->header.note_put();
    records = std::max(records, file->header.records());
    return code;
  };
  keep_worse(failure, asked(*file, {part.function, about(part), run, true}, {out(records)}));
  file->layout.records = records;  // numbers that do not fit do not keep the others from the file
  return report(file->system, failure);
}

int get(Part part, void* buffer) {
  File* file = find_file(part.ncid);
  if (!file) return report(nullptr, no_file(part.function, part.ncid));
  part.reads = true;
  Failure failure = write_before(*file, part, true);
  if (ends(failure)) return report(file->system, failure);
  const System& system = *file->system;
  long long bytes = 0;
  std::vector<char> read;
  const auto run = [&](int id) {
    Box box;
    if (const int code = find_box(part, id, box)) return code;
    int type_size = 0;
    MPI_Type_size(mpi_type(box.type), &type_size);
    read.resize(static_cast<std::size_t>(bytes = box.elements * type_size));
    return get_box(id, part.varid, box, read.data());
  };
  keep_worse(failure, asked(*file, {part.function, about(part), run, true}, {out(bytes)}));
  if (ends(failure)) return report(file->system, failure);
  if (!system.is_root()) read.resize(static_cast<std::size_t>(bytes));
  for (long long done = 0; done < bytes;) {
    constexpr long long most = 1 << 30;
    const int now = static_cast<int>(std::min(most, bytes - done));
    MPI_Bcast(read.data() + done, now, MPI_BYTE, system.root, system.comm);
    done += now;
  }
  if (!buffer) return report(&system, {PIO_EINVAL, std::string(part.function) + ": the buffer is null"});
  if (bytes > 0) std::memcpy(buffer, read.data(), read.size());
  return report(&system, failure);
}

}  // namespace

}  // namespace collio::pio

using namespace collio::pio;

extern "C" {

int PIOc_put_vars_tc(int ncid, int varid, const PIO_Offset* start, const PIO_Offset* count,
                     const PIO_Offset* stride, nc_type xtype, const void* buf) {
  return put({"PIOc_put_vars_tc", ncid, varid, start, count, stride, xtype}, buf);
}

int PIOc_get_vars_tc(int ncid, int varid, const PIO_Offset* start, const PIO_Offset* count,
                     const PIO_Offset* stride, nc_type xtype, void* buf) {
  return get({"PIOc_get_vars_tc", ncid, varid, start, count, stride, xtype}, buf);
}

#define COLLIO_PIO_DATA(suffix, ctype, type)                                                       \
  int PIOc_put_var##suffix(int ncid, int varid, const ctype* op) {                                 \
    return put({"PIOc_put_var" #suffix, ncid, varid, nullptr, nullptr, nullptr, type}, op);        \
  }                                                                                                \
  int PIOc_get_var##suffix(int ncid, int varid, ctype* buf) {                                      \
    return get({"PIOc_get_var" #suffix, ncid, varid, nullptr, nullptr, nullptr, type}, buf);       \
  }                                                                                                \
  int PIOc_put_var1##suffix(int ncid, int varid, const PIO_Offset* index, const ctype* op) {       \
    return put({"PIOc_put_var1" #suffix, ncid, varid, index, nullptr, nullptr, type, true}, op);   \
  }                                                                                                \
  int PIOc_get_var1##suffix(int ncid, int varid, const PIO_Offset* index, ctype* buf) {            \
    return get({"PIOc_get_var1" #suffix, ncid, varid, index, nullptr, nullptr, type, true}, buf);  \
  }                                                                                                \
  int PIOc_put_vara##suffix(int ncid, int varid, const PIO_Offset* start, const PIO_Offset* count, \
                            const ctype* op) {                                                     \
    return put({"PIOc_put_vara" #suffix, ncid, varid, start, count, nullptr, type}, op);           \
  }                                                                                                \
  int PIOc_get_vara##suffix(int ncid, int varid, const PIO_Offset* start, const PIO_Offset* count, \
                            ctype* buf) {                                                          \
    return get({"PIOc_get_vara" #suffix, ncid, varid, start, count, nullptr, type}, buf);          \
  }                                                                                                \
  int PIOc_put_vars##suffix(int ncid, int varid, const PIO_Offset* start, const PIO_Offset* count, \
                            const PIO_Offset* stride, const ctype* op) {                           \
    return put({"PIOc_put_vars" #suffix, ncid, varid, start, count, stride, type}, op);            \
  }                                                                                                \
  int PIOc_get_vars##suffix(int ncid, int varid, const PIO_Offset* start, const PIO_Offset* count, \
                            const PIO_Offset* stride, ctype* buf) {                                \
    return get({"PIOc_get_vars" #suffix, ncid, varid, start, count, stride, type}, buf);           \
  }
COLLIO_PIO_DATA(, void, NC_NAT)
COLLIO_PIO_DATA(_text, char, NC_CHAR)
COLLIO_PIO_DATA(_schar, signed char, NC_BYTE)
COLLIO_PIO_DATA(_short, short, NC_SHORT)
COLLIO_PIO_DATA(_int, int, NC_INT)
COLLIO_PIO_DATA(_long, long, long_type)
COLLIO_PIO_DATA(_float, float, NC_FLOAT)
COLLIO_PIO_DATA(_double, double, NC_DOUBLE)
COLLIO_PIO_DATA(_uchar, unsigned char, NC_UBYTE)
COLLIO_PIO_DATA(_ushort, unsigned short, NC_USHORT)
COLLIO_PIO_DATA(_uint, unsigned int, NC_UINT)
COLLIO_PIO_DATA(_longlong, long long, NC_INT64)
COLLIO_PIO_DATA(_ulonglong, unsigned long long, NC_UINT64)

// The type in memory is the decomposition's, as in PIO, whatever the name of the function says.
#define COLLIO_PIO_VARD(suffix, ctype)                                                                      \
  int PIOc_put_vard_##suffix(int ncid, int varid, int decompid, const PIO_Offset recnum, const ctype* op) { \
    return PIOc_put_vard(ncid, varid, decompid, recnum, op);                                                \
  }                                                                                                         \
  int PIOc_get_vard_##suffix(int ncid, int varid, int decompid, const PIO_Offset recnum, ctype* buf) {      \
    return PIOc_get_vard(ncid, varid, decompid, recnum, buf);                                               \
  }
COLLIO_PIO_NUMBER_TYPES(COLLIO_PIO_VARD)
COLLIO_PIO_VARD(text, char)
}
