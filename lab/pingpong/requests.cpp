#include "requests.hpp"

#include <mpi.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <sstream>

#include "options.hpp"
#include "patience.hpp"

namespace collio::pingpong {
namespace {

using bench::UsageError;

[[nodiscard]] Flow parse_flow(const std::string& text, const std::vector<Place>& places) {
  std::size_t source = places.size(), destination = places.size();
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, source);
  const bool two = first.ec == std::errc{} && first.ptr != end && *first.ptr == '-';
  const auto second = two ? std::from_chars(first.ptr + 1, end, destination) : first;
  if (!two || second.ec != std::errc{} || second.ptr != end || source == destination ||
      std::max(source, destination) >= places.size())
    throw UsageError("--flows names '" + text + "'; allowed: two nodes as in 0-1, from 0 to " +
                     std::to_string(places.size() - 1));
  return {places[source].sender, places[destination].receiver};
}

/// Rank 0's bytes on all ranks; those who wait sleep.
void broadcast(void* bytes, int count) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(bytes, count, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
  wait(request);
}

/// Rank 0's next line on all ranks; nothing at the end of its input.
[[nodiscard]] std::optional<std::string> next_line() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::string line;
  const bool ended = rank == 0 && !std::getline(std::cin, line);
  int length = ended ? -1 : static_cast<int>(line.size());
  broadcast(&length, sizeof length);
  if (length < 0) return std::nullopt;
  line.resize(static_cast<std::size_t>(length));
  broadcast(line.data(), length);
  return line;
}

}  // namespace

std::vector<Flow> parse_flows(const std::string& text, const std::vector<Place>& places) {
  std::vector<Flow> flows;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    flows.push_back(parse_flow(text.substr(begin, end - begin), places));
    begin = end + 1;
  }
  return flows;
}

std::optional<Round> next_request(const Round& usual, const std::vector<Place>& places) {
  const auto line = next_line();
  if (!line) return std::nullopt;
  std::istringstream words(*line);
  std::string flows, rest;
  std::int64_t milliseconds = -1, bytes = 0;
  words >> flows >> milliseconds >> bytes;
  if (words.fail() || words >> rest || milliseconds < 0 || milliseconds > 3'600'000 || bytes < 8 ||
      bytes > (1 << 30))
    throw UsageError("the request '" + *line +
                     "'; allowed: flows, milliseconds and bytes of a message, as in 0-1,2-3 150 65536");
  Round round = usual;
  round.flows = parse_flows(flows, places);
  round.shape.message_bytes = bytes;
  round.shape.seconds = static_cast<double>(milliseconds) / 1000;
  if (milliseconds > 0) round.ping.times = 0;
  return round;
}

}  // namespace collio::pingpong
