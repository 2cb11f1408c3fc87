#include "patterns/map_variables.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "e3sm_map.h"

namespace collio::bench {
namespace {

/// Closes the map when done.
class Map {
 public:
  explicit Map(const std::string& path) {
    char error[E3SM_MAP_ERROR_BYTES];
    if (e3sm_map_open(path.c_str(), &map_, error) != 0) throw UsageError(error);
  }
  Map(const Map&) = delete;
  Map& operator=(const Map&) = delete;
  ~Map() { e3sm_map_close(&map_); }

  [[nodiscard]] const e3sm_map& get() const { return map_; }
  [[nodiscard]] const e3sm_decomposition& at(std::int64_t index) const { return map_.decompositions[index]; }
  [[nodiscard]] std::span<const e3sm_run> runs(std::int64_t index, int rank) const {
    char error[E3SM_MAP_ERROR_BYTES];
    e3sm_runs runs{};
    if (e3sm_map_rank(&map_, index, rank, &runs, error) != 0) throw UsageError(error);
    return {runs.first, static_cast<std::size_t>(runs.count)};
  }

 private:
  e3sm_map map_{};
};

/// Runs of elements that any rank writes, joined. Cost: O(runs + elements), a byte an element.
[[nodiscard]] std::vector<Extent> covered_elements(const e3sm_decomposition& decomposition) {
  std::vector<unsigned char> written(static_cast<std::size_t>(decomposition.elements), 0);
  for (const e3sm_run& run : std::span(decomposition.runs, static_cast<std::size_t>(decomposition.run_count)))
    if (run.offset >= 0 && run.length > 0 && run.length <= decomposition.elements - run.offset)
      std::memset(written.data() + run.offset, 1, static_cast<std::size_t>(run.length));
  std::vector<Extent> covered;
  for (auto at = written.cbegin();;) {
    const auto first = std::find(at, written.cend(), 1);
    if (first == written.cend()) return covered;
    at = std::find(first, written.cend(), 0);
    covered.push_back({first - written.cbegin(), at - first});
  }
}

class MapVariables final : public Pattern {
 public:
  struct Variable {
    std::int64_t decomposition;
    std::int64_t start;  // byte in the file
  };

  MapVariables(std::unique_ptr<Map> map, const std::vector<std::int64_t>& counts, std::int64_t element_bytes,
               World world)
      : map_(std::move(map)), element_bytes_(element_bytes) {
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(counts.size()); ++d)
      for (std::int64_t k = 0; k < counts[static_cast<std::size_t>(d)]; ++k) {
        variables_.push_back({d, file_bytes_});
        file_bytes_ += map_->at(d).elements * element_bytes_;
        append_runs(map_->runs(d, world.rank), variables_.back().start);
      }
    filetype_ = hindexed_filetype(own_);
    call_.filetype = filetype_.get();
  }

  std::span<const Call> calls() const override { return {&call_, 1}; }
  std::int64_t pieces() const override { return static_cast<std::int64_t>(own_.size()); }
  std::int64_t file_bytes() const override { return file_bytes_; }
  void own_extents(const ExtentSink& sink) const override {
    for (const Extent& extent : own_) sink(extent);
  }
  void all_extents(const ExtentSink& sink) const override {
    std::int64_t known = -1;
    std::vector<Extent> covered;
    for (const Variable& variable : variables_) {
      if (variable.decomposition != known)
        covered = covered_elements(map_->at(known = variable.decomposition));
      for (const Extent& part : covered)
        sink({variable.start + part.offset * element_bytes_, part.length * element_bytes_});
    }
  }

 private:
  void append_runs(std::span<const e3sm_run> runs, std::int64_t start) {
    for (const e3sm_run& run : runs) {
      own_.push_back({start + run.offset * element_bytes_, run.length * element_bytes_});
      call_.bytes += run.length * element_bytes_;
    }
  }

  std::unique_ptr<Map> map_;
  std::int64_t element_bytes_;
  std::vector<Variable> variables_;
  std::vector<Extent> own_;
  Datatype filetype_;
  Call call_;
  std::int64_t file_bytes_ = 0;
};

/// Variables of each decomposition: "10" for one of them (named, or the last), or "2,2,6" for the first,
/// second, third.
[[nodiscard]] std::vector<std::int64_t> variable_counts(Options& options, const e3sm_map& map,
                                                        const char* otherwise) {
  const auto number = static_cast<std::size_t>(map.decomposition_count);
  std::vector<std::int64_t> counts;
  std::string text = options.text("variables", otherwise);
  const bool each = text.find(',') != std::string::npos;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    counts.push_back(parse_size("variables", text.substr(at, comma - at)));
    at = comma + 1;
  }
  if (counts.size() > number)
    throw UsageError("--variables is '" + text + "'; allowed: at most " + std::to_string(number) +
                     " values, one per decomposition of the map");
  if (std::all_of(counts.begin(), counts.end(), [](std::int64_t count) { return count == 0; }) ||
      *std::max_element(counts.begin(), counts.end()) > 10000)
    throw UsageError("--variables is '" + text + "'; allowed: 0 to 10000 each, 1 or more in all");
  if (each) return counts;
  const std::string name =
      options.text("decomposition", map.decomposition_count >= 3 ? map.decompositions[2].name
                                                                 : map.decompositions[number - 1].name);
  std::vector<std::int64_t> chosen(number, 0);
  std::string allowed;
  for (std::size_t d = 0; d < number; ++d) {
    if (name == map.decompositions[d].name) {
      chosen[d] = counts.front();
      return chosen;
    }
    allowed += (d == 0 ? "" : ", ") + std::string(map.decompositions[d].name);
  }
  throw UsageError("--decomposition is '" + name + "'; allowed: " + allowed);
}

}  // namespace

std::unique_ptr<Pattern> make_map_variables(Options& options, World world, const MapDefaults& defaults) {
  auto map = std::make_unique<Map>(options.required("map-binary"));
  if (map->get().ranks != world.size)
    throw UsageError("--map-binary is for " + std::to_string(map->get().ranks) + " ranks, but " +
                     std::to_string(world.size) + " are running; make it with --ranks " +
                     std::to_string(world.size));
  const std::vector<std::int64_t> counts = variable_counts(options, map->get(), defaults.variables);
  const std::int64_t element_bytes = std::stoll(options.one_of("element-size", defaults.element_sizes));
  return std::make_unique<MapVariables>(std::move(map), counts, element_bytes, world);
}

}  // namespace collio::bench
