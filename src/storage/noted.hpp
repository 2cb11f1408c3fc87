// Storage whose transfers are noted for the report's pictures.
#pragma once

#include <memory>

#include "observe/pictures.hpp"
#include "storage/storage.hpp"

namespace collio::storage {

/// `inner`, whose transfers `in` notes. Those by *_once() are noted without times, as their callers want no
/// look at a clock.
[[nodiscard]] std::unique_ptr<Storage> noted(std::unique_ptr<Storage> inner,
                                             std::shared_ptr<observe::Pictures> in);

}  // namespace collio::storage
