// See transfer.hpp.
#include "policy/transfer.hpp"

namespace collio::policy {

namespace {

/// Why a call must do with messages; empty: it need not.
std::string against_one_sided(const TransferRequest& r) {
  if (r.ranks == 1) return "there is one rank";
  if (r.digest.on_fibers > 0)
    return "the call shares the thread with the program, which a fence or flush would block";
  return r.no_windows;
}

}  // namespace

Transfers choose_transfers(const TransferRequest& request, const Hints& hints) {
  if (request.wanted == Transfer::automatic) return {Transfer::two_sided, 1, "to begin with"};
  if (request.wanted == Transfer::two_sided) return {Transfer::two_sided, 1, ""};
  if (std::string against = against_one_sided(request); !against.empty())
    return {Transfer::two_sided, 1, "not " + std::string(name_of(request.wanted)) + ": " + against};
  return {request.wanted, hints.transfer_piece_bytes,
          request.wanted == hints.transfer ? "asked for by hint" : "by trials"};
}

std::string transfers_text(const Transfers& t) {
  std::string text = "; transfers: ";
  text += name_of(t.by);
  if (!t.reason.empty()) text += ", " + t.reason;
  return text;
}

}  // namespace collio::policy
