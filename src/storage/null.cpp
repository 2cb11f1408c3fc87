// Storage that moves nothing. See kinds.hpp.
#include <algorithm>

#include "storage/kinds.hpp"

namespace collio::storage {

namespace {

class NullFile final : public Storage {
 public:
  Transfer write(const core::Extent& extent, const std::byte*) override { return {extent.length, {}}; }
  Transfer read(const core::Extent& extent, std::byte* to) override {
    std::fill_n(to, extent.length, std::byte{0});
    return {extent.length, {}};
  }
  core::Error sync() override { return {}; }
  core::Error allocate(std::int64_t) override { return {}; }
};

}  // namespace

std::unique_ptr<Storage> make_null() { return std::make_unique<NullFile>(); }

}  // namespace collio::storage
