#include "pnetcdf.hpp"

#include <dlfcn.h>

#include <cstdlib>

namespace collio::bench {
namespace {

// Of pnetcdf.h, the same in every version.
constexpr int cdf5 = 0x20, read_only = 0, nc_byte = 1;
constexpr int first_version_with_gio[2] = {1, 15};

/// PnetCDF's functions by name. An MPI other than the program's would crash: the caller names a PnetCDF of
/// the same one.
class PnetcdfLibrary {
 public:
  explicit PnetcdfLibrary(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) {
    if (!handle_) {
      missing_ = dlerror();
      return;
    }
    find("ncmpi_create", create);
    find("ncmpi_open", open);
    find("ncmpi_def_dim", def_dim);
    find("ncmpi_def_var", def_var);
    find("ncmpi__enddef", enddef);
    find("ncmpi_inq_varoffset", inq_varoffset);
    find("ncmpi_inq_file_info", inq_file_info);
    find("ncmpi_inq_libvers", inq_libvers);
    find("ncmpi_iput_varn", iput_varn);
    find("ncmpi_iget_varn", iget_varn);
    find("ncmpi_wait_all", wait_all);
    find("ncmpi_sync", sync);
    find("ncmpi_close", close);
    find("ncmpi_strerror", strerror);
  }
  /// Why the library cannot be used; empty: it can.
  [[nodiscard]] const std::string& missing() const { return missing_; }

  int (*create)(MPI_Comm, const char*, int, MPI_Info, int*) = nullptr;
  int (*open)(MPI_Comm, const char*, int, MPI_Info, int*) = nullptr;
  int (*def_dim)(int, const char*, MPI_Offset, int*) = nullptr;
  int (*def_var)(int, const char*, int, int, const int*, int*) = nullptr;
  int (*enddef)(int, MPI_Offset, MPI_Offset, MPI_Offset, MPI_Offset) = nullptr;
  int (*inq_varoffset)(int, int, MPI_Offset*) = nullptr;
  int (*inq_file_info)(int, MPI_Info*) = nullptr;
  const char* (*inq_libvers)() = nullptr;
  int (*iput_varn)(int, int, int, MPI_Offset* const*, MPI_Offset* const*, const void*, MPI_Offset,
                   MPI_Datatype, int*) = nullptr;
  int (*iget_varn)(int, int, int, MPI_Offset* const*, MPI_Offset* const*, void*, MPI_Offset, MPI_Datatype,
                   int*) = nullptr;
  int (*wait_all)(int, int, int*, int*) = nullptr;
  int (*sync)(int) = nullptr;
  int (*close)(int) = nullptr;
  const char* (*strerror)(int) = nullptr;

 private:
  template <typename Function>
  void find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));  // a preloaded library's comes first
    if (!function && missing_.empty()) missing_ = std::string("no function ") + name;
  }
  void* handle_;
  std::string missing_;
};

/// The library of this run; loaded once.
[[nodiscard]] const PnetcdfLibrary& library_of(const Target& target) {
  static const PnetcdfLibrary library(target.pnetcdf);
  return library;
}

/// The pieces of one call as PnetCDF takes them: starts and lengths, each by a pointer.
struct PieceList {
  std::vector<MPI_Offset> starts, lengths;
  std::vector<MPI_Offset*> start_at, length_at;
  std::int64_t bytes = 0;

  void add(Extent extent) {
    starts.push_back(extent.offset);
    lengths.push_back(extent.length);
  }
  void point() {
    for (std::size_t i = start_at.size(); i < starts.size(); ++i) {
      start_at.push_back(&starts[i]);
      length_at.push_back(&lengths[i]);
    }
  }
};

[[nodiscard]] std::vector<PieceList> lists_by_call(const Pattern& pattern) {
  std::vector<PieceList> lists(pattern.calls().size());
  for (std::size_t i = 0; i < lists.size(); ++i) lists[i].bytes = pattern.calls()[i].bytes;
  std::size_t at = 0;
  std::int64_t left = lists.empty() ? 0 : lists[0].bytes;
  pattern.own_extents([&](Extent extent) {
    while (left == 0) left = lists[++at].bytes;
    lists[at].add(extent);
    left -= extent.length;
  });
  for (PieceList& list : lists) list.point();
  return lists;
}

/// An open file and the first error of the calls on it.
class PnetcdfFile {
 public:
  PnetcdfFile(const PnetcdfLibrary& library, Direction direction)
      : library_(library), direction_(direction) {}

  bool good(const char* what, int code) {
    if (code != 0 && error.empty()) error = std::string(what) + ": " + library_.strerror(code);
    return code == 0;
  }

