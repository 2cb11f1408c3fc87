// What all ranks noted of a file for the report's pictures.
#pragma once

#include <optional>

#include "engine/file/ranks.hpp"
#include "observe/report_records.hpp"

namespace collio::engine {

/// On rank 0; null elsewhere, where no rank accessed the file, and where a rank has no memory for it. 160 KiB
/// a rank meanwhile, whatever the number of ranks. Collective.
[[nodiscard]] std::optional<observe::report::Pictures> pictures_of(const Ranks& ranks);

}  // namespace collio::engine
