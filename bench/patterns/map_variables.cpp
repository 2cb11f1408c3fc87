#include "patterns/map_variables.hpp"

#include <algorithm>
#include <cstring>

namespace collio::bench {
namespace {

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

class MapPattern final : public Pattern {
 public:
  struct Variable {
    std::int64_t decomposition;
    std::int64_t start;  // byte in the file
  };

  MapPattern(MapVariables given, World world, bool call_each)
      : map_(std::move(given.map)), element_bytes_(given.element_bytes) {
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(given.counts.size()); ++d)
      for (std::int64_t k = 0; k < given.counts[static_cast<std::size_t>(d)]; ++k) {
        variables_.push_back({d, file_bytes_});
        file_bytes_ += map_->at(d).elements * element_bytes_;
        append_runs(map_->runs(d, world.rank), variables_.back().start);
        if (call_each) add_call();
      }
    if (!call_each) add_call();
  }

  std::span<const Call> calls() const override { return calls_; }
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
    }
  }
  /// For the extents behind those of the call before.
  void add_call() {
    const std::span<const Extent> extents = std::span(own_).subspan(in_calls_);
    in_calls_ = own_.size();
    Call& call = calls_.emplace_back();
    for (const Extent& extent : extents) call.bytes += extent.length;
    call.filetype = filetypes_.emplace_back(hindexed_filetype(extents)).get();
  }

  std::unique_ptr<Map> map_;
  std::int64_t element_bytes_;
  std::vector<Variable> variables_;
  std::vector<Extent> own_;
  std::size_t in_calls_ = 0;  // extents
  std::vector<Datatype> filetypes_;
  std::vector<Call> calls_;
  std::int64_t file_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Pattern> make_map_variables(Options& options, World world, const MapDefaults& defaults) {
  const bool call_each = options.flag("call-each");
  return std::make_unique<MapPattern>(map_variables(options, world.size, defaults), world, call_each);
}

}  // namespace collio::bench
