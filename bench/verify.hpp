// Filling buffers and files with the expected bytes and checking them, by plain POSIX calls: independent of
// what is measured. Files that collio keeps in subfiles are read by MPI: no other call sees their bytes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "pattern.hpp"

namespace collio::bench {

/// The part of a file that one rank checks or prepares, bytes from the start of the step.
struct Share {
  std::int64_t begin;
  std::int64_t end;
};

/// What the file holds in one time step: every rank's extents, sorted, and how far behind them the step lies.
struct StepImage {
  std::span<const Extent> covered;
  std::int64_t shift;  // bytes
};

/// What a check found. A hole that is not zero is counted apart: some MPI libraries' own I/O leaves other
/// bytes there.
struct Findings {
  std::int64_t wrong_bytes = 0;
  std::int64_t wrong_hole_bytes = 0;
  std::string text;  // the first difference, or why the file could not be read; empty: all well
};

/// Room for checking, allocated once, so that it does not count as an operation's memory.
struct Scratch {
  Scratch() : seen(chunk_bytes), wanted(chunk_bytes) {}
  static constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
  std::vector<unsigned char> seen;
  std::vector<unsigned char> wanted;
};

/// Joined extents of a pattern (all ranks'), for checking its holes too. Sorted.
[[nodiscard]] std::vector<Extent> joined_extents(const Pattern& pattern);
[[nodiscard]] std::int64_t covered_bytes(std::span<const Extent> covered);

/// Fill, or count wrong bytes in, a rank's buffer for the step that lies `shift` bytes behind the first. Gaps
/// of the buffer hold `blank_byte`; other bytes there are wrong. Not collective.
void fill_buffer(const Pattern& pattern, std::int64_t shift, std::span<unsigned char> buffer);
[[nodiscard]] std::int64_t wrong_in_buffer(const Pattern& pattern, std::int64_t shift,
                                           std::span<const unsigned char> buffer);

/// Whether collio keeps the file in subfiles.
[[nodiscard]] bool is_in_subfiles(const std::string& path);

/// Read a share of a step from the file and compare every byte: content where covered, zero in holes.
[[nodiscard]] Findings check_file(const std::string& path, StepImage image, Share share, Scratch& scratch);

/// Write a share of a step as a right program would have left it. Returns an error text or nothing.
[[nodiscard]] std::string prepare_file(const std::string& path, StepImage image, Share share,
                                       Scratch& scratch);

}  // namespace collio::bench
