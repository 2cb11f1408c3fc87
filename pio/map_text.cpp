// See map_text.hpp.
#include "map_text.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>

#include "file.hpp"

namespace collio::pio {

namespace {

constexpr std::size_t most_letters = 64;  // of a word or line that is looked at
constexpr const char* checksums_line = "collio checksums";

bool is_space(int letter) { return letter == ' ' || (letter >= '\t' && letter <= '\r'); }

void append(std::string& text, long long number, char end) {
  char room[24];
  const auto done = std::to_chars(room, room + sizeof room, number);
  text.append(room, done.ptr);
  text += end;
}

std::string rank_name(int rank) { return "of rank " + std::to_string(rank); }

}  // namespace

std::string head_text(const MapHead& head) {
  std::string text = "version " + std::to_string(map_version) + " npes " + std::to_string(head.ranks) +
                     " ndims " + std::to_string(head.lengths.size()) + " \n";
  for (const int length : head.lengths) append(text, length, ' ');
  return text + "\n";
}

std::string map_text(int rank, long long count, const PIO_Offset* map) {
  std::string text = std::to_string(rank) + " " + std::to_string(count) + "\n";
  for (long long i = 0; i < count; ++i) append(text, map[i], ' ');
  return text + "\n";
}

std::string checksum_text(std::uint64_t checksum) {
  char text[20];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(checksum));
  return text;
}

std::string damage_text(int rank, const std::string& found, const std::string& expected) {
  return "the map " + rank_name(rank) + " is damaged: its checksum is " + found + "; allowed: " + expected;
}

std::string end_text(const int* ioid, const std::vector<std::uint64_t>& checksums) {
  std::string text = "\nObtained 0 stack frames.\n";
  if (ioid) text += "ioid\t" + std::to_string(*ioid) + "\n";
  text += std::string(checksums_line) + "\n";
  for (std::size_t rank = 0; rank < checksums.size(); ++rank)
    text += std::to_string(rank) + " " + checksum_text(checksums[rank]) + "\n";
  return text;
}

MapReader::MapReader(const char* function, const char* path)
    : what_(function + quoted(path)), file_(std::fopen(path, "r")) {
  if (file_) return;
  opened_ = errno == ENOENT ? netcdf_failure(NC_ENOENT, what_)
                            : Failure{PIO_EIO, what_ + ": " + std::strerror(errno)};
}

std::string MapReader::word() {
  std::string found;
  int letter = std::getc(file_.get());
  while (is_space(letter)) letter = std::getc(file_.get());
  for (; letter != EOF && !is_space(letter) && found.size() < most_letters; letter = std::getc(file_.get()))
    found += static_cast<char>(letter);
  return found;
}

/// Without its end.
std::string MapReader::line() {
  std::string found;
  int letter = std::getc(file_.get());
  for (; letter != EOF && letter != '\n'; letter = std::getc(file_.get()))
    if (found.size() < most_letters) found += static_cast<char>(letter);
  return found;
}

Failure MapReader::expect(const char* wanted) {
  const std::string found = word();
  if (found == wanted) return {};
  return {PIO_EINVAL,
          what_ + ": it has \"" + found + "\" where a decomposition of PIO has \"" + wanted + "\""};
}

Failure MapReader::number(const std::string& name, Range allowed, long long& value) {
  const std::string found = word();
  if (found.empty())
    return {std::ferror(file_.get()) ? PIO_EIO : PIO_EINVAL, what_ + ": the file ends before " + name};
  if (std::feof(file_.get()))  // it may have had more digits
    return {PIO_EINVAL, what_ + ": the file ends in " + name + ", after \"" + found + "\""};
  const auto done = std::from_chars(found.data(), found.data() + found.size(), value);
  const bool whole = done.ec == std::errc{} && done.ptr == found.data() + found.size();
  if (whole && value >= allowed.least && value <= allowed.most) return {};
  return {PIO_EINVAL, what_ + ": " + name + " is " + found + "; allowed: " + std::to_string(allowed.least) +
                          (allowed.least == allowed.most ? "" : " to " + std::to_string(allowed.most))};
}

