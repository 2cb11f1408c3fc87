// Values that MPI_File_get_info returns although the program did not ask for them.
//
// Programs pass that info to their next open. A number that collio or the MPI library chose would then count
// as asked for, and decide what should stay open. So the info names these values, and an open leaves them out
// unless the program has changed them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace collio::policy {

/// The info key that names them, as "key=value;key=value".
inline constexpr std::string_view automatic_key = "collio_automatic";

/// The value of automatic_key. Pairs that do not fit into `most` characters are left out. Pure.
[[nodiscard]] std::string automatic_text(const std::map<std::string, std::string>& pairs, std::size_t most);

/// `given` without automatic_key and without the pairs that it names. Pure.
[[nodiscard]] std::map<std::string, std::string> chosen_hints(std::map<std::string, std::string> given);

}  // namespace collio::policy
