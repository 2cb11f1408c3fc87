// See view_calls.hpp. Ranks agree on the class of a view (docs/architecture.md, "The view may stay with
// collio").
#include "mpiio/calls/view_calls.hpp"

#include <cstring>
#include <limits>

#include "engine/file/same_call.hpp"
#include "mpiio/calls/data_calls.hpp"
#include "mpiio/calls/sequential.hpp"
#include "mpiio/calls/subfile_calls.hpp"
#include "mpiio/library/error_codes.hpp"
#include "mpiio/open/open_files.hpp"
#include "mpiio/view/ask_library.hpp"
#include "mpiio/view/check_view.hpp"
#include "transport/node_memory/words.hpp"

namespace collio::mpiio {

namespace {

/// What all ranks have to know of a view before it is set.
struct ViewWords {
  transport::Most<ViewKind> kind;
  transport::Most<core::ErrorClass> error;
  transport::Same<Representation> representation;
  transport::Same<std::int64_t> etype_bytes;
  transport::Most<bool> derived_etype, gives_info, other_unit, hands_on, holes;
};

/// Of the representations that MPI knows, in the letters that the libraries take.
struct RepresentationName {
  const char *name, *capitals;
  Representation data;
};
constexpr RepresentationName representation_names[] = {
    {"native", "NATIVE", Representation::native},
    {"external32", "EXTERNAL32", Representation::external32},
    {"internal", "INTERNAL", Representation::internal}};

Representation representation_of(const char* name) {
  for (const RepresentationName& one : representation_names)
    if (std::strcmp(name, one.name) == 0 || std::strcmp(name, one.capitals) == 0) return one.data;
  return Representation::other;
}

int refuse_representation(MPI_File handle, const OpenFile& file, const char* asked) {
  return raise(handle, MPI_ERR_UNSUPPORTED_DATAREP,
               file.engine->path + " is kept in subfiles, which have no data in the representation \"" +
                   std::string(asked, ::strnlen(asked, MPI_MAX_DATAREP_STRING)) +
                   "\" of the view; allowed: native, external32, internal");
}

/// Files that are only read may be seen through pieces that overlap. Open MPI refuses such views, and collio
/// can do without it.
bool is_for_reading(const access::View& view, const AskedView& asked) {
  return !asked.writes && view.filetype && check_view(view, asked.etype, {.pieces = true}).ok();
}

/// The MPI library's refusal of a view that it need not take; else collio's own, which in check mode says
/// more.
core::Error error_of_view(const OpenFile& file, MPI_Comm comm, const access::View& view,
                          const AskedView& asked) {
  const bool checks = file.engine->settings.hints.check != policy::Check::none;
  const bool asks = file.atomic || (is_doubtful(view, asked.etype) && !is_for_reading(view, asked));
  core::Error refused = asks ? ask_library(comm, asked) : core::Error{};
  if (!view.filetype || (!checks && !refused.ok())) return refused;
  core::Error wrong = check_view(view, asked.etype, {.pieces = checks, .writes = file.writes});
  return wrong.ok() ? refused : wrong;
}

/// A view through which a file in subfiles cannot be served, on all ranks alike.
core::Error unserved(const OpenFile& file, ViewKind agreed) {
  if (agreed != ViewKind::undescribed) return {};
  return {core::ErrorClass::type,
          file.engine->path +
              " is kept in subfiles, which collio alone serves, and it cannot describe a rank's file type"};
}

/// A view in external32 of types that are not converted.
core::Error not_converted(const OpenFile& file, MPI_Datatype etype, MPI_Datatype filetype) {
  for (MPI_Datatype type : {etype, filetype})
    if (const auto elements = access::external32_elements(type); !elements)
      return {elements.error().kind, file.engine->path + ": a view's " + elements.error().message};
  return {};
}

/// What is wrong with this rank's view. Throws std::bad_alloc.
core::Error error_of_rank(const OpenFile& file, MPI_Comm comm, const access::View& view,
                          const AskedView& asked, Representation data) {
  core::Error error;
  if (file.serves(data)) error = error_of_view(file, comm, view, asked);
  if (error.ok() && view.filetype && data == Representation::external32 && alone(file))
    error = not_converted(file, asked.etype, asked.filetype);
  return error;
}

/// What is wrong with the ranks' views, on all ranks alike. `error`: with this rank's.
core::Error agreed_error(const OpenFile& file, const ViewWords& all, core::Error error) {
  const core::ErrorClass worst = all.error.value;
  if (error.kind != worst) error = {worst, error.ok() ? "another rank's view is not valid" : error.message};
  if (!all.representation.agreed())
    error = {core::ErrorClass::not_same, "ranks set views of different data representations"};
  if (error.ok() && file.engine->settings.hints.check != policy::Check::none && !all.etype_bytes.agreed())
    error = {core::ErrorClass::not_same,
             "ranks set views with etypes of different sizes: " + std::to_string(all.etype_bytes.least) +
                 " to " + std::to_string(all.etype_bytes.value) + " bytes"};
  if (error.ok() && alone(file)) error = unserved(file, all.kind.value);
  return error;
}

/// Whether this rank wants the library to have a plain view at once. A library's call may fail on some ranks.
bool hands_on_plain_view(const OpenFile& file, const access::View& view) {
  return file.engine->size == 1 || !file.taken_over() || !file.program_view.one_of_many() ||
         view.etype_bytes > std::numeric_limits<int>::max();
}

/// Whether the library can do without the ranks' views. Of what they agreed on, for native data.
bool needs_etype_only(const ViewWords& all) {
  const ViewKind agreed = all.kind.value;
  return agreed == ViewKind::costly || agreed == ViewKind::bytes ||
         (agreed == ViewKind::plain && !all.hands_on.value);
}

/// Where the view begins. Collective.
core::Result<std::int64_t> begin_set_view(OpenFile& file, const engine::Ranks& ranks, MPI_Offset asked) {
  if (core::Error error = engine::check_same_call(ranks, "set_view"); !error.ok()) return error;
  return begin_of_view(file, ranks, asked);
}

int set_view(MPI_File handle, MPI_Offset asked_displacement, MPI_Datatype etype, MPI_Datatype filetype,
             const char* representation, MPI_Info info) {
  auto file = find_settled(handle);
  if (!file) return real->File_set_view(handle, asked_displacement, etype, filetype, representation, info);
  const observe::TimeInto time(file->engine->records.times.set_view_s);
  const engine::Visit visit(*file->engine, "set_view");
  const auto begin = begin_set_view(*file, visit, asked_displacement);
  if (!begin) return raise(handle, begin.error());
  const MPI_Offset displacement = begin.value();
  const Representation data = representation_of(representation);
  const bool is_native = data == Representation::native, served = file->serves(data);
  ViewKind kind = ViewKind::undescribed;
  bool plain_etype = false;
  access::View view;
  core::Error error;
  try {
    view = describe_view(displacement, etype, filetype);
    error = error_of_rank(*file, visit.comm, view, {displacement, etype, filetype, file->reads, file->writes},
                          data);
    if (error.ok() && view.filetype) kind = judge_view(etype, filetype, view);
    plain_etype = error.ok() && view.etype_bytes > 0 && is_plain_etype(etype);
  } catch (const std::bad_alloc&) {
    error = {core::ErrorClass::no_memory, "no memory"};  // a text as short as this one needs none
  }
  if (!error.ok()) kind = ViewKind::invalid;
  ViewWords all{{kind},
                {error.kind},
                {data},
                {view.etype_bytes},
                {!plain_etype},
                {info != MPI_INFO_NULL},
                {!file->program_view.has_unit(view.etype_bytes)},
                {hands_on_plain_view(*file, view)},
                {!view.filetype || !view.straight()}};
  if (core::Error other =
          agree(visit.agreement, {}, "", all.kind, all.error, all.representation, all.etype_bytes,
                all.derived_etype, all.gives_info, all.other_unit, all.hands_on, all.holes);
      !other.ok())
    return raise(handle, other);
  // Beyond this point every rank treats its view alike.
  const ViewKind agreed = all.kind.value;
  error = agreed_error(*file, all, std::move(error));
  if (!error.ok()) return raise(handle, error);
  if (alone(*file) && !served) return refuse_representation(handle, *file, representation);
  ProgramView& program_view = file->program_view;
  const bool etype_alone = alone(*file) || (is_native && !file->atomic && needs_etype_only(all));
  const ProgramView::Unit unit{etype, view.etype_bytes, all.etype_bytes.agreed() && !all.derived_etype.value,
                               !all.gives_info.value && !all.other_unit.value};
  // A library wants the current displacement in sequential mode, and its pointers count nothing here.
  const int rc = file->sequential() ? MPI_SUCCESS
                 : etype_alone
                     ? program_view.install_unit(handle, *real, unit, info)
                     : real->File_set_view(handle, displacement, etype,
                                           kind == ViewKind::bytes ? etype : filetype, representation, info);
  if (rc != MPI_SUCCESS) return rc;
  const bool kept_here = alone(*file) || (etype_alone && agreed != ViewKind::bytes);
  if (kept_here)
    program_view.mark_etype_only();
  else
    program_view.mark_installed();
  if (!etype_alone) program_view.forget_unit();
  file->shared_pointer.begin_view(visit, kept_here);
  file->representation = data;
  if (!served) return MPI_SUCCESS;
  program_view.set(displacement, etype, filetype, agreed);
  file->view_described = agreed != ViewKind::undescribed;
  file->holes_in_view = all.holes.value;
  if (file->view_described) file->engine->view = std::move(view);
  return rc;
}

int get_view(MPI_File handle, MPI_Offset* displacement, MPI_Datatype* etype, MPI_Datatype* filetype,
             char* representation) {
  auto file = find_file(handle);
  if (!file || !file->serves(file->representation) || !file->program_view.known())
    return real->File_get_view(handle, displacement, etype, filetype, representation);
  file->program_view.get(displacement, etype, filetype);
  std::strcpy(representation, representation_names[static_cast<std::size_t>(file->representation)].name);
  return MPI_SUCCESS;
}

int get_byte_offset(MPI_File handle, MPI_Offset offset, MPI_Offset* displacement) {
  auto file = find_file(handle);
  if (!file || file->program_view.installed() || offset < 0)
    return real->File_get_byte_offset(handle, offset, displacement);
  const access::View& view = file->engine->view;
  *displacement = byte_of_etype(view, offset);
  return MPI_SUCCESS;
}

int seek(MPI_File handle, MPI_Offset offset, int whence) {
  auto file = find_file(handle);
  if (!file) return real->File_seek(handle, offset, whence);
  if (whence == MPI_SEEK_END && !file->program_view.installed()) {
    const auto end = end_in_view(*file, handle);
    if (!end) return raise(handle, end.error());
    offset += end.value();
    whence = MPI_SEEK_SET;
  }
  if (whence == MPI_SEEK_SET || whence == MPI_SEEK_CUR) {
    const std::scoped_lock lock(file->pointer);
    const MPI_Offset target = offset + (whence == MPI_SEEK_CUR ? file->position(handle) : 0);
    if (target >= 0) return file->move_to(handle, target);
  }
  return real->File_seek(handle, offset, whence);  // no lock is held where an error handler may be called
}

int get_position(MPI_File handle, MPI_Offset* offset) {
  auto file = find_file(handle);
  if (!file) return real->File_get_position(handle, offset);
  const std::scoped_lock lock(file->pointer);
  if (!file->pointer_meanwhile) return real->File_get_position(handle, offset);
  *offset = *file->pointer_meanwhile;
  return MPI_SUCCESS;
}

}  // namespace

MPI_Offset OpenFile::position(MPI_File handle) const {
  if (pointer_meanwhile) return *pointer_meanwhile;
  MPI_Offset offset = 0;
  real->File_get_position(handle, &offset);
  return offset;
}

int OpenFile::move_to(MPI_File handle, MPI_Offset offset) {
  if (!pointer_meanwhile) return real->File_seek(handle, offset, MPI_SEEK_SET);
  pointer_meanwhile = offset;
  return MPI_SUCCESS;
}

core::Result<std::int64_t> end_in_view(const OpenFile& file, MPI_File handle) {
  MPI_Offset bytes = 0;
  if (!alone(file)) {
    real->File_get_size(handle, &bytes);
    return end_position(file.engine->view, bytes);
  }
  const auto length = engine::length_of(*file.engine);
  if (!length) return length.error();
  return end_position(file.engine->view, length.value());
}

std::int64_t byte_of_etype(const access::View& view, std::int64_t etype) {
  if (view.empty()) return view.displacement;
  const access::FileAccess byte = access::file_access(view, etype * view.etype_bytes, 1);
  core::Cursor cursor(byte.pattern);
  cursor.seek_stream(byte.begin);
  return cursor.offset();
}

void put_views(collio_calls& table) {
  table.File_set_view = set_view;
  table.File_get_view = get_view;
  table.File_get_byte_offset = get_byte_offset;
  table.File_seek = seek;
  table.File_get_position = get_position;
}

}  // namespace collio::mpiio
