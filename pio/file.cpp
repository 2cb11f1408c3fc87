// Open files: see file.hpp.
#include "file.hpp"

#include <collio/collio.h>

#include <cstring>

namespace collio::pio {

namespace {

constexpr int first_id = 128;
constexpr int last_iotype = 9;  // SCORPIO's PIO_IOTYPE_HDF5C
constexpr int covered_flags = NC_NOCLOBBER | NC_64BIT_OFFSET | NC_64BIT_DATA;

std::map<int, std::unique_ptr<File>>& files() {
  static std::map<int, std::unique_ptr<File>> all;
  return all;
}

/// Root's layout on all ranks. Collective: three broadcasts.
Failure share_layout(File& file, const char* function) {
  const System& system = *file.system;
  Layout& layout = file.layout;
  Failure failure;
  if (system.is_root())
    failure = netcdf_failure(file.header.read_layout(layout), function + quoted(file.path.c_str()));
  failure = share_root(system, std::move(failure));
  if (failure) return failure;
  long long numbers[] = {static_cast<long long>(layout.variables.size()),
                         layout.record_bytes,
                         layout.records,
                         layout.unlimited,
                         layout.format,
                         layout.by_netcdf};
  MPI_Bcast(numbers, 6, MPI_LONG_LONG, system.root, system.comm);
  layout.by_netcdf = static_cast<int>(numbers[5]);
  layout.variables.resize(static_cast<std::size_t>(numbers[0]));
  layout.record_bytes = numbers[1], layout.records = numbers[2];
  layout.unlimited = static_cast<int>(numbers[3]), layout.format = static_cast<int>(numbers[4]);
  MPI_Bcast(layout.variables.data(), static_cast<int>(layout.variables.size() * sizeof(Variable)), MPI_BYTE,
            system.root, system.comm);
  return {};
}

struct OpenCall {
  const char* function;
  System* system;
  const char* path;
  int mode;
  bool create;
  /// as PIO opens by PIO_IOTYPE_PNETCDF without a second try
  bool pnetcdf_only = false;
};

Failure check(const OpenCall& call, const int* id) {
  const std::string function = std::string(call.function) + ": ";
  if (!call.path || !id) return {PIO_EINVAL, function + "the path or the place for the id is null"};
  if (call.create && call.mode & NC_NETCDF4)
    return {
        PIO_EBADIOTYPE,
        function + "netCDF-4 files are not covered; allowed: PIO_64BIT_OFFSET, PIO_64BIT_DATA or neither"};
  return {};
}

Failure check_type(const OpenCall& call, const int* iotype) {
  const std::string function = std::string(call.function) + ": ";
  if (!iotype) return {PIO_EINVAL, function + "iotype is null"};
  if (PIOc_iotype_available(*iotype)) return {};
  if (!call.create && (*iotype == PIO_IOTYPE_NETCDF4C || *iotype == PIO_IOTYPE_NETCDF4P)) return {};
  Failure failure =
      not_allowed(function + "iotype", *iotype,
                  "PIO_IOTYPE_PNETCDF and PIO_IOTYPE_NETCDF, for classic netCDF, and to open files, "
                  "PIO_IOTYPE_NETCDF4C and PIO_IOTYPE_NETCDF4P. Others are not covered");
  if (*iotype > 0 && *iotype <= last_iotype) failure.code = PIO_EBADIOTYPE;  // PIO has it
  return failure;
}

/// What keeps a file that PnetCDF refuses from being read by netCDF-C; null: nothing does.
const char* why_not_netcdf(const OpenCall& call) {
  if (call.mode & NC_WRITE) return "netCDF-4/HDF5 files can be read, not written. Open it with PIO_NOWRITE.";
  if (call.pnetcdf_only)
    return "Open it with another iotype than PIO_IOTYPE_PNETCDF, or with PIOc_openfile().";
  if (reading::has_netcdf()) return nullptr;
  return "netCDF-4/HDF5 files are read by netCDF-C, which was not found. Install it (Debian: "
         "libnetcdf-mpi-dev), or link the program with it.";
}

/// Opens or creates the header, on the root.
Failure open_header(Header& header, const OpenCall& call) {
  const std::string what = call.function + quoted(call.path);
  if (call.create)
    return netcdf_failure(header.create(*call.system, call.path, call.mode & covered_flags), what);
  const int code = header.open(*call.system, call.path, call.mode & NC_WRITE);
  if (code != NC_ENOTNC && code != NC_ENOTBUILT) return netcdf_failure(code, what);
  if (const char* why = why_not_netcdf(call))
    return {NC_ENOTNC, what + ": this is no file of CDF-1, CDF-2 or CDF-5; " + why};
  return netcdf_failure(header.open_by_netcdf(*call.system, call.path), what);
}

/// A rank with wrong arguments takes part in what the others do.
Failure open_file(const OpenCall& call, int* id) {
  static int next = first_id;
  System& system = *call.system;
  Failure failure =
      agree(system, check(call, id), call.function, {{"whether it writes", (call.mode & NC_WRITE) != 0}});
  if (failure) return failure;
  auto file = std::make_unique<File>();
  file->id = next++, file->system = &system, file->path = call.path;
  file->defining = call.create;
  file->writable = call.create || call.mode & NC_WRITE;
  if (system.is_root()) failure = open_header(file->header, call);
  failure = share_root(system, std::move(failure));
  if (!failure && !call.create) failure = share_layout(*file, call.function);
  if (failure) return failure;
  *id = file->id;
  files()[file->id] = std::move(file);
  return {};
}

int open_with_type(OpenCall call, int iosysid, const int* iotype, int* id) {
  call.system = find_system(iosysid);
  if (!call.system) return report(nullptr, no_system(call.function, iosysid));
  if (Failure failure = agree(*call.system, check_type(call, iotype))) return report(call.system, failure);
  call.pnetcdf_only = call.pnetcdf_only && *iotype == PIO_IOTYPE_PNETCDF;
  return report(call.system, open_file(call, id));
}

int open_without_type(OpenCall call, int iosysid, int* id) {
  call.system = find_system(iosysid);
  if (!call.system) return report(nullptr, no_system(call.function, iosysid));
  return report(call.system, open_file(call, id));
}

/// "key=value;key=value". collio warns of hints that it does not know.
std::string joined_hints(const System& system) {
  std::string joined;
  for (const auto& [key, value] : system.hints) joined += (joined.empty() ? "" : ";") + key + "=" + value;
  return joined;
}

/// Has the data closed before PnetCDF moves them. Collective.
Failure close_data(File& file, const char* function) {
  Failure failure = write_pending(file, function);
  if (file.data) {
    keep_worse(failure, collio_failure(collio_close(&file.data), function + quoted(file.path.c_str())));
    failure.agreed = true;
  }
  file.declared.clear();
  return failure;
}

Failure close_file(File& file, const char* function) {
  Failure failure = close_data(file, function);
  Failure of_header;
  if (file.system->is_root())
    of_header = netcdf_failure(file.header.close(), function + quoted(file.path.c_str()));
  keep_worse(failure, share_root(*file.system, std::move(of_header)));
  return failure;
}

/// `run` with PnetCDF, and the data closed before.
int change_mode(int ncid, const char* function, int (*run)(int), bool defining) {
  File* file = find_file(ncid);
  if (!file) return report(nullptr, no_file(function, ncid));
  Failure failure = file->defining ? Failure{} : close_data(*file, function);
  if (ends(failure)) return report(file->system, failure);
  const int fill_mode = file->fill_mode;
  const auto also_fill_mode = [run, fill_mode, defining](int header) {
    const int code = run(header);
    return code == NC_NOERR && defining && fill_mode == NC_FILL ? ncmpi_set_fill(header, fill_mode, nullptr)
                                                                : code;
  };
  if (const int code = ask(ncid, {function, "", also_fill_mode, true})) return code;
  file->defining = defining;
  if (!defining) keep_worse(failure, share_layout(*file, function));
  return report(file->system, failure);
}

/// PnetCDF's code. The others wait for it, whatever happens here.
int answer(const Question& question, Header& header) {
  try {
    const int code = question.of_records ? header.update() : NC_NOERR;
    const int answered = code == NC_NOERR ? question.run(header.id()) : code;
    // PnetCDF does not know netCDF-C's files, and so refuses to change them.
    return answered == NC_EBADID && reading::by_netcdf(header.id()) ? NC_EPERM : answered;
  } catch (const std::exception&) {  // no memory, or a length beyond any
    return NC_ENOMEM;
  }
}

/// PnetCDF's delete knows prefixes of names (ufs:), but subfiles under `collio run` alone.
Failure delete_on_root(const char* path) {
  if (!path) return {PIO_EINVAL, "PIOc_deletefile: the path is null"};
  const std::string what = "PIOc_deletefile" + quoted(path);
  const int code = collio_delete_file(path);
  return code == COLLIO_ERR_NO_SUCH_FILE ? netcdf_failure(ncmpi_delete(path, MPI_INFO_NULL), what)
                                         : collio_failure(code, what);
}

}  // namespace

File* find_file(int ncid) {
  const auto found = files().find(ncid);
  return found == files().end() ? nullptr : found->second.get();
}

void for_each_file(const std::function<void(File&)>& call) {
  for (const auto& [id, file] : files()) call(*file);
}

Failure no_file(const std::string& function, int ncid) {
  return {PIO_EBADID, function + ": there is no open file " + std::to_string(ncid)};
}

Failure close_files(const System& system) {
  Failure worst;
  for (auto it = files().begin(); it != files().end();) {
    if (it->second->system != &system) {
      ++it;
      continue;
    }
    keep_worse(worst, close_file(*it->second, "PIOc_finalize"));
    it = files().erase(it);
  }
  return worst;
}

Failure open_data(File& file, const char* function) {
  if (file.data) return {};
  const int mode = file.writable ? COLLIO_READ | COLLIO_WRITE : COLLIO_READ;
  const std::string hints = joined_hints(*file.system);
  const int code = collio_open(file.system->comm, file.path.c_str(), mode, hints.c_str(), &file.data);
  Failure failure = collio_failure(code, function + quoted(file.path.c_str()));
  failure.agreed = true;
  return failure;
}

Failure asked(File& file, const Question& question, std::initializer_list<Out> outs) {
  const System& system = *file.system;
  int code = PIO_NOERR;
  if (system.is_root()) code = answer(question, file.header);
  std::size_t bytes = sizeof code;
  for (const Out& one : outs) bytes += one.bytes;
  std::vector<char> message(bytes);
  char* at = message.data();
  std::memcpy(at, &code, sizeof code);
  for (at += sizeof code; const Out& one : outs)
    std::memcpy(std::exchange(at, at + one.bytes), one.place, one.bytes);
  MPI_Bcast(message.data(), static_cast<int>(bytes), MPI_BYTE, system.root, system.comm);
  std::memcpy(&code, message.data(), sizeof code);
  at = message.data() + sizeof code;
  for (const Out& one : outs) std::memcpy(one.place, std::exchange(at, at + one.bytes), one.bytes);
  if (code != PIO_NOERR) {
    Failure failure = netcdf_failure(code, question.function + question.about);
    failure.agreed = true;
    return failure;
  }
  return {};
}

int ask(int ncid, const Question& question, std::initializer_list<Out> outs) {
  File* file = find_file(ncid);
  if (!file) return report(nullptr, no_file(question.function, ncid));
  return report(file->system, asked(*file, question, outs));
}

Failure fill_records(File& file, const char* function, long long records) {
  if (file.fill_mode != NC_FILL || records <= file.layout.records) return {};
  const auto run = [&](int id) {
    for (int v = 0; v < static_cast<int>(file.layout.variables.size()); ++v) {
      int no_fill = 0;
      if (!file.layout.variables[static_cast<std::size_t>(v)].has_records) continue;
      if (const int code = ncmpi_inq_var_fill(id, v, &no_fill, nullptr)) return code;
      for (long long record = file.layout.records; record < records && !no_fill; ++record)
        if (const int code = ncmpi_fill_var_rec(id, v, record)) return code;
    }
    file.header.note_put();
    return NC_NOERR;
  };
  Failure failure = asked(file, {function, ": fill values of new records", run, true});
  if (!failure) file.layout.records = records;
  return failure;
}

std::string quoted(const char* name) { return name ? "(\"" + std::string(name) + "\")" : "(null)"; }

}  // namespace collio::pio

