// The report's records as JSON text.
#pragma once

#include <string>

#include "observe/report_records.hpp"

namespace collio::observe::report {

/// A file's line, without its end. Numbers have nine digits, those that are not finite are null, and what is
/// no UTF-8 in a text is replaced, so that nothing but a lack of memory throws. O(text).
[[nodiscard]] std::string text_of(const File& file);

}  // namespace collio::observe::report
