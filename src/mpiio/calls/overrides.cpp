// The MPI_File_* calls as collio does them. Every function either takes the call over on all ranks or
// forwards it on all ranks; what decides is known alike to all (the file's mode, its view's representation,
// the agreed digest).
#include <cstdlib>
#include <optional>

#include "engine/background/own_calls.hpp"
#include "engine/file/same_call.hpp"
#include "engine/open/discover.hpp"
#include "engine/report/say.hpp"
#include "mpiio/calls/data_calls.hpp"
#include "mpiio/calls/data_table.hpp"
#include "mpiio/calls/file_size.hpp"
#include "mpiio/calls/operation.hpp"
#include "mpiio/calls/sequential.hpp"
#include "mpiio/calls/shared_pointer_calls.hpp"
#include "mpiio/calls/subfile_calls.hpp"
#include "mpiio/calls/view_calls.hpp"
#include "mpiio/calls/wait_calls.hpp"
#include "mpiio/library/error_codes.hpp"
#include "mpiio/open/info.hpp"
#include "mpiio/open/open_files.hpp"
#include "mpiio/open/opening.hpp"
#include "mpiio/view/give_view.hpp"
#include "policy/hints/automatic_hints.hpp"
#include "transport/liveness/above.hpp"

namespace collio::mpiio {

namespace {

core::Error only_here(const std::string& path, std::string_view why) {
  return {core::ErrorClass::other, path +
                                       " is kept in subfiles, or may be, which collio alone can read and "
                                       "write, but " +
                                       std::string(why)};
}

/// When an open began, and how long the library took.
struct OpenTimes {
  double begin_s = 0, by_library_s = 0;
};

/// Takes the file over on all ranks, or on none. An error: check mode found one, or the file is in subfiles.
core::Error take_over(const Opening& opening, const engine::OpenMeeting& met, MPI_File handle,
                      const OpenTimes& times) {
  const engine::FileRequest& request = opening.request;
  for (const std::string& warning : request.warnings)
    engine::say_once(request.comm, warning);  // whatever comes of the open
  bool in_subfiles = false;
  auto opened = engine::File::open(request, *opening.proposal, met, in_subfiles);
  if (!opened) {
    if (in_subfiles || opened.error().kind == core::ErrorClass::not_same) return opened.error();
    if (!opened.error().message.empty())
      engine::say_once(request.comm, "left to the MPI library: " + opened.error().message);
    return {};
  }
  if (!opened.value())  // disabled by hint
    return in_subfiles ? only_here(request.path, "collio is disabled for it (collio_enable)") : core::Error{};
  auto file = std::make_shared<OpenFile>(std::move(opened.value()));
  if (request.only_in_subfiles && !alone(*file))
    return {core::ErrorClass::in_use, request.path + " got bytes while it was opened; open it again"};
  if (request.only_in_subfiles) begin_sequential();
  if (alone(*file)) file->mode = opening.words.mode;
  if (alone(*file))
    if (core::Error error = begin_alone(*file, handle); !error.ok()) return error;
  file->engine->records.times.open_s = observe::now_s() - times.begin_s;
  file->engine->records.times.open_by_library_s = times.by_library_s;
  file->announce(request.comm, opening.origins);
  remember_file(handle, std::move(file));
  return {};
}

/// An open fails after all, or a close. A new file has the error handler that errors of open go to, and Open
/// MPI calls it on no other. Collective.
int close_again(MPI_File* handle, const core::Error& error) {
  const auto marks = take_marks(*handle);
  const int code = raise(*handle, error);
  real->File_close(handle);
  return code;
}

void say_left(MPI_Comm comm, const char* path, std::string_view why) {
  engine::say_once(comm, std::string("left to the MPI library: ") + path + ": " + std::string(why));
}

/// Why the library alone has a file that it opened, though collio is there; empty: no reason.
std::string_view why_left(const OpenAgreement& agreed) {
  if (!agreed.same_mode) return "ranks open the file with different modes (amode)";
  return agreed.why_not;
}

/// The file is the library's: an error where the program wants modes checked and gave different modes, or
/// where the library has not the file's bytes. Collective.
int leave(const OpenAgreement& agreed, int mode, const Opening& opening, const char* path, MPI_File* handle) {
  const std::string_view why = why_left(agreed);
  if (agreed.in_subfiles) {
    core::Error error = only_here(path, why);
    if (const core::Error& found = opening.request.found.error; !found.ok())
      error.message += "; " + found.message;
    return close_again(handle, error);
  }
  if (!agreed.same_mode && agreed.check)
    return close_again(handle, {core::ErrorClass::not_same, std::string(path) + ": " + std::string(why)});
  if (!agreed.same_mode || (mode & MPI_MODE_SEQUENTIAL) == 0) say_left(opening.request.comm, path, why);
  return MPI_SUCCESS;
}

int open(MPI_Comm comm, const char* path, int mode, MPI_Info info, MPI_File* handle) {
  OpenTimes times{.begin_s = observe::now_s()};
  int inter = 0;
  if (comm != MPI_COMM_NULL) MPI_Comm_test_inter(comm, &inter);
  const bool meets = comm != MPI_COMM_NULL && !inter;
  Opening opening(comm, path, mode, info);
  if (meets) opening.lay_out(comm, path);
  const double library_begin_s = observe::now_s();
  const int rc =
      real->File_open(comm, path, mode, opening.merged != MPI_INFO_NULL ? opening.merged : info, handle);
  times.by_library_s = observe::now_s() - library_begin_s;
  if (!meets) return rc;
  opening.note_opened(rc == MPI_SUCCESS, *handle, path);
  engine::Reception reception(comm);
  const OpenAgreement agreed({comm, path, reception}, opening.words, opening.proposal.get());
  if (!agreed.opened) return rc;
  keep_mark(*handle, opening.writer_mark);
  if (!why_left(agreed).empty()) return leave(agreed, mode, opening, path, handle);
  const engine::OpenWord word(agreed.engines, opening.proposal->text, comm);
  const core::Error error = take_over(opening, {word, reception.hall()}, *handle, times);
  return error.ok() ? rc : close_again(handle, error);
}

int close(MPI_File* handle) {
  const auto marks = take_marks(*handle);  // they go when the file is closed
  core::Error error;
  if (auto file = forget_file(*handle)) {
    file->settle();
    file->split.reset();
    file->shared_pointer.close();
    error = file->close({.subfiles = file->deletes() ? engine::AtClose::remove : engine::AtClose::keep,
                         .alone = [&] { file->shared_pointer.remove(*file->engine); }});
  }
  return error.ok() ? real->File_close(handle) : close_again(handle, error);
}

int get_info(MPI_File handle, MPI_Info* info) {
  const int rc = real->File_get_info(handle, info);
  if (auto file = find_file(handle); file && rc == MPI_SUCCESS) put_in_force(*file->engine, *info);
  return rc;
}

/// A collective call that the MPI library does: ranks that wait in another can tell where this one is.
class LibraryVisit {
 public:
  LibraryVisit(MPI_File handle, const char* call) : file_(find_settled(handle)) {
    if (!file_) return;
    visit_.emplace(*file_->engine, call);
    if (const core::Error error = engine::check_same_call(*visit_, call); !error.ok())
      code_ = raise(handle, error);
  }
  /// Not MPI_SUCCESS: the ranks do not make the same call.
  [[nodiscard]] int code() const noexcept { return code_; }
  /// Null: it is the library's alone.
  [[nodiscard]] OpenFile* file() const noexcept { return file_.get(); }
  /// Of a file.
  [[nodiscard]] const engine::Ranks& ranks() const noexcept { return *visit_; }

