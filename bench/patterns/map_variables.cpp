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
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(given.counts.size()); ++d) {
      const std::vector<Extent> runs = runs_of(d, world.rank);
      if (call_each) filetypes_.push_back(hindexed_filetype(runs));
      for (std::int64_t k = 0; k < given.counts[static_cast<std::size_t>(d)]; ++k) {
        if (call_each) calls_.push_back(call_of(runs, file_bytes_));
        for (const Extent& run : runs) own_.push_back({file_bytes_ + run.offset, run.length});
        variables_.push_back({d, file_bytes_});
        file_bytes_ += map_->at(d).elements * element_bytes_;
      }
    }
    if (call_each) return;
    filetypes_.push_back(hindexed_filetype(own_));
    calls_.push_back(call_of(own_, 0));
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
  /// Of a rank in a variable, in bytes.
  [[nodiscard]] std::vector<Extent> runs_of(std::int64_t decomposition, int rank) const {
    std::vector<Extent> runs;
    for (const e3sm_run& run : map_->runs(decomposition, rank))
      runs.push_back({run.offset * element_bytes_, run.length * element_bytes_});
    return runs;
  }
  /// Through the last file type, of `extents`, from file offset `start` on.
  [[nodiscard]] Call call_of(std::span<const Extent> extents, std::int64_t start) const {
    Call call{.filetype = filetypes_.back().get(), .displacement = start};
    for (const Extent& extent : extents) call.bytes += extent.length;
    return call;
  }

  std::unique_ptr<Map> map_;
  std::int64_t element_bytes_;
  std::vector<Variable> variables_;
  std::vector<Extent> own_;
  std::vector<Datatype> filetypes_;  // one for each decomposition, or one for all
  std::vector<Call> calls_;
  std::int64_t file_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Pattern> make_map_variables(Options& options, World world, const MapDefaults& defaults) {
  const bool call_each = options.flag("call-each");
  return std::make_unique<MapPattern>(map_variables(options, world.size, defaults), world, call_each);
}

}  // namespace collio::bench
