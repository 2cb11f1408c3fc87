#include "known_native.hpp"

#include <algorithm>
#include <cstring>

namespace collio::differential {

Library running_library() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(version, &length);
  if (std::strstr(version, "Open MPI") != nullptr) return Library::open_mpi;
  if (std::strstr(version, "MPICH") != nullptr) return Library::mpich;
  return Library::other;
}

namespace {

/// Blocks of a type with holes, or empty blocks among others.
bool blocks_with_holes(const TypeNode& node) {
  if (node.displacements.empty()) return false;
  for (const Type& child : node.children)
    if (child->shape.size != child->shape.extent()) return true;
  return std::find(node.blocks.begin(), node.blocks.end(), 0) != node.blocks.end();
}

/// A type that only a new extent made look free of holes.
bool cut_to_fit(const TypeNode& node) {
  if (node.kind != Kind::resized || node.shape.size != node.shape.extent()) return false;
  const Shape& child = node.children[0]->shape;
  return child.extent() != node.shape.extent() || child.lb != node.lb;
}

/// A node whose data or bounds do not begin at its origin, or whose copies interleave: ROMIO flattens these
/// wrongly where they are nested, and then reads and writes outside the user's buffer.
bool moved(const TypeNode& node) {
  const Shape& shape = node.shape;
  if (shape.size == 0) return false;
  if (blocks_with_holes(node) || cut_to_fit(node)) return true;
  const bool shuffled = shape.size == shape.extent() && shape.segments.size() > 1;
  const bool one_piece_elsewhere = shape.segments.size() == 1 && shape.true_lb() != 0;
  return shuffled || shape.lb != 0 || one_piece_elsewhere ||
         shape.extent() < shape.true_ub() - shape.true_lb();
}

/// The same for a view's outermost type, where an array block of one piece is handled well.
bool moved_view(const Type& filetype) {
  const bool array = filetype->kind == Kind::subarray || filetype->kind == Kind::darray;
  return array ? any_node(filetype->children[0], moved) : any_node(filetype, moved);
}

bool any_moved(const Case& subject) {
  for (const Phase& phase : subject.phases) {
    for (const RankView& view : phase.layout.views)
      if (moved_view(view.filetype)) return true;
    for (const Call& call : phase.calls)
      for (const Access& access : call.access)
        if (any_node(access.memory.type, moved)) return true;
  }
  return false;
}

bool shows_a_byte_twice(const Shape& shape) {
  std::int64_t end = 0;
  for (const Segment& segment : shape.segments) {
    if (segment.offset < end) return true;
    end = segment.offset + segment.length;
  }
  return shape.true_ub() - shape.true_lb() > shape.extent();
}

bool any_overlap(const Case& subject) {
  for (const Phase& phase : subject.phases)
    for (const RankView& view : phase.layout.views)
      if (shows_a_byte_twice(view.filetype->shape)) return true;
  return false;
}

/// Memory types that reach below the buffer argument.
bool any_backward(const Case& subject) {
  for (const Phase& phase : subject.phases)
    for (const Call& call : phase.calls)
      for (const Access& access : call.access)
        if (any_node(access.memory.type, [](const TypeNode& node) { return node.shape.true_lb() < 0; }))
          return true;
  return false;
}

bool any_shared_read(const Case& subject) {
  for (const Phase& phase : subject.phases)
    if (phase.layout.name == "overlapping") return true;
  return false;
}

bool any_bottom(const Case& subject) {
  for (const Phase& phase : subject.phases)
    for (const Call& call : phase.calls)
      for (const Access& access : call.access)
        if (access.bottom) return true;
  return false;
}

}  // namespace

const char* native_unsafe(Library library, const Case& subject) {
  if (library == Library::other) return nullptr;
  if (any_overlap(subject)) return "not tried: views that show a byte twice";
  if (library == Library::open_mpi)
    return any_backward(subject) ? "not tried: memory before the buffer argument" : nullptr;
  if (any_moved(subject)) return "not tried: types whose data do not begin at the origin corrupt memory";
  if (any_bottom(subject)) return "not tried: absolute addresses of types with holes corrupt memory";
  return nullptr;
}

const char* native_known(Library library, const Case& subject, const Finding& finding) {
  if (library == Library::other) return nullptr;
  // The same in ROMIO and in OMPIO.
  if (finding.kind == "file holes" || finding.kind == "data from holes")
    return "leftover memory in holes of a new file";
  if (finding.kind == "short status") return "full status at the end of the file";
  if (finding.kind == "data past the end")
    return "leftover memory in a buffer read across the end of the file";
  if (finding.kind == "position after end of file")
    return "file pointer after a read across the end of the file";
  if (library == Library::mpich && finding.kind == "empty status")
    return "status not set when a call moves nothing";
  if (library == Library::open_mpi && finding.kind == "data" && any_shared_read(subject))
    return "wrong bytes when ranks read the same region in one call";
  return nullptr;
}

}  // namespace collio::differential
