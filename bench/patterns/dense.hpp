// A pattern whose ranks together write every byte of the file, its calls and extents listed as it is built.
#pragma once

#include "pattern.hpp"

namespace collio::bench {

class DensePattern : public Pattern {
 public:
  std::span<const Call> calls() const override { return calls_; }
  std::int64_t pieces() const override { return static_cast<std::int64_t>(own_.size()); }
  std::int64_t file_bytes() const override { return file_bytes_; }
  void own_extents(const ExtentSink& sink) const override {
    for (const Extent& extent : own_) sink(extent);
  }
  void all_extents(const ExtentSink& sink) const override { sink({0, file_bytes_}); }

 protected:
  /// A call with an explicit offset and no view.
  Call& add_contiguous(Extent extent) {
    if (extent.length > 0) own_.push_back(extent);
    return calls_.emplace_back(Call{.displacement = extent.offset, .bytes = extent.length});
  }
  /// A datatype for as long as the pattern lives.
  MPI_Datatype keep(Datatype type) { return types_.emplace_back(std::move(type)).get(); }

  std::vector<Call> calls_;
  std::vector<Extent> own_;  // in the order of the calls' data
  std::int64_t file_bytes_ = 0;

 private:
  std::vector<Datatype> types_;
};

}  // namespace collio::bench
