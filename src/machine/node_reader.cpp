// See node_reader.hpp.
#include "machine/node_reader.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>

#include "core/index.hpp"

namespace collio::machine {

namespace {

namespace files = std::filesystem;

constexpr long most_processors = 1 << 16;

/// The first line of a file; "" where it cannot be read.
std::string line_of(const files::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

/// Entries of a folder; none where it cannot be read.
std::vector<files::path> entries(const files::path& folder) {
  std::vector<files::path> found;
  std::error_code error;
  for (files::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    found.push_back(at->path());
  return found;
}

/// The hardware behind an entry of a class, which tells apart adapters and joins their several faces; ""
/// where there is none (loopback, bridges, virtual links) or where it is a part of an adapter that is there
/// as well (a virtual function).
std::string hardware(const files::path& entry) {
  std::error_code error;
  const files::path device = files::canonical(entry / "device", error);
  return error || files::exists(device / "physfn", error) ? std::string() : device.string();
}

/// Number at the beginning of a line; 0 where there is none.
double number_in(const std::string& line) { return std::max(0.0, std::strtod(line.c_str(), nullptr)); }

/// Adapters that are up, by their hardware, with the rate in Gbit/s; 0 where the driver does not tell it.
std::map<std::string, double> adapters(const files::path& sys) {
  std::map<std::string, double> found;
  const auto add = [&found](const files::path& entry, double rate) {
    if (const std::string name = hardware(entry); !name.empty()) found[name] = std::max(found[name], rate);
  };
  for (const files::path& entry : entries(sys / "class" / "net"))
    if (line_of(entry / "operstate") == "up") add(entry, number_in(line_of(entry / "speed")) / 1000);
  for (const files::path& entry : entries(sys / "class" / "infiniband"))
    for (const files::path& port : entries(entry / "ports"))
      if (line_of(port / "state").find("ACTIVE") != std::string::npos)
        add(entry, number_in(line_of(port / "rate")));
  return found;
}

void read_adapters(const std::string& sys, NodeParts& parts) {
  const std::map<std::string, double> all = adapters(sys);
  double highest = 0;
  for (const auto& [name, rate] : all) highest = std::max(highest, rate);
  const auto fastest =
      std::count_if(all.begin(), all.end(), [highest](const auto& one) { return one.second >= highest; });
  parts.nics = std::max(1, static_cast<int>(fastest));
  parts.link_bytes_per_s = parts.nics * highest * 1e9 / 8;
}

/// Whether an adapter serves programs past the kernel. Slingshot's are in a class of their own.
bool has_rdma(const files::path& sys) {
  if (!entries(sys / "class" / "cxi").empty()) return true;
  for (const files::path& entry : entries(sys / "class" / "infiniband"))
    for (const files::path& port : entries(entry / "ports"))
      if (line_of(port / "state").find("ACTIVE") != std::string::npos) return true;
  return false;
}

}  // namespace

CpuSet parse_cpu_list(const std::string& text) {
  CpuSet found;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    char* end = nullptr;
    const long first = std::strtol(part.c_str(), &end, 10);
    const long last = *end == '-' ? std::strtol(end + 1, &end, 10) : first;
    if (end == part.c_str() || *end != '\0' || first < 0 || last < first || last >= most_processors)
      return {};
    if (found.size() <= static_cast<std::size_t>(last)) found.resize(static_cast<std::size_t>(last) + 1);
    for (long at = first; at <= last; ++at) found[core::at(at)] = true;
  }
  return found;
}

NodeParts read_node_parts(const std::string& sys) {
  NodeParts parts;
  for (const files::path& entry : entries(files::path(sys) / "devices" / "system" / "node")) {
    const std::string name = entry.filename().string();
    if (name.size() < 5 || name.compare(0, 4, "node") != 0 ||
        std::isdigit(static_cast<unsigned char>(name[4])) == 0)
      continue;
    if (CpuSet processors = parse_cpu_list(line_of(entry / "cpulist")); !processors.empty())
      parts.numas.push_back(std::move(processors));
  }
  read_adapters(sys, parts);
  parts.rdma = has_rdma(sys);
  return parts;
}

int count_numas(const NodeParts& parts, const CpuSet& processors) {
  const auto shares = [&processors](const CpuSet& numa) {
    for (std::size_t at = 0; at < std::min(numa.size(), processors.size()); ++at)
      if (numa[at] && processors[at]) return true;
    return false;
  };
  return std::max(1, static_cast<int>(std::count_if(parts.numas.begin(), parts.numas.end(), shares)));
}

}  // namespace collio::machine
