// See transfer.hpp.
#include "policy/plan/transfer.hpp"

#include <optional>

namespace collio::policy {

namespace {

/// Why a call must do with messages; none: it need not.
std::optional<WhyTransfer> against_one_sided(const TransferRequest& r) {
  if (r.ranks == 1) return WhyTransfer::one_rank;
  if (r.digest.on_fibers > 0) return WhyTransfer::on_fibers;
  if (r.no_window != NoWindow::no) return WhyTransfer::no_window;
  return std::nullopt;
}

std::string why_text(const Transfers& t) {
  const std::string instead = "not " + std::string(name_of(t.wanted)) + ": ";
  switch (t.why) {
    case WhyTransfer::two_sided:
      return "";
    case WhyTransfer::before_trials:
      return "before trials";
    case WhyTransfer::hint:
      return "asked for by hint";
    case WhyTransfer::trials:
      return "by trials";
    case WhyTransfer::one_rank:
      return instead + "there is one rank";
    case WhyTransfer::on_fibers:
      return instead + "a fence or flush would block the program, as the call runs on its thread";
    case WhyTransfer::no_window:
      return instead + (t.no_window == NoWindow::refused
                            ? t.refusal
                            : "many files are open, and this one borrows communicators");
  }
  return "?";
}

}  // namespace

Transfers choose_transfers(const TransferRequest& request, const Hints& hints) {
  const Transfer wanted = request.wanted;
  Transfers messages{.wanted = wanted};
  if (wanted == Transfer::two_sided) return messages;
  if (wanted == Transfer::automatic) {
    messages.why = WhyTransfer::before_trials;
    return messages;
  }
  if (const auto against = against_one_sided(request)) {
    messages.why = *against;
    if (*against == WhyTransfer::no_window) {
      messages.no_window = request.no_window;
      messages.refusal = request.refusal;
    }
    return messages;
  }
  return {.by = wanted,
          .shortest_piece_bytes = hints.transfer_piece_bytes,
          .why = wanted == hints.transfer ? WhyTransfer::hint : WhyTransfer::trials,
          .wanted = wanted};
}

std::string transfers_text(const Transfers& t) {
  std::string text = "; transfers: ";
  text += name_of(t.by);
  const std::string why = why_text(t);
  return why.empty() ? text : text + ", " + why;
}

}  // namespace collio::policy
