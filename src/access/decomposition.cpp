// See decomposition.hpp.
#include "access/decomposition.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace collio::access {

namespace {

using core::Error;
using core::ErrorClass;
using core::MappedPiece;
using core::Pattern;
using core::PieceMap;

constexpr std::int64_t most_elements = std::int64_t{1} << 42;  // of 2^20 bytes each: below 2^63
constexpr std::size_t most_kept = 256;

Error not_allowed(const std::string& what, std::int64_t value, const std::string& allowed) {
  return {ErrorClass::argument, what + " is " + std::to_string(value) + "; allowed: " + allowed};
}

std::string item(const char* name, std::size_t i) {
  return std::string(name) + "[" + std::to_string(i) + "]";
}

/// Elements of an array of this shape.
core::Result<std::int64_t> product_of(Decomposition::Numbers shape) {
  if (shape.empty() || shape.size() > Decomposition::most_dims)
    return not_allowed("the number of dimensions", static_cast<std::int64_t>(shape.size()),
                       "1 to " + std::to_string(Decomposition::most_dims));
  std::int64_t elements = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] < 0) return not_allowed(item("shape", d), shape[d], "0 and more");
    if (__builtin_mul_overflow(elements, shape[d], &elements) || elements > most_elements)
      return Error{ErrorClass::argument, "the array has more than " + std::to_string(most_elements) +
                                             " elements, which is the most"};
  }
  return elements;
}

Error check_box(Decomposition::Numbers shape, Decomposition::Numbers start, Decomposition::Numbers count) {
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (start[d] < 0 || start[d] > shape[d])
      return not_allowed(item("start", d), start[d], "0 to " + std::to_string(shape[d]));
    if (count[d] < 0 || count[d] > shape[d] - start[d])
      return not_allowed(item("count", d), count[d],
                         "0 to " + std::to_string(shape[d] - start[d]) + ", shape less start");
  }
  return {};
}

/// Runs of consecutive elements.
core::Result<std::vector<MappedPiece>> pieces_of(Decomposition::Numbers map, std::int64_t array_elements) {
  std::vector<MappedPiece> pieces;
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (map[i] != -1 && array_elements == 0)
      return not_allowed(item("map", i), map[i], "-1, as the array has no elements");
    if (map[i] < -1 || map[i] >= array_elements)
      return not_allowed(item("map", i), map[i], "-1 to " + std::to_string(array_elements - 1));
    if (map[i] == -1) continue;
    const auto at = static_cast<std::int64_t>(i);
    if (!pieces.empty() && map[i] == pieces.back().file + pieces.back().length &&
        at == pieces.back().memory + pieces.back().length)
      ++pieces.back().length;
    else
      pieces.push_back({map[i], at, 1});
  }
  return pieces;
}

/// All elements of a block, where it is no more than nested loops.
Pattern loops_of(const BlockLayout& layout, std::int64_t element_bytes) {
  Pattern pattern = Pattern::contiguous(0, element_bytes);
  for (std::size_t d = layout.counts.size(); d-- > 0;)
    pattern = pattern.repeated({layout.counts[d], layout.strides[d]});
  return pattern;
}

/// -1: a count is negative, or there are too many.
std::int64_t elements_in(const BlockLayout& layout) {
  std::int64_t elements = 1;
  for (const std::int64_t count : layout.counts)
    if (count < 0 || __builtin_mul_overflow(elements, count, &elements)) return -1;
  return elements;
}

std::int64_t address_of(const BlockLayout& layout, std::int64_t element) {
  std::int64_t address = 0;
  for (std::size_t d = layout.counts.size(); d-- > 0;) {
    address += element % layout.counts[d] * layout.strides[d];
    element /= layout.counts[d];
  }
  return address;
}

}  // namespace

