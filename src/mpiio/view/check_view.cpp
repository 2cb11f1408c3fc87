// See check_view.hpp. The rules are those of MPI-4.0 14.3 (MPI_FILE_SET_VIEW) and 14.1.1 (filetype).
#include "mpiio/view/check_view.hpp"

#include <algorithm>
#include <limits>

#include "core/cursor.hpp"

namespace collio::mpiio {

namespace {

core::Error type_error(std::string message) { return {core::ErrorClass::type, std::move(message)}; }

/// The etype's extent where it is a row of bytes without holes; else 1, by which all offsets divide.
std::int64_t unit_of(MPI_Datatype etype) {
  const auto layout = access::layout_of(etype);
  if (!layout || layout.value()->size() != layout.value()->extent || layout.value()->lower_bound != 0)
    return 1;
  return std::max<std::int64_t>(1, layout.value()->extent);
}

/// Offsets of a filetype's pieces, in the order of the type.
core::Error check_pieces(const access::TypeLayout& filetype, std::int64_t unit, bool writes) {
  if (filetype.extent % unit != 0)
    return type_error("the filetype's extent, " + std::to_string(filetype.extent) +
                      " bytes, is not a multiple of the etype's, " + std::to_string(unit));
  core::Cursor cursor(filetype.pattern);
  std::int64_t before = 0, end = 0;
  for (core::Run run; cursor.next_bytes(std::numeric_limits<std::int64_t>::max(), run);) {
    const std::string at = " at offset " + std::to_string(run.offset);
    if (run.offset < 0) return type_error("the filetype has a negative displacement:" + at);
    if (run.offset < before || (run.count > 1 && run.stride < 0))
      return type_error("the filetype's displacements are not in ascending order:" + at);
    if (writes && (run.offset < end || (run.count > 1 && run.stride < run.length)))
      return type_error("the filetype has overlapping pieces" + at + ", and the file may be written");
    if (run.offset % unit != 0 || run.length % unit != 0 || (run.count > 1 && run.stride % unit != 0))
      return type_error("the filetype is not made of whole etypes of " + std::to_string(unit) +
                        " bytes: it has " + std::to_string(run.length) + " bytes" + at);
    before = run.offset + (run.count - 1) * run.stride;
    end = std::max(end, run.end());
  }
  return {};
}

}  // namespace

access::View describe_view(MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype) {
  access::View view;
  if (etype == MPI_DATATYPE_NULL || filetype == MPI_DATATYPE_NULL) return view;
  auto etype_layout = access::layout_of(etype);
  auto filetype_layout = access::layout_of(filetype);
  if (etype_layout && filetype_layout)
    view = {displacement, etype_layout.value()->size(), filetype_layout.value()};
  return view;
}

core::Error check_view(const access::View& view, MPI_Datatype etype, const ViewCheck& check) {
  if (view.displacement < 0)
    return {core::ErrorClass::argument,
            "displacement " + std::to_string(view.displacement) + " is negative; allowed: 0 and more"};
  if (view.etype_bytes > 0 && view.filetype->size() % view.etype_bytes != 0)
    return {core::ErrorClass::argument, "the filetype's size, " + std::to_string(view.filetype->size()) +
                                            " bytes, is not a multiple of the etype's, " +
                                            std::to_string(view.etype_bytes)};
  return check.pieces ? check_pieces(*view.filetype, unit_of(etype), check.writes) : core::Error{};
}

}  // namespace collio::mpiio
