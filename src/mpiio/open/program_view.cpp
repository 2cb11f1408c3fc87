// See program_view.hpp.
#include "mpiio/open/program_view.hpp"

#include <algorithm>

#include "access/type_contents.hpp"

namespace collio::mpiio {

namespace {

using access::TypeContents;

constexpr std::int64_t most_plain_pieces = 256;

/// A predefined type without holes, or copies of one in a row.
bool dense(MPI_Datatype type) {
  auto contents = TypeContents::of(type);
  if (!contents) return false;
  const TypeContents& c = contents.value();
  if (!c.types().empty())
    return (c.combiner() == MPI_COMBINER_DUP || c.combiner() == MPI_COMBINER_CONTIGUOUS) &&
           dense(c.types()[0]);
  auto layout = access::layout_of(type);
  return layout && layout.value()->size() > 0 && layout.value()->size() == layout.value()->extent;
}

/// Built in one step from a dense type, and not by a struct; a resize on top of that counts as no step.
bool plainly_built(MPI_Datatype type, bool outermost = true) {
  if (dense(type)) return true;
  auto contents = TypeContents::of(type);
  if (!contents || contents.value().combiner() == MPI_COMBINER_STRUCT || contents.value().types().empty())
    return false;
  const MPI_Datatype child = contents.value().types()[0];
  if (contents.value().combiner() == MPI_COMBINER_RESIZED) return outermost && plainly_built(child, false);
  return dense(child);
}

/// Counts of MPI are ints: bytes beyond 2 GiB are rows of a GiB each, and the rest. Null: it cannot be made.
MPI_Datatype bytes_in_a_row(std::int64_t bytes) {
  constexpr std::int64_t row = std::int64_t{1} << 30;
  MPI_Datatype made = MPI_DATATYPE_NULL;
  if (bytes <= row) {
    if (MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &made) != MPI_SUCCESS)
      return MPI_DATATYPE_NULL;
  } else {
    MPI_Datatype types[] = {bytes_in_a_row(row), MPI_BYTE};
    const int counts[] = {static_cast<int>(bytes / row), static_cast<int>(bytes % row)};
    const MPI_Aint places[] = {0, bytes / row * row};
    if (types[0] == MPI_DATATYPE_NULL) return MPI_DATATYPE_NULL;
    if (MPI_Type_create_struct(2, counts, places, types, &made) != MPI_SUCCESS) made = MPI_DATATYPE_NULL;
    MPI_Type_free(&types[0]);
    if (made == MPI_DATATYPE_NULL) return made;
  }
  if (MPI_Type_commit(&made) != MPI_SUCCESS) MPI_Type_free(&made);
  return made;
}

}  // namespace

void ProgramView::set(MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype, ViewKind kind) {
  displacement_ = displacement;
  etype_ = access::RetainedType(etype);
  filetype_ = access::RetainedType(filetype);
  known_ = true;
  whole_file_ = kind == ViewKind::bytes;
  plain_handed_on_ = plain_handed_on_ || (kind == ViewKind::plain && installed_);
}

int ProgramView::install_unit(MPI_File handle, const collio_calls& real, const Unit& unit, MPI_Info info) {
  if (unit.common && unit.is_there) return real.File_seek(handle, 0, MPI_SEEK_SET);
  MPI_Datatype type = unit.etype, made = MPI_DATATYPE_NULL;
  if (!unit.common) made = bytes_in_a_row(unit.bytes);
  if (made != MPI_DATATYPE_NULL) type = made;  // else the program's own serves as well
  const int rc = real.File_set_view(handle, 0, type, type, "native", info);
  if (made != MPI_DATATYPE_NULL) MPI_Type_free(&made);
  unit_bytes_ = rc == MPI_SUCCESS && unit.common ? unit.bytes : 0;
  shared_pointer_moved_ = false;
  return rc;
}

int ProgramView::install(MPI_File handle, const collio_calls& real) {
  if (installed_) return MPI_SUCCESS;
  library_missed_view_ = true;
  MPI_Offset position = 0;
  real.File_get_position(handle, &position);
  MPI_Offset displacement = 0;
  MPI_Datatype types[2];
  get(&displacement, &types[0], &types[1]);
  const int rc = real.File_set_view(handle, displacement, types[0], types[1], "native", MPI_INFO_NULL);
  for (MPI_Datatype& type : types)
    if (!access::is_predefined(type)) MPI_Type_free(&type);
  if (rc != MPI_SUCCESS) return rc;
  installed_ = true;
  unit_bytes_ = 0;
  return real.File_seek(handle, position, MPI_SEEK_SET);
}

void ProgramView::get(MPI_Offset* displacement, MPI_Datatype* etype, MPI_Datatype* filetype) const {
  *displacement = displacement_;
  *etype = etype_.handle();
  *filetype = filetype_.handle();
}

bool is_plain_etype(MPI_Datatype etype) { return access::is_predefined(etype) && dense(etype); }

ViewKind judge_view(MPI_Datatype etype, MPI_Datatype filetype, const access::View& view) {
  if (!view.usable()) return ViewKind::undescribed;
  const access::TypeLayout& type = *view.filetype;
  const core::Pattern& pattern = type.pattern;
  if (view.displacement == 0 && is_plain_etype(etype) && pattern.contiguous() && pattern.low() == 0 &&
      type.lower_bound == 0 && type.extent == type.size())
    return ViewKind::bytes;
  // Some libraries divide by an empty file type's size, or free what they never had for it.
  const bool plain = !view.empty() && pattern.pieces() <= most_plain_pieces && pattern.ascending() &&
                     type.lower_bound == 0 && pattern.low() >= 0 && dense(etype) && plainly_built(filetype) &&
                     type.extent >= pattern.high();
  return plain ? ViewKind::plain : ViewKind::costly;
}

MPI_Offset end_position(const access::View& view, std::int64_t file_bytes) {
  const std::int64_t beyond = file_bytes - view.displacement;
  if (beyond <= 0 || view.empty()) return 0;
  const access::TypeLayout& type = *view.filetype;
  // No byte of tile `tile` or later starts before the end; search the tiles around it.
  const std::int64_t tile = type.extent > 0 ? beyond / type.extent + 1 : 1;
  const access::FileAccess all = access::file_access(view, 0, (tile + 1) * type.size());
  if (!all.ascending()) return all.bytes / view.etype_bytes;
  core::Cursor cursor(all.pattern);
  cursor.seek_offset(file_bytes);
  return (cursor.stream() + view.etype_bytes - 1) / view.etype_bytes;
}

}  // namespace collio::mpiio