Decomposition::Made Decomposition::box(Numbers shape, Numbers start, Numbers count) {
  const auto array = product_of(shape);
  if (!array) return array.error();
  if (Error error = check_box(shape, start, count); !error.ok()) return error;
  std::shared_ptr<Decomposition> made(new Decomposition);
  made->array_elements_ = array.value();
  made->shape_.assign(shape.begin(), shape.end());
  made->box_ = Box{{start.begin(), start.end()}, {count.begin(), count.end()}};
  made->elements_ = 1;
  Pattern file = Pattern::contiguous(0, 1);
  std::int64_t stride = 1, first = 0;
  for (std::size_t d = shape.size(); d-- > 0;) {
    made->elements_ *= count[d];
    file = file.repeated({count[d], stride});
    first += start[d] * stride;
    stride *= shape[d];
  }
  if (made->elements_ > 0)
    made->elements_of_ = {file.shifted(first), Pattern::contiguous(0, made->elements_), {}};
  return std::shared_ptr<const Decomposition>(std::move(made));
}

Decomposition::Made Decomposition::map(Numbers shape, Numbers map) {
  const auto array = product_of(shape);
  if (!array) return array.error();
  auto pieces = pieces_of(map, array.value());
  if (!pieces) return pieces.error();
  std::shared_ptr<Decomposition> made(new Decomposition);
  made->array_elements_ = array.value();
  made->shape_.assign(shape.begin(), shape.end());
  made->elements_ = static_cast<std::int64_t>(map.size());
  made->elements_of_ = core::map_pieces(std::move(pieces.value()));
  return std::shared_ptr<const Decomposition>(std::move(made));
}

std::vector<std::int64_t> Decomposition::indices() const {
  std::vector<std::int64_t> found(static_cast<std::size_t>(elements_), -1);
  core::for_each_piece(elements_of_, [&](const MappedPiece& piece) {
    const auto at = found.begin() + piece.memory;
    std::iota(at, at + piece.length, piece.file);
  });
  for (const core::Echo& echo : elements_of_.echoes) {
    const auto at = found.begin() + echo.to;
    std::iota(at, at + echo.length, echo.file);
  }
  return found;
}

Pattern Decomposition::memory_of(std::int64_t element_bytes, const BlockLayout& layout) const {
  const Pattern& block = elements_of_.memory;
  if (block.contiguous() && block.bytes() == elements_) return loops_of(layout, element_bytes);
  return Pattern(core::pack_runs([&](auto&& sink) {
    core::Cursor cursor(block);
    for (core::Run run; cursor.next_bytes(std::numeric_limits<std::int64_t>::max(), run);)
      for (std::int64_t i = 0; i < run.count; ++i)
        for (std::int64_t k = 0; k < run.length; ++k)
          sink(core::Extent{address_of(layout, run.offset + i * run.stride + k), element_bytes});
  }));
}

std::vector<core::Echo> Decomposition::echoes_of(std::int64_t element_bytes,
                                                 const BlockLayout& layout) const {
  std::vector<core::Echo> echoes;
  for (const core::Echo& echo : elements_of_.echoes)
    for (std::int64_t k = 0; k < echo.length; ++k)
      echoes.push_back({(echo.file + k) * element_bytes, address_of(layout, echo.from + k),
                        address_of(layout, echo.to + k), element_bytes});
  return echoes;
}

core::Result<std::shared_ptr<const PieceMap>> Decomposition::bytes(std::int64_t element_bytes,
                                                                   const BlockLayout& layout) const {
  if (const auto kept = kept_.find({element_bytes, layout}); kept != kept_.end()) return kept->second;
  for (std::size_t d = 0; d < layout.counts.size(); ++d)
    if (layout.counts[d] < 0 || layout.counts[d] > elements_)
      return not_allowed("layout " + item("counts", d), layout.counts[d],
                         "0 to " + std::to_string(elements_) + ", the decomposition's elements");
  if (!layout.contiguous() && elements_in(layout) != elements_)
    return Error{ErrorClass::argument, "the layout's counts make " + std::to_string(elements_in(layout)) +
                                           " elements; the decomposition has " + std::to_string(elements_)};
  PieceMap map = elements_of_.scaled(element_bytes);
  if (!layout.contiguous() && elements_ > 0) {
    map.memory = memory_of(element_bytes, layout);
    map.echoes = echoes_of(element_bytes, layout);
  }
  auto made = std::make_shared<const PieceMap>(std::move(map));
  if (kept_.size() >= most_kept) kept_.erase(kept_.begin());
  return kept_[{element_bytes, layout}] = std::move(made);
}

}  // namespace collio::access