  /// Opens or makes the file with room for all steps, and checks that it lies as the content expects.
  void open(const Target& target, const Work& work) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    for (const auto& [key, value] : target.hints) MPI_Info_set(info, key.c_str(), value.c_str());
    const char* path = target.path.c_str();
    is_open = direction_ == Direction::write
                  ? good("ncmpi_create", library_.create(MPI_COMM_WORLD, path, cdf5, info, &id_))
                  : good("ncmpi_open", library_.open(MPI_COMM_WORLD, path, read_only, info, &id_));
    MPI_Info_free(&info);
    if (!is_open) return;
    if (direction_ == Direction::write) {
      int dim = 0, variable = 0;
      good("ncmpi_def_dim", library_.def_dim(id_, "bytes", work.steps * work.step_bytes, &dim));
      good("ncmpi_def_var", library_.def_var(id_, "data", nc_byte, 1, &dim, &variable));
      good("ncmpi__enddef", library_.enddef(id_, 0, pnetcdf_header_bytes, 0, pnetcdf_header_bytes));
    }
    MPI_Offset begin = 0;
    good("ncmpi_inq_varoffset", library_.inq_varoffset(id_, 0, &begin));
    if (error.empty() && begin != pnetcdf_header_bytes)
      error = "the variable begins at byte " + std::to_string(begin) + ", expected " +
              std::to_string(pnetcdf_header_bytes);
    check_driver(target);
  }

  [[nodiscard]] StepSeconds run_step(const Work& work, std::vector<PieceList>& lists, int step) {
    StepSeconds seconds;
    std::vector<int> requests(lists.size()), statuses(lists.size());
    if (step > 0)
      for (PieceList& list : lists)
        for (MPI_Offset& start : list.starts) start += work.step_bytes;
    MPI_Barrier(MPI_COMM_WORLD);
    seconds.begin = now_s();
    unsigned char* at = work.buffer.data();
    int posted = 0;
    for (const PieceList& list : lists) {
      if (list.bytes > 0) post(list, at, &requests[static_cast<std::size_t>(posted++)]);
      at += list.bytes;
    }
    good("ncmpi_wait_all", library_.wait_all(id_, posted, requests.data(), statuses.data()));
    for (int i = 0; i < posted; ++i) good("a request", statuses[static_cast<std::size_t>(i)]);
    compute(work.compute_s);
    seconds.end = now_s();
    seconds.data = seconds.end - seconds.begin;
    rest_until_all_are_here();
    return seconds;
  }

  void sync() { good("ncmpi_sync", library_.sync(id_)); }
  void close() { good("ncmpi_close", library_.close(id_)); }

  bool is_open = false;
  std::string error;

 private:
  void post(const PieceList& list, unsigned char* data, int* request) {
    const int count = static_cast<int>(list.starts.size());
    MPI_Offset* const* starts = list.start_at.data();
    MPI_Offset* const* lengths = list.length_at.data();
    if (direction_ == Direction::write)
      good("ncmpi_iput_varn",
           library_.iput_varn(id_, 0, count, starts, lengths, data, list.bytes, MPI_SIGNED_CHAR, request));
    else
      good("ncmpi_iget_varn",
           library_.iget_varn(id_, 0, count, starts, lengths, data, list.bytes, MPI_SIGNED_CHAR, request));
  }

  /// A driver that was asked for and is not there would be measured as the other.
  void check_driver(const Target& target) {
    const auto asked = target.hints.find("nc_driver");
    if (asked == target.hints.end() || asked->second != "gio" || !error.empty()) return;
    const char* version = library_.inq_libvers();
    char* end = nullptr;
    const long major = std::strtol(version, &end, 10),
               minor = *end == '.' ? std::strtol(end + 1, nullptr, 10) : 0;
    const auto [first_major, first_minor] = first_version_with_gio;
    MPI_Info info = MPI_INFO_NULL;
    if (!good("ncmpi_inq_file_info", library_.inq_file_info(id_, &info))) return;
    char value[MPI_MAX_INFO_VAL + 1] = {};
    int found = 0;
    MPI_Info_get(info, "nc_driver", MPI_MAX_INFO_VAL, value, &found);
    MPI_Info_free(&info);
    if (major < first_major || (major == first_major && minor < first_minor) || !found ||
        asked->second != value)
      error = "nc_driver=gio: this PnetCDF (" + std::string(version) +
              ") has no GIO; allowed: 1.15 or newer with GIO";
  }

  const PnetcdfLibrary& library_;
  Direction direction_;
  int id_ = -1;
};

}  // namespace

std::string pnetcdf_version(const Target& target) {
  const PnetcdfLibrary& library = library_of(target);
  return library.missing().empty() ? library.inq_libvers() : "";
}

void check_pnetcdf(const Pattern& pattern, const std::string& name, const Target& target, bool plain) {
  if (target.pnetcdf.empty())
    throw UsageError("--mode is 'pnetcdf'; --pnetcdf is missing: a path of libpnetcdf.so");
  if (!plain)
    throw UsageError(
        "--mode is 'pnetcdf'; allowed with it: --collective blocking, --operation write or write,read");
  for (const Call& call : pattern.calls())
    if (call.memory != MPI_DATATYPE_NULL)
      throw UsageError("--mode is 'pnetcdf'; allowed for pattern " + name +
                       ": mpiio, floor (its buffer has gaps)");
}

Outcome run_pnetcdf(Direction direction, const Target& target, const Work& work, const Pattern& pattern) {
  Outcome outcome;
  Seconds& seconds = outcome.seconds;
  seconds.steps.resize(static_cast<std::size_t>(work.steps));
  const PnetcdfLibrary& library = library_of(target);
  int usable = library.missing().empty() ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &usable, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!usable) {
    if (!library.missing().empty())
      outcome.error = "--pnetcdf is '" + target.pnetcdf + "': " + library.missing();
    return outcome;
  }
  std::vector<PieceList> lists = lists_by_call(pattern);
  PnetcdfFile file(library, direction);
  MPI_Barrier(MPI_COMM_WORLD);
  double mark = now_s();
  file.open(target, work);
  seconds.open = now_s() - mark;
  if (file.is_open) {
    for (int step = 0; step < work.steps; ++step) {
      work.before(step);
      seconds.steps[static_cast<std::size_t>(step)] = file.run_step(work, lists, step);
      work.after(step);
    }
    mark = now_s();
    if (direction == Direction::write && target.sync) file.sync();
    seconds.sync = now_s() - mark;
    mark = now_s();
    file.close();
    seconds.close = now_s() - mark;
  }
  outcome.error = file.error;
  return outcome;
}

}  // namespace collio::bench
