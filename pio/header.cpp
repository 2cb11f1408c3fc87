// See header.hpp. Where the number of records lies: "The NetCDF Classic Format Specification", and PnetCDF's
// "CDF-5 Format Specification" for eight bytes in place of four.
#include "header.hpp"

#include <collio/collio.h>

#include <algorithm>
#include <utility>

namespace collio::pio {

namespace {

constexpr std::int64_t records_at = 4;

/// PnetCDF gets the hints, too: some say how it aligns the header.
struct Info {
  MPI_Info info = MPI_INFO_NULL;
  explicit Info(const System& system) {
    if (system.hints.empty()) return;
    MPI_Info_create(&info);
    for (const auto& [key, value] : system.hints) MPI_Info_set(info, key.c_str(), value.c_str());
  }
  ~Info() {
    if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  }
  Info(const Info&) = delete;
  Info& operator=(const Info&) = delete;
};

}  // namespace

Header::~Header() {
  int finalized = 0;  // a program may end with files open
  MPI_Finalized(&finalized);
  if (handle_ != reading::no_id && !finalized) reading::close(handle_);
}

int Header::create(const System& system, const std::string& path, int mode) {
  system_ = &system, path_ = path, mode_ = NC_WRITE;
  return ncmpi_create(MPI_COMM_SELF, path.c_str(), mode, Info(system).info, &handle_);
}

int Header::open(const System& system, const std::string& path, int mode) {
  system_ = &system, path_ = path, mode_ = mode;
  if (const int code = ncmpi_open(MPI_COMM_SELF, path.c_str(), mode, Info(system).info, &handle_)) {
    handle_ = reading::no_id;
    return code;
  }
  // PnetCDF opens netCDF-4 files, too, if it was built so; but collio cannot tell where their data are.
  if (ncmpi_inq_format(handle_, &format_) == NC_NOERR &&
      (format_ == NC_FORMAT_NETCDF4 || format_ == NC_FORMAT_NETCDF4_CLASSIC)) {
    ncmpi_close(std::exchange(handle_, reading::no_id));
    return NC_ENOTNC;
  }
  if (const int code = records_of_handle(known_records_)) return code;
  file_records_ = known_records_;
  return PIO_NOERR;
}

int Header::open_by_netcdf(const System& system, const std::string& path) {
  system_ = &system, path_ = path, mode_ = NC_NOWRITE;
  if (const int code = reading::open_by_netcdf(path, handle_)) return code;
  if (const int code = records_of_handle(known_records_)) return code;
  file_records_ = known_records_;
  return PIO_NOERR;
}

int Header::update() {
  if (file_records_ <= known_records_) return NC_NOERR;
  int again = -1;
  if (const int code = ncmpi_open(MPI_COMM_SELF, path_.c_str(), mode_, Info(*system_).info, &again))
    return code;
  ncmpi_close(std::exchange(handle_, again));
  known_records_ = file_records_;
  return NC_NOERR;
}

void Header::note_put() {
  if (records_of_handle(known_records_) == NC_NOERR) file_records_ = std::max(file_records_, known_records_);
}

int Header::records_of_handle(long long& records) const {
  int unlimited = -1;
  MPI_Offset length = 0;
  if (const int code = reading::inq(handle_, nullptr, nullptr, nullptr, &unlimited)) return code;
  if (unlimited >= 0)
    if (const int code = reading::inq_dim(handle_, unlimited, nullptr, &length)) return code;
  records = length;
  return NC_NOERR;
}

int Header::write_records(collio_file* data, long long records) {
  if (records <= file_records_) return COLLIO_OK;
  char field[8];
  const std::int64_t length = format_ == 5 ? 8 : 4;
  for (std::int64_t i = 0; i < length; ++i) field[i] = static_cast<char>(records >> (8 * (length - 1 - i)));
  const collio_pieces piece{1, &records_at, &length};
  const int code = collio_write_alone(data, &piece, field, nullptr, nullptr);
  if (code == COLLIO_OK) file_records_ = records;
  return code;
}

int Header::read_variable(int varid, int unlimited, Variable& v) const {
  reading::Inquired found;
  if (const int code = reading::inq_var(handle_, varid, found)) return code;
  const std::vector<int>& dims = found.dimids;
  v.type = found.type, v.dims = static_cast<int>(dims.size());
  v.has_records = !dims.empty() && dims[0] == unlimited;
  v.elements = 1;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    MPI_Offset length = 0;
    if (const int code = reading::inq_dim(handle_, dims[d], nullptr, &length)) return code;
    if (d == 0 && v.has_records) continue;
    if (d == 0) v.first_length = length;
    v.elements *= length;
  }
  if (reading::by_netcdf(handle_)) return NC_NOERR;  // what follows is for writing, and for collio's reading
  int no_fill = 0;
  MPI_Offset offset = 0;
  if (const int code = ncmpi_inq_varoffset(handle_, varid, &offset)) return code;
  v.offset = offset;
  return ncmpi_inq_var_fill(handle_, varid, &no_fill, v.fill);
}

int Header::read_layout(Layout& layout) {
  int variables = 0;
  MPI_Offset record_bytes = 0;
  layout.by_netcdf = reading::by_netcdf(handle_);
  if (const int code = reading::inq(handle_, nullptr, &variables, nullptr, &layout.unlimited)) return code;
  if (!layout.by_netcdf)
    if (const int code = ncmpi_inq_recsize(handle_, &record_bytes)) return code;
  if (const int code = reading::inq_format(handle_, &format_)) return code;
  layout.format = format_;
  layout.record_bytes = record_bytes;
  layout.variables.assign(static_cast<std::size_t>(variables), {});
  for (int v = 0; v < variables; ++v)
    if (const int code = read_variable(v, layout.unlimited, layout.variables[static_cast<std::size_t>(v)]))
      return code;
  layout.records = file_records_;
  return NC_NOERR;
}

int Header::close() {
  if (handle_ == reading::no_id) return NC_EBADID;
  return reading::close(std::exchange(handle_, reading::no_id));
}

}  // namespace collio::pio
