// A node's memory domains and network adapters, which the choice of aggregators uses, from the kernel's files
// under /sys.
//
// hwloc knows more, but takes at least 28 ms to load; these few files take 0.1 ms, and opening must stay
// cheap. `collio topo` shows what hwloc says.
#pragma once

#include <string>
#include <vector>

namespace collio::machine {

/// by the kernel's number of a processor; those beyond its end are not in it
using CpuSet = std::vector<bool>;

struct NodeParts {
  /// processors of each memory domain; domains of memory alone are left out
  std::vector<CpuSet> numas;
  /// adapters that are up, of those with the highest rate; never none
  int nics = 1;
  /// one of them moves bytes without the kernel: InfiniBand, RoCE, Omni-Path, EFA, Slingshot
  bool rdma = false;
  /// of the fastest adapters together; 0: their drivers do not tell
  double link_bytes_per_s = 0;
};

/// Of the node this process is on. `sys`: where its files are, "/sys". What cannot be read is taken as not
/// there. Not collective.
[[nodiscard]] NodeParts read_node_parts(const std::string& sys);

/// Memory domains with some of these processors; never none. Pure.
[[nodiscard]] int count_numas(const NodeParts& parts, const CpuSet& processors);

/// The numbers in a list of the kernel's, "0-3,8" -> 0 1 2 3 8, as a set; what is no such list is the empty
/// set. Pure.
[[nodiscard]] CpuSet parse_cpu_list(const std::string& text);

}  // namespace collio::machine
