// How data gets between a rank and an aggregator's collective buffer in two_phase.
//
// Feki and Gabriel ("On Overlapping Communication and File I/O in Collective Write Operation", 2020) compare
// messages with one-sided transfers that end with fences or with locks. The engine does all three
// (transport/one_sided/remote_buffers.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "policy/hints/hints.hpp"
#include "policy/plan/digest.hpp"

namespace collio::policy {

/// What settled the transfers.
enum class WhyTransfer {
  /// messages were wanted
  two_sided,
  /// messages, until others are tried
  before_trials,
  hint,
  trials,
  /// messages, although one-sided transfers were wanted: there is nobody to transfer to
  one_rank,
  /// messages, as a fence or flush would block the program
  on_fibers,
  /// messages, as MPI has no window for the buffers
  no_window,
};

/// Why MPI has no window for the aggregators' buffers.
enum class NoWindow {
  /// it has, or nobody asked
  no,
  /// many files are open, and this one borrows communicators
  for_borrowed_line,
  /// MPI says why
  refused,
};

/// What a call's transfers are, and why.
struct Transfers {
  Transfer by = Transfer::two_sided;
  /// One-sided: a round's data goes so where its pieces are no shorter than this on average, else with their
  /// description.
  std::int64_t shortest_piece_bytes = 1;
  WhyTransfer why = WhyTransfer::two_sided;
  Transfer wanted = Transfer::two_sided;
  /// `why` is no_window
  NoWindow no_window = NoWindow::no;
  /// of the window, by MPI
  std::string refusal;
};

/// What else the choice rests on.
struct TransferRequest {
  const Digest& digest;
  int ranks = 1;
  Transfer wanted = Transfer::two_sided;
  NoWindow no_window = NoWindow::no;
  const std::string& refusal;
};

/// What is wanted, unless the call cannot have it: then two_sided, and the reason says so. Pure.
[[nodiscard]] Transfers choose_transfers(const TransferRequest& request, const Hints& hints);

/// "; transfers: lock, asked for by hint"; for the report.
[[nodiscard]] std::string transfers_text(const Transfers& transfers);

}  // namespace collio::policy