Failure MapReader::read_head(int most_ranks, MapHead& head) {
  if (opened_) return opened_;
  long long version = 0, ranks = 0, dims = 0;
  Failure failure = expect("version");
  if (!failure) failure = number("version", {map_version, map_version}, version);
  if (!failure) failure = expect("npes");
  if (!failure) failure = number("npes", {1, std::numeric_limits<int>::max()}, ranks);
  if (!failure && ranks > most_ranks)
    failure = {PIO_EINVAL, what_ + ": it has the maps of " + std::to_string(ranks) +
                               " ranks, and the communicator has " + std::to_string(most_ranks) +
                               "; allowed: as many ranks in the file, or fewer"};
  if (!failure) failure = expect("ndims");
  if (!failure) failure = number("ndims", {1, NC_MAX_DIMS}, dims);
  if (!failure) head.ranks = static_cast<int>(ranks);
  elements_ = 1;
  for (long long d = 0; d < dims && !failure; ++d) {
    const std::string name = "the length of dimension " + std::to_string(d);
    long long length = 0;
    failure = number(name, {1, std::numeric_limits<int>::max()}, length);
    if (!failure && __builtin_mul_overflow(elements_, length, &elements_))
      failure = {PIO_EINVAL, what_ + ": the array has more than 2^63 elements"};
    head.lengths.push_back(static_cast<int>(length));
  }
  head_ = head;
  return failure;
}

Failure MapReader::read_map(std::vector<PIO_Offset>& map) {
  const int rank = static_cast<int>(checksums_.size());
  long long found = 0, count = 0;
  map.clear();
  Failure failure = number("the number " + rank_name(rank) + "'s map", {rank, rank}, found);
  if (!failure)
    failure = number("the length " + rank_name(rank) + "'s map", {0, std::numeric_limits<int>::max()}, count);
  const std::string name = "an element " + rank_name(rank);
  // Whatever the file says of its length, there is no more memory than it has numbers.
  for (long long i = 0; i < count && !failure; ++i) {
    failure = number(name, {std::numeric_limits<long long>::min(), elements_}, found);
    map.push_back(found);
  }
  if (failure && count > 0)
    failure.text += " (element " + std::to_string(map.size()) + " of " + std::to_string(count) + ")";
  checksums_.push_back(map_checksum(head_, rank, static_cast<long long>(map.size()), map.data()));
  return failure;
}

Failure MapReader::read_end() {
  std::string found;
  do {
    found = line();
    if (!found.empty() &&
        std::all_of(found.begin(), found.end(),
                    [](char letter) { return is_space(letter) || (letter >= '0' && letter <= '9'); }) &&
        found.find_first_not_of(" \t\r") != std::string::npos)
      return {PIO_EINVAL, what_ + ": numbers come after the last map, " +
                              rank_name(static_cast<int>(checksums_.size()) - 1) + ": \"" + found +
                              "\"; allowed: none, or the line \"" + checksums_line + "\" before them"};
  } while (found != checksums_line && !std::feof(file_.get()));
  if (found != checksums_line) return std::ferror(file_.get()) ? Failure{PIO_EIO, what_} : Failure{};
  for (std::size_t i = 0; i < checksums_.size(); ++i) {
    const int rank = static_cast<int>(i);
    long long number_of_map = 0;
    const Failure failure =
        number("the number " + rank_name(rank) + "'s checksum", {rank, rank}, number_of_map);
    if (failure) return failure;
    const std::string expected = word(), sum = checksum_text(checksums_[i]);
    if (sum != expected) return {PIO_EINVAL, what_ + ": " + damage_text(rank, sum, expected)};
  }
  return {};
}

}  // namespace collio::pio
