// Memory that all ranks of a node use, spread over the node's memory domains.
//
// Pages come from the domain of the process that first asks for them, and shared windows are made by one
// rank. All of them in one domain, ranks of the others fight for its memory bus. Interleaved page by page, as
// here, each domain serves its part, whichever rank fills a window.
#pragma once

#include <span>
#include <vector>

#include "machine/node_reader.hpp"

namespace collio::transport {

/// by the kernel's number of a memory domain
using MemoryDomains = std::vector<bool>;

/// Memory domains that this process may have memory of, and that have processors: not those of accelerators.
/// Not collective.
[[nodiscard]] MemoryDomains memory_domains();

/// Pages of this shared mapping that nobody has touched will come from `domains` in turn; with fewer than
/// two, from where the kernel likes. False: the kernel does not do it, and says why in errno. Not collective.
bool spread_pages(std::span<std::byte> memory, const MemoryDomains& domains);

}  // namespace collio::transport
