// What holds for all ranks of a file because rank 0 says so.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "engine/open/discover_network.hpp"
#include "engine/open/ticket.hpp"
#include "machine/machine.hpp"

namespace collio::engine {

/// What rank 0 alone may say: a choice may not rest on what one rank was told, or has seen.
struct FirstWord {
  std::map<std::string, std::string> hints, settings;
  /// of the file as it was there (engine/file/subfiles.hpp)
  std::map<std::string, std::string> found;
  /// with the file's layout
  machine::StorageModel storage;
  NetworkKey network = {};
  Ticket ticket = {};
  /// names the file's plan memory, if it begins a new one
  std::uint64_t memory_token = 0;
  /// of all that write through this open file; 0: none
  std::uint32_t writer_mark = 0;
};

/// Not collective.
[[nodiscard]] std::string text_of(const FirstWord& word);
/// `word`: on rank 0 what the text was made of, which keeps what is not in it. Not collective.
[[nodiscard]] FirstWord word_from(const std::string& text, FirstWord word);

/// Rank 0's word, on all ranks. Collective.
[[nodiscard]] FirstWord share(MPI_Comm comm, FirstWord word);

/// What all ranks bring when a file is opened: rank 0's text, and the crew that each one knows. As words of
/// which the least over all ranks counts.
struct OpenWord {
  static constexpr std::size_t words = 244;
  using Words = std::array<std::int32_t, words>;
  /// Words that say nothing: of a rank that has no crew and is not rank 0.
  [[nodiscard]] static Words none(const CrewId& crew = {});
  /// Rank 0's.
  [[nodiscard]] static Words of(const CrewId& crew, const std::string& text);

  std::string text;
  /// all ranks know the same
  bool same_crew = false;
  /// From the least words; `text`: of rank 0, there. Collective where the text is longer than about 900
  /// bytes.
  OpenWord(const Words& least, std::string text, MPI_Comm comm);
};

}  // namespace collio::engine
