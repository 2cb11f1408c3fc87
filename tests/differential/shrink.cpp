#include "shrink.hpp"

#include <algorithm>

namespace collio::differential {
namespace {

void drop_parts(const Case& subject, std::vector<Case>& out) {
  for (std::size_t i = 0; i < subject.phases.size(); ++i) {
    if (subject.phases.size() > 1) {
      out.push_back(subject);
      out.back().phases.erase(out.back().phases.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (std::size_t c = 0; subject.phases[i].calls.size() > 1 && c < subject.phases[i].calls.size(); ++c) {
      out.push_back(subject);
      auto& calls = out.back().phases[i].calls;
      calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(c));
    }
  }
}

void drop_hints(const Case& subject, std::vector<Case>& out) {
  if (subject.hints.size() > 1) {
    out.push_back(subject);
    out.back().hints.clear();
  }
  for (const auto& [key, value] : subject.hints) {
    out.push_back(subject);
    out.back().hints.erase(key);
  }
}

void empty_file(const Case& subject, std::vector<Case>& out) {
  if (subject.mode == Mode::read_only || !subject.file_exists) return;
  out.push_back(subject);
  out.back().file_exists = false;
  out.back().old_bytes = 0;
}

/// Variants of one rank's access: none at all, half of it, plain memory, no MPI_BOTTOM.
void simplify_access(const Access& access, const Type& etype, std::vector<Access>& out) {
  if (access.bytes() == 0) return;
  const Type unit = packed_unit(etype);
  const auto units = static_cast<int>(access.bytes() / unit->shape.size);
  const bool plain =
      access.memory.type->kind == unit->kind && access.memory.type->shape.size == unit->shape.size;
  out.push_back({access.offset, {unit, 0}, false});
  if (!plain) out.push_back({access.offset, {unit, units}, access.bottom});
  if (access.bottom) out.push_back({access.offset, access.memory, false});
  if (access.memory.count > 1) {
    out.push_back({access.offset, {access.memory.type, access.memory.count / 2}, access.bottom});
    out.push_back({access.offset, {access.memory.type, access.memory.count - 1}, access.bottom});
  }
}

void simplify_calls(const Case& subject, std::vector<Case>& out) {
  for (std::size_t i = 0; i < subject.phases.size(); ++i)
    for (std::size_t c = 0; c < subject.phases[i].calls.size(); ++c) {
      const Call& call = subject.phases[i].calls[c];
      if (call.form != Form::blocking) {
        out.push_back(subject);
        out.back().phases[i].calls[c].form = Form::blocking;
      }
      if (call.large_count) {
        out.push_back(subject);
        out.back().phases[i].calls[c].large_count = false;
      }
      for (std::size_t r = 0; r < call.access.size(); ++r) {
        std::vector<Access> variants;
        simplify_access(call.access[r], subject.phases[i].layout.etype, variants);
        for (Access& variant : variants) {
          out.push_back(subject);
          out.back().phases[i].calls[c].access[r] = std::move(variant);
        }
      }
    }
}

/// The file type's segments as one hindexed type of bytes, and that type cut to its first few segments.
void simplify_views(const Case& subject, std::vector<Case>& out) {
  for (std::size_t i = 0; i < subject.phases.size(); ++i) {
    const Layout& layout = subject.phases[i].layout;
    if (layout.etype->kind != Kind::basic || layout.etype->shape.size != 1) continue;
    for (std::size_t r = 0; r < layout.views.size(); ++r) {
      const Type& type = layout.views[r].filetype;
      if (type->kind == Kind::basic ||
          (type->kind == Kind::resized && type->children[0]->kind == Kind::hindexed))
        continue;
      Blocks blocks;
      for (const Segment& segment : type->shape.segments) {
        blocks.lengths.push_back(static_cast<int>(segment.length));
        blocks.displacements.push_back(segment.offset);
      }
      out.push_back(subject);
      out.back().phases[i].layout.views[r].filetype =
          resized(type->shape.lb, type->shape.extent(), hindexed(std::move(blocks), layout.etype));
    }
  }
}

}  // namespace

std::vector<Case> simpler(const Case& subject) {
  std::vector<Case> out;
  drop_parts(subject, out);
  drop_hints(subject, out);
  empty_file(subject, out);
  simplify_calls(subject, out);
  simplify_views(subject, out);
  return out;
}

}  // namespace collio::differential