 private:
  int code_ = MPI_SUCCESS;
  std::shared_ptr<OpenFile> file_;
  std::optional<engine::Visit> visit_;
};

int set_atomicity(MPI_File handle, int flag) {
  const LibraryVisit visit(handle, "set_atomicity");
  if (visit.code() != MPI_SUCCESS) return visit.code();
  OpenFile* const file = visit.file();
  if (!file) return real->File_set_atomicity(handle, flag);
  if (alone(*file)) return set_atomicity_alone(*file, visit.ranks(), handle, flag != 0);
  int rc = give_view(*file, visit.ranks(), handle);
  if (rc == MPI_SUCCESS) rc = real->File_set_atomicity(handle, flag);
  if (rc == MPI_SUCCESS) file->atomic = flag != 0;
  return rc;
}

/// Of a file in subfiles, whose manifest says what was flushed. Collective.
int sync_alone(OpenFile& file, MPI_File handle) {
  const LibraryVisit visit(handle, "sync");
  if (visit.code() != MPI_SUCCESS) return visit.code();
  engine::File& f = *file.engine;
  const int code = real->File_sync(handle);
  core::Error library;
  if (code != MPI_SUCCESS) library = {core::ErrorClass::io, "the MPI library cannot flush " + f.path};
  const core::Error error = file.flush(visit.ranks(), library);
  if (error.ok()) return code;
  return code == MPI_SUCCESS ? raise(handle, error)
                             : error_code(error);  // the library has told the error handler
}

bool has_class(int code, int wanted) {
  int error_class = MPI_SUCCESS;
  return MPI_Error_class(code, &error_class) == MPI_SUCCESS && error_class == wanted;
}

/// MPI wants all ranks here, but ROMIO waits for none, and programs came to live with that: a rank flushes
/// what it wrote, and waits only where the library does. The other ranks get its error with the next call
/// that moves bytes, or the close.
int sync(MPI_File handle) {
  auto file = find_settled(handle);
  if (!file) return real->File_sync(handle);
  if (alone(*file)) return sync_alone(*file, handle);
  engine::File& f = *file->engine;
  ++f.unmet.syncs;
  const int code = real->File_sync(handle);
  core::Error error = f.stored.sync();
  if (error.ok() && code != MPI_SUCCESS) {
    if (has_class(code, MPI_ERR_READ_ONLY)) return code;  // ROMIO refuses them; nothing is at stake
    error = {core::ErrorClass::io, "the MPI library cannot flush " + f.path};
  }
  if (error.ok()) return MPI_SUCCESS;
  core::keep_worst(f.unmet.untold, error);
  return code == MPI_SUCCESS ? raise(handle, error)
                             : error_code(error);  // the library has told the error handler
}

int set_size(MPI_File handle, MPI_Offset size) {
  const LibraryVisit visit(handle, "set_size");
  if (visit.code() != MPI_SUCCESS) return visit.code();
  if (OpenFile* const file = visit.file(); file && alone(*file))
    return resize_alone(*file, visit.ranks(), handle, size, storage::Resize::to);
  return real->File_set_size(handle, size);
}

int preallocate(MPI_File handle, MPI_Offset size) {
  const LibraryVisit visit(handle, "preallocate");
  if (visit.code() != MPI_SUCCESS) return visit.code();
  OpenFile* const file = visit.file();
  if (!file) return real->File_preallocate(handle, size);
  return alone(*file) ? resize_alone(*file, visit.ranks(), handle, size, storage::Resize::allocate)
                      : preallocate_file(*file, visit.ranks(), handle, size);
}

/// Before the MPI library does a collective call with the shared file pointer.
int install_view(const LibraryVisit& visit, MPI_File handle) {
  OpenFile* const file = visit.file();
  if (!file) return MPI_SUCCESS;
  file->program_view.note_shared_pointer();
  file->note_by_library();
  return give_view(*file, visit.ranks(), handle);
}

/// Before the MPI library does another one. It has the view: else collio keeps the pointer.
void note_shared(MPI_File handle) {
  auto file = find_file(handle);
  if (!file) return;
  file->program_view.note_shared_pointer();
  file->note_independent();
}

/// The engine's table: what collio does itself, and the rest of calls.def around the MPI library's functions.
collio_calls make_overrides() {
  collio_calls t = *real;
#define COLLIO_COLLECTIVE(name, parameters, arguments)      \
  if (t.name)                                               \
    t.name = [] parameters -> int {                         \
      const LibraryVisit visit(file, &#name[5]);            \
      if (visit.code() != MPI_SUCCESS) return visit.code(); \
      const int rc = install_view(visit, file);             \
      return rc == MPI_SUCCESS ? real->name arguments : rc; \
    };
#define COLLIO_SHARED(name, parameters, arguments) \
  if (t.name)                                      \
    t.name = [] parameters -> int {                \
      note_shared(file);                           \
      return real->name arguments;                 \
    };
#define COLLIO_CALL(name, parameters, arguments)
#include "mpiio/shim/calls.def"
#undef COLLIO_COLLECTIVE
#undef COLLIO_SHARED
#undef COLLIO_CALL
  t.Error_string = error_string;
  t.File_open = open;
  t.File_close = close;
  t.File_delete = delete_file;
  t.File_get_info = get_info;
  t.File_set_atomicity = set_atomicity;
  t.File_sync = sync;
  t.File_get_atomicity = get_atomicity;
  t.File_get_size = get_size;
  t.File_set_size = set_size;
  t.File_preallocate = preallocate;
  put_views(t);
  put_data_calls(t);
  put_shared(t);
  put_sequential(t);
  return t;
}

}  // namespace

}  // namespace collio::mpiio

extern "C" __attribute__((visibility("default"))) const collio_engine* collio_engine_start(
    const collio_shim* shim) {
  using namespace collio::mpiio;
  collio::mpiio::shim = shim;
  real = shim->calls;
  collio::engine::own_calls_hook = shim->own;
  *shim->above = collio::transport::tell_above;
  static const collio_calls overrides = make_overrides();
  static const collio_waits waits = make_waits();
  static const collio_engine answer{&overrides, &waits, pending_operations()};
  if (shim->at_init) collio::engine::look_at_node_early();
  return &answer;
}
