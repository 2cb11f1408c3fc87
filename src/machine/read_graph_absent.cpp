// In place of read_graph.cpp, where nlohmann-json was not found when collio was built.
#include "machine/read_graph.hpp"

namespace collio::machine {

core::Result<Network> read_graph(std::string_view) {
  return core::Error{core::ErrorClass::other, "this build of collio reads no machine files: nlohmann-json was not there when it was made"};
}

}  // namespace collio::machine
