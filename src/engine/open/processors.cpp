// See processors.hpp.
#include "engine/open/processors.hpp"

#include <sched.h>

#include <cerrno>

#include "transport/waiting/collectives.hpp"

namespace collio::engine {

namespace {

constexpr std::size_t bits = 64;
constexpr std::size_t most_processors = std::size_t{1} << 20;

}  // namespace

// The kernel refuses a mask that is shorter than its own with EINVAL.
std::vector<std::uint64_t> own_processors() {
  for (std::size_t processors = CPU_SETSIZE; processors <= most_processors; processors *= 2) {
    std::vector<std::uint64_t> mask(processors / bits);
    if (::sched_getaffinity(0, processors / 8, reinterpret_cast<cpu_set_t*>(mask.data())) == 0) return mask;
    if (errno != EINVAL) break;
  }
  return {};
}

machine::CpuSet cpu_set(const std::vector<std::uint64_t>& mask) {
  machine::CpuSet found(mask.size() * bits);
  for (std::size_t at = 0; at < found.size(); ++at) found[at] = (mask[at / bits] >> at % bits & 1) != 0;
  return found;
}

machine::CpuSet processors_of_node(MPI_Comm node) {
  std::vector<std::uint64_t> mask = own_processors();
  int words = static_cast<int>(mask.size());
  transport::reduce_to_all(&words, 1, MPI_INT, MPI_MAX, node);
  mask.resize(static_cast<std::size_t>(words));
  transport::reduce_to_all(mask.data(), words, MPI_UINT64_T, MPI_BOR, node);
  return cpu_set(mask);
}

}  // namespace collio::engine
