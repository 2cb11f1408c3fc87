#include "declared.hpp"

#include <collio/collio.h>

#include <algorithm>
#include <utility>

namespace collio::bench {
namespace {

constexpr std::uint64_t most_element_bytes = 8;

/// Remembers the first error of a run of collio's calls.
class FirstLibraryError {
 public:
  bool good(const char* what, int code) {
    if (code != COLLIO_OK && text_.empty()) text_ = std::string(what) + ": " + collio_error_text();
    return code == COLLIO_OK;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// The extents of one call, in the order of its data.
using Extents = std::vector<Extent>;

[[nodiscard]] std::vector<Extents> extents_by_call(const Pattern& pattern) {
  std::vector<Extents> all(pattern.calls().size());
  std::size_t at = 0;
  std::int64_t left = all.empty() ? 0 : pattern.calls()[0].bytes;
  pattern.own_extents([&](Extent extent) {
    while (left == 0) left = pattern.calls()[++at].bytes;
    all[at].push_back(extent);
    left -= extent.length;
  });
  return all;
}

/// Of a call's file type: its elements, the largest, up to 8 bytes, of which its extents are whole numbers.
struct Shape {
  collio_decomposition* decomposition = nullptr;
  std::int64_t element_bytes = 1;
};

/// What is declared of a pattern. Calls of one file type are variables of one decomposition.
class Shapes {
 public:
  Shapes() = default;
  Shapes(const Shapes&) = delete;
  Shapes& operator=(const Shapes&) = delete;
  ~Shapes() {
    for (auto& [type, shape] : by_type_) collio_free(&shape.decomposition);
  }

  /// Of this call; `extents` are its own. A call without a file type has a shape to itself.
  [[nodiscard]] Shape of(const Call& call, const Extents& extents, std::int64_t file_bytes,
                         FirstLibraryError& first) {
    const auto known = std::ranges::find(by_type_, call.filetype, &Known::first);
    if (call.filetype != MPI_DATATYPE_NULL && known != by_type_.end()) return known->second;
    std::uint64_t bits = most_element_bytes;
    for (const Extent& extent : extents)
      bits |= static_cast<std::uint64_t>((extent.offset - call.displacement) | extent.length);
    const auto element = static_cast<std::int64_t>(bits & -bits);
    std::vector<std::int64_t> map;
    for (const Extent& extent : extents)
      for (std::int64_t at = 0; at < extent.length; at += element)
        map.push_back((extent.offset - call.displacement + at) / element);
    const std::int64_t elements = file_bytes / element;
    Shape shape{.element_bytes = element};
    first.good("collio_map", collio_map(1, &elements, static_cast<std::int64_t>(map.size()), map.data(),
                                        &shape.decomposition));
    return by_type_.emplace_back(call.filetype, shape).second;
  }

 private:
  using Known = std::pair<MPI_Datatype, Shape>;
  std::vector<Known> by_type_;
};

struct Declared {
  collio_variable* variable;
  std::int64_t place;  // of its bytes in the buffer
};

struct DeclaredFile {
  collio_file* file = nullptr;
  Direction direction;
  std::vector<Declared> variables;
};

[[nodiscard]] StepSeconds run_step(const DeclaredFile& to, const Work& work, int step,
                                   FirstLibraryError& first) {
  StepSeconds seconds;
  const bool writes = to.direction == Direction::write;
  MPI_Barrier(MPI_COMM_WORLD);
  seconds.begin = now_s();
  for (const Declared& one : to.variables) {
    unsigned char* data = work.buffer.data() + one.place;
    first.good("collio_put or collio_get", writes ? collio_put(one.variable, step, data, nullptr)
                                                  : collio_get(one.variable, step, data, nullptr));
  }
  collio_request* request = nullptr;
  collio_request** place = work.collective == Collective::blocking ? nullptr : &request;
  first.good("commit or fetch", writes ? collio_commit(to.file, place) : collio_fetch(to.file, place));
  compute(work.compute_s);
  if (request) first.good("collio_wait", collio_wait(&request, nullptr));
  seconds.end = now_s();
  seconds.data = seconds.end - seconds.begin;
  rest_until_all_are_here();
  return seconds;
}

[[nodiscard]] std::string hints_text(const Target& target) {
  std::string text;
  for (const auto& [key, value] : target.hints) text += key + "=" + value + ";";
  return text;
}

}  // namespace

void check_declarable(const Pattern& pattern, const std::string& name, Collective collective) {
  for (const Call& call : pattern.calls())
    if (call.memory != MPI_DATATYPE_NULL)
      throw UsageError("--mode is 'declared'; allowed for pattern " + name +
                       ": mpiio, floor (its buffer has gaps)");
  if (collective != Collective::blocking && collective != Collective::nonblocking)
    throw UsageError("--collective: allowed with --mode declared: blocking, nonblocking");
}

Outcome run_declared(Direction direction, const Target& target, const Work& work, const Pattern& pattern) {
  Outcome outcome;
  Seconds& seconds = outcome.seconds;
  FirstLibraryError first;
  seconds.steps.resize(static_cast<std::size_t>(work.steps));
  const std::vector<Extents> extents = extents_by_call(pattern);
  const int mode = direction == Direction::write ? COLLIO_CREATE | COLLIO_READ | COLLIO_WRITE : COLLIO_READ;
  DeclaredFile to{.direction = direction};
  MPI_Barrier(MPI_COMM_WORLD);
  double mark = now_s();
  if (first.good("collio_open", collio_open(MPI_COMM_WORLD, target.path.c_str(), mode,
                                            hints_text(target).c_str(), &to.file))) {
    std::int64_t place = 0;
    Shapes shapes;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      const Call& call = pattern.calls()[i];
      const Shape shape = shapes.of(call, extents[i], work.step_bytes, first);
      collio_variable* variable = nullptr;
      if (shape.decomposition)
        first.good("collio_define", collio_define(to.file, shape.decomposition, shape.element_bytes,
                                                  call.displacement, work.step_bytes, &variable));
      to.variables.push_back({variable, place});
      place += call.bytes;
    }
    seconds.open = now_s() - mark;
    for (int step = 0; step < work.steps; ++step) {
      work.before(step);
      seconds.steps[static_cast<std::size_t>(step)] = run_step(to, work, step, first);
      work.after(step);
    }
    mark = now_s();
    if (direction == Direction::write && target.sync) first.good("collio_sync", collio_sync(to.file));
    seconds.sync = now_s() - mark;
    mark = now_s();
    first.good("collio_close", collio_close(&to.file));
    seconds.close = now_s() - mark;
  }
  outcome.error = first.text();
  return outcome;
}

}  // namespace collio::bench