using namespace collio::pio;

extern "C" {

int PIOc_createfile(int iosysid, int* ncidp, const int* iotype, const char* fname, int mode) {
  return open_with_type({"PIOc_createfile", nullptr, fname, mode, true}, iosysid, iotype, ncidp);
}

int PIOc_openfile(int iosysid, int* ncidp, int* iotype, const char* fname, int mode) {
  return open_with_type({"PIOc_openfile", nullptr, fname, mode, false}, iosysid, iotype, ncidp);
}

int PIOc_openfile2(int iosysid, int* ncidp, int* iotype, const char* fname, int mode) {
  return open_with_type({"PIOc_openfile2", nullptr, fname, mode, false, true}, iosysid, iotype, ncidp);
}

int PIOc_openfile_retry(int iosysid, int* ncidp, int* iotype, const char* fname, int mode, int retry) {
  return open_with_type({"PIOc_openfile_retry", nullptr, fname, mode, false, retry == 0}, iosysid, iotype,
                        ncidp);
}

int PIOc_create(int iosysid, const char* path, int cmode, int* ncidp) {
  return open_without_type({"PIOc_create", nullptr, path, cmode, true}, iosysid, ncidp);
}

int PIOc_open(int iosysid, const char* path, int mode, int* ncidp) {
  return open_without_type({"PIOc_open", nullptr, path, mode, false}, iosysid, ncidp);
}

int PIOc_closefile(int ncid) {
  File* file = find_file(ncid);
  if (!file) return report(nullptr, no_file("PIOc_closefile", ncid));
  const System* system = file->system;
  const Failure failure = close_file(*file, "PIOc_closefile");
  files().erase(ncid);
  return report(system, failure);
}

int PIOc_deletefile(int iosysid, const char* filename) {
  const System* system = find_system(iosysid);
  if (!system) return report(nullptr, no_system("PIOc_deletefile", iosysid));
  Failure failure;
  if (system->is_root())
    failure = with_memory("PIOc_deletefile", [filename] { return delete_on_root(filename); });
  return report(system, share_root(*system, std::move(failure)));
}

int PIOc_File_is_Open(int ncid) { return find_file(ncid) != nullptr; }

int PIOc_get_iosystem(int ncid) {
  const File* file = find_file(ncid);
  return file ? file->system->id : report(nullptr, no_file("PIOc_get_iosystem", ncid));
}

int PIOc_Set_File_Error_Handling(int ncid, int method) {
  const File* file = find_file(ncid);
  if (!file) return report(nullptr, no_file("PIOc_Set_File_Error_Handling", ncid));
  return PIOc_Set_IOSystem_Error_Handling(file->system->id, method);
}

int PIOc_redef(int ncid) { return change_mode(ncid, "PIOc_redef", ncmpi_redef, true); }

int PIOc_enddef(int ncid) { return change_mode(ncid, "PIOc_enddef", ncmpi_enddef, false); }

int PIOc_sync(int ncid) {
  File* file = find_file(ncid);
  if (!file) return report(nullptr, no_file("PIOc_sync", ncid));
  if (file->defining) return report(file->system, netcdf_failure(NC_EINDEFINE, "PIOc_sync"));
  if (!file->writable) return PIO_NOERR;
  const std::string about = quoted(file->path.c_str());
  const bool waits = !file->pending.places.empty();
  Failure failure = write_pending(*file, "PIOc_sync", Flush::yes);
  if (!ends(failure) && file->data && !waits) keep_worse(failure, flush_data(*file, "PIOc_sync" + about));
  if (!ends(failure)) keep_worse(failure, asked(*file, {"PIOc_sync", about, ncmpi_sync}));
  failure.agreed = true;
  return report(file->system, failure);
}
}
