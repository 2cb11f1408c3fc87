#include "alone.hpp"

#include <algorithm>

namespace collio::differential {
namespace {

/// The same bytes and bounds, built in several steps.
Type in_a_struct(const Type& type) {
  const Shape& shape = type->shape;
  return resized(shape.lb, shape.extent(), structure({{1}, {0}}, {type}));
}

bool is_in_a_struct(const Type& type) {
  return type->kind == Kind::resized && type->children[0]->kind == Kind::structure;
}

/// Every byte of the file.
bool shows_all(const RankView& view) {
  const Shape& shape = view.filetype->shape;
  return view.displacement == 0 && shape.segments.size() == 1 && shape.true_lb() == 0 && shape.lb == 0 &&
         shape.size == shape.extent();
}

}  // namespace

Case with_costly_views(Case subject) {
  if (subject.seed / 4 % 4 == 0) return subject;
  for (Phase& phase : subject.phases)
    for (RankView& view : phase.layout.views) view.filetype = in_a_struct(view.filetype);
  return subject;
}

bool library_takes_part(const Case& subject) {
  return std::ranges::any_of(subject.phases, [](const Phase& phase) {
    const auto& views = phase.layout.views;
    return !phase.set_view || views.size() == 1 || std::ranges::all_of(views, shows_all) ||
           std::ranges::none_of(views, [](const RankView& view) {
             return is_in_a_struct(view.filetype) && !shows_all(view);  // every byte: at no cost
           });
  });
}

}  // namespace collio::differential
