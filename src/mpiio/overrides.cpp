// The MPI_File_* calls as collio does them. Every function either takes the call over on all ranks or
// forwards it on all ranks; what decides is known alike to all (the file's mode, its view's representation,
// the agreed digest).
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "exchange/waiting.hpp"
#include "mpiio/background_calls.hpp"
#include "mpiio/data_calls.hpp"
#include "mpiio/error_codes.hpp"
#include "mpiio/independent_calls.hpp"
#include "mpiio/info.hpp"
#include "mpiio/open_files.hpp"
#include "mpiio/operation.hpp"
#include "mpiio/report.hpp"
#include "mpiio/wait_calls.hpp"

namespace collio::mpiio {

namespace {

void say(const engine::File& file) {
  if (file.rank != 0) return;
  for (const std::string& warning : file.hints.warnings) std::fprintf(stderr, "collio: %s\n", warning.c_str());
  const char* verbose = std::getenv("COLLIO_VERBOSE");
  if (verbose && std::strcmp(verbose, "0") != 0)
    std::fprintf(stderr, "collio: %s: %d aggregators, collective buffers of at most %lld bytes, %s storage\n",
                 file.path.c_str(), file.most_domains(), static_cast<long long>(file.hints.buffer_bytes),
                 file.machine.storage.name.c_str());
}

/// Takes the file over on all ranks, or on none.
void take_over(const engine::OpenRequest& request, MPI_File handle) {
  auto opened = engine::File::open(request);
  if (!opened) {
    int rank = 0;
    MPI_Comm_rank(request.comm, &rank);
    if (rank == 0 && !opened.error().message.empty())
      std::fprintf(stderr, "collio: left to the MPI library: %s\n", opened.error().message.c_str());
    return;
  }
  if (!opened.value()) return;  // disabled by hint
  auto file = std::make_shared<OpenFile>();
  file->engine = std::move(opened.value());
  file->reads = request.reads;
  file->writes = request.writes;
  say(*file->engine);
  remember_file(handle, std::move(file));
}

/// A library may open a file on some ranks and fail on others. Collective.
bool on_all_ranks(MPI_Comm comm, bool mine) {
  int all = mine ? 1 : 0, size = 1;
  MPI_Comm_size(comm, &size);
  if (size == 1) return mine;  // MPICH 4.0 has no progress in a session of one process
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm, &request);
  exchange::wait_for(request);
  return all != 0;
}

int open(MPI_Comm comm, const char* path, int mode, MPI_Info info, MPI_File* handle) {
  const Pairs environment = environment_hints();
  MPI_Info merged = merged_info(info, environment);
  const int rc = real->File_open(comm, path, mode, merged, handle);
  MPI_Info_free(&merged);
  if (comm == MPI_COMM_NULL || (mode & MPI_MODE_SEQUENTIAL)) return rc;
  int inter = 0;
  MPI_Comm_test_inter(comm, &inter);
  if (inter || !on_all_ranks(comm, rc == MPI_SUCCESS)) return rc;
  engine::OpenRequest request{comm, path, !(mode & MPI_MODE_WRONLY), !(mode & MPI_MODE_RDONLY), pairs_of(info)};
  for (const auto& [key, value] : environment) request.hints[key] = value;
  take_over(request, *handle);
  return rc;
}

int close(MPI_File* handle) {
  if (auto file = forget_file(*handle)) {
    file->settle();
    file->split.reset();
    file->queue.reset();
    write_report(*file->engine);
  }
  return real->File_close(handle);
}

/// The file, when all calls that were posted on it are done. Collective, in effect.
std::shared_ptr<OpenFile> find_settled(MPI_File handle) {
  auto file = find_file(handle);
  if (file) file->settle();
  return file;
}

/// Errors of a view's arguments, as far as the MPI library will not see them.
core::Error check_view(const access::View& view) {
  if (view.displacement < 0)
    return {core::ErrorClass::argument,
            "displacement " + std::to_string(view.displacement) + " is negative; allowed: 0 and more"};
  if (view.etype_bytes > 0 && view.filetype->size() % view.etype_bytes != 0)
    return {core::ErrorClass::argument, "the filetype's size, " + std::to_string(view.filetype->size()) +
                                            " bytes, is not a multiple of the etype's, " +
                                            std::to_string(view.etype_bytes)};
  return {};
}

/// The view as collio sees it. A null filetype: a datatype is invalid or beyond collio.
access::View describe_view(MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype) {
  access::View view;
  if (etype == MPI_DATATYPE_NULL || filetype == MPI_DATATYPE_NULL) return view;
  auto etype_layout = access::layout_of(etype);
  auto filetype_layout = access::layout_of(filetype);
  if (etype_layout && filetype_layout) view = {displacement, etype_layout.value()->size(), filetype_layout.value()};
  return view;
}

int set_view(MPI_File handle, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
             const char* representation, MPI_Info info) {
  auto file = find_settled(handle);
  const bool native = std::strcmp(representation, "native") == 0;
  if (!file || !native) {
    const int rc = real->File_set_view(handle, displacement, etype, filetype, representation, info);
    if (file && rc == MPI_SUCCESS) {
      file->foreign_data = true;
      file->program_view.mark_installed();
    }
    return rc;
  }
  access::View view = describe_view(displacement, etype, filetype);
  core::Error error;
  if (view.filetype) error = check_view(view);
  std::vector<std::int32_t> kind{static_cast<std::int32_t>(
      !error.ok() ? ViewKind::invalid : view.filetype ? judge_view(etype, filetype, view) : ViewKind::undescribed)};
  file->engine->agreement->maximum(kind);
  // Beyond this point every rank treats its view alike.
  const auto agreed = static_cast<ViewKind>(kind[0]);
  if (agreed == ViewKind::invalid) {
    if (error.ok()) error = {core::ErrorClass::argument, "another rank's view is not valid"};
    return raise(handle, error);
  }
  const bool costly = agreed == ViewKind::costly && !file->atomic;
  const int rc = costly ? file->program_view.install_etype(handle, *real, view, info)
                        : real->File_set_view(handle, displacement, etype, filetype, representation, info);
  if (rc != MPI_SUCCESS) return rc;
  if (costly)
    file->program_view.set(displacement, etype, filetype);
  else
    file->program_view.mark_installed();
  file->foreign_data = false;
  file->view_described = agreed != ViewKind::undescribed;
  if (file->view_described) file->engine->view = std::move(view);
  return rc;
}

int get_view(MPI_File handle, MPI_Offset* displacement, MPI_Datatype* etype, MPI_Datatype* filetype,
             char* representation) {
  auto file = find_file(handle);
  if (!file || file->program_view.installed())
    return real->File_get_view(handle, displacement, etype, filetype, representation);
  file->program_view.get(displacement, etype, filetype);
  std::strcpy(representation, "native");
  return MPI_SUCCESS;
}

int get_byte_offset(MPI_File handle, MPI_Offset offset, MPI_Offset* displacement) {
  auto file = find_file(handle);
  if (!file || file->program_view.installed() || offset < 0)
    return real->File_get_byte_offset(handle, offset, displacement);
  const access::View& view = file->engine->view;
  const access::FileAccess byte = access::file_access(view, offset * view.etype_bytes, 1);
  core::Cursor cursor(byte.pattern);
  cursor.seek_stream(byte.begin);
  *displacement = cursor.offset();
  return MPI_SUCCESS;
}

int seek(MPI_File handle, MPI_Offset offset, int whence) {
  auto file = find_file(handle);
  if (!file || file->program_view.installed() || whence != MPI_SEEK_END) return real->File_seek(handle, offset, whence);
  MPI_Offset bytes = 0;
  MPI_File_get_size(handle, &bytes);
  return real->File_seek(handle, end_position(file->engine->view, bytes) + offset, MPI_SEEK_SET);
}

int get_info(MPI_File handle, MPI_Info* info) {
  const int rc = real->File_get_info(handle, info);
  if (auto file = find_file(handle); file && rc == MPI_SUCCESS) put_in_force(*file->engine, *info);
  return rc;
}

int set_atomicity(MPI_File handle, int flag) {
  if (auto file = find_settled(handle)) file->program_view.install(handle, *real);
  const int rc = real->File_set_atomicity(handle, flag);
  if (auto file = find_file(handle); file && rc == MPI_SUCCESS) file->atomic = flag != 0;
  return rc;
}

int sync(MPI_File handle) {
  auto file = find_settled(handle);
  const int rc = real->File_sync(handle);
  if (!file) return rc;
  engine::File& f = *file->engine;
  const core::Error error = f.agreement->worst(f.sync(), "cannot flush " + f.path);
  return error.ok() || rc != MPI_SUCCESS ? rc : raise(handle, error);
}

int set_size(MPI_File handle, MPI_Offset size) {
  static_cast<void>(find_settled(handle));
  return real->File_set_size(handle, size);
}

int preallocate(MPI_File handle, MPI_Offset size) {
  static_cast<void>(find_settled(handle));
  return real->File_preallocate(handle, size);
}

/// Before the MPI library does a collective call on its own.
int install_view(MPI_File handle) {
  auto file = find_settled(handle);
  return file ? file->program_view.install(handle, *real) : MPI_SUCCESS;
}

/// Before a call with the shared file pointer, which is not collective: the view cannot be installed then.
int need_view(MPI_File handle) {
  auto file = own_independent(handle);
  if (!file) return MPI_SUCCESS;
  return raise(handle, {core::ErrorClass::other,
                        "shared file pointers need the view in the MPI library; use a plainer file type"});
}

// The forms of a data call, for int and for large counts.
template <class Count>
int write_all(MPI_File f, const void* b, Count n, MPI_Datatype t, MPI_Status* s) {
  return collective({f, true, false, 0, const_cast<void*>(b), n, t, s});
}
template <class Count>
int read_all(MPI_File f, void* b, Count n, MPI_Datatype t, MPI_Status* s) {
  return collective({f, false, false, 0, b, n, t, s});
}
template <class Count>
int write_at_all(MPI_File f, MPI_Offset o, const void* b, Count n, MPI_Datatype t, MPI_Status* s) {
  return collective({f, true, true, o, const_cast<void*>(b), n, t, s});
}
template <class Count>
int read_at_all(MPI_File f, MPI_Offset o, void* b, Count n, MPI_Datatype t, MPI_Status* s) {
  return collective({f, false, true, o, b, n, t, s});
}

/// The engine's table: what collio does itself, and the rest of calls.def around the MPI library's functions.
collio_calls make_overrides() {
  collio_calls t = *real;
#define COLLIO_COLLECTIVE(name, parameters, arguments)  \
  if (t.name)                                           \
    t.name = [] parameters -> int {                     \
      const int rc = install_view(file);                \
      return rc == MPI_SUCCESS ? real->name arguments : rc; \
    };
#define COLLIO_SHARED(name, parameters, arguments)      \
  if (t.name)                                           \
    t.name = [] parameters -> int {                     \
      const int rc = need_view(file);                   \
      return rc == MPI_SUCCESS ? real->name arguments : rc; \
    };
#define COLLIO_CALL(name, parameters, arguments)
#include "mpiio/calls.def"
#undef COLLIO_COLLECTIVE
#undef COLLIO_SHARED
#undef COLLIO_CALL
  t.File_open = open;
  t.File_close = close;
  t.File_set_view = set_view;
  t.File_get_view = get_view;
  t.File_get_byte_offset = get_byte_offset;
  t.File_seek = seek;
  t.File_get_info = get_info;
  t.File_set_atomicity = set_atomicity;
  t.File_sync = sync;
  t.File_set_size = set_size;
  t.File_preallocate = preallocate;
  t.File_write_all = write_all<int>;
  t.File_read_all = read_all<int>;
  t.File_write_at_all = write_at_all<int>;
  t.File_read_at_all = read_at_all<int>;
  t.File_write_all_c = write_all<MPI_Count>;
  t.File_read_all_c = read_all<MPI_Count>;
  t.File_write_at_all_c = write_at_all<MPI_Count>;
  t.File_read_at_all_c = read_at_all<MPI_Count>;
  put_independent(t);
  put_background(t);
  return t;
}

}  // namespace

}  // namespace collio::mpiio

extern "C" __attribute__((visibility("default"))) const collio_engine* collio_engine_start(const collio_shim* shim) {
  using namespace collio::mpiio;
  collio::mpiio::shim = shim;
  real = shim->calls;
  static const collio_calls overrides = make_overrides();
  static const collio_waits waits = make_waits();
  static const collio_engine answer{&overrides, &waits, pending_operations()};
  return &answer;
}
