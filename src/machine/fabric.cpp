// See fabric.hpp.
#include "machine/fabric.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace collio::machine {

namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.size(), text.find_first_of(",; "));
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return words;
}

/// Whether a list names a way over TCP, and none that may go past it.
bool asks_for_tcp(const std::string& list) {
  constexpr std::array<std::string_view, 4> tcp{"tcp", "sockets", "net", "udp"};
  constexpr std::array<std::string_view, 12> beside{"self", "sm",   "shm",   "vader", "posix",   "sysv",
                                                    "cma",  "knem", "xpmem", "mm",    "ofi_rxm", "ofi_rxd"};
  const std::vector<std::string_view> words = words_of(list);
  const auto is_one_of = [](const auto& names) {
    return [&names](std::string_view word) { return std::ranges::find(names, word) != names.end(); };
  };
  return std::ranges::any_of(words, is_one_of(tcp)) && std::ranges::all_of(words, [&](std::string_view word) {
           return is_one_of(tcp)(word) || is_one_of(beside)(word);
         });
}

std::string variable(const char* name) {
  const char* text = ::secure_getenv(name);
  return text ? text : "";
}

}  // namespace

FabricWords fabric_words() {
  return {variable("FI_PROVIDER"), variable("UCX_TLS"), variable("OMPI_MCA_btl")};
}

Fabric fabric_of(const NodeParts& parts, const FabricWords& words) {
  if (!parts.rdma) return Fabric::tcp;
  const bool tcp =
      asks_for_tcp(words.fi_provider) || asks_for_tcp(words.ucx_tls) || asks_for_tcp(words.ompi_btl);
  return tcp ? Fabric::tcp : Fabric::rdma;
}

}  // namespace collio::machine
