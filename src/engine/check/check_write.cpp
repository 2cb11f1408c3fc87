// Bytes that more than one rank writes, or one rank twice, in one call.
//
// The pieces' descriptions go to the aggregators as for a two-phase write, window by window, without their
// data. An aggregator keeps for every unit of a window (the largest that divides all piece ends) which rank
// has it. Memory: 4 bytes a unit of one window, and the messages of a round, one at a time from each rank.
#include "engine/check/check_write.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <new>

#include "core/index.hpp"
#include "engine/two_phase/run_two_phase.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::engine {

using transport::no_round;

namespace {

constexpr std::int64_t window_bytes = 1 << 20;
/// calls of a file
constexpr int most_told = 10;

/// What was found of overlapping bytes.
struct Found {
  std::int64_t bytes = 0;
  /// lowest file offset
  std::int64_t first = policy::Digest::nothing;
  /// two ranks that write it
  std::int32_t ranks[2] = {-1, -1};
  /// a rank has no memory: nothing was looked for
  std::int32_t lacking = 0;
};

/// The call whose pieces are looked at.
struct PieceCall : CollectiveCall {
  Found& found;
  /// of an aggregator: of each unit of a window
  std::vector<std::int32_t> owners;
};

/// This rank as aggregator: which rank has which unit of a window.
class Owners {
 public:
  Owners(CollectiveCall& call, int senders)
      : call_(call),
        found_(static_cast<PieceCall&>(call).found),
        owners_(static_cast<PieceCall&>(call).owners),
        inbox_(call.link, call.link.my_domain, senders, early_),
        own_(call),
        shift_(call.plan.mask_shift) {
    inbox_.announce_own(own_.next_round());
  }

  [[nodiscard]] bool done() const noexcept { return inbox_.round() == no_round; }

  bool advance(PathResult&) {
    bool anything = false;
    if (!open_ && inbox_.round() != no_round) open(), anything = true;
    anything = inbox_.advance([this](transport::Received&& message) {
      take(message.view);
      call_.link.pool->give_back(std::move(message.buffer));
    }) || anything;
    if (!inbox_.round_complete()) return anything;
    inbox_.next_round();
    open_ = false;
    return true;
  }

  bool wait_for_storage(PathResult&) { return false; }
  // Descriptions alone go by messages, never between fences.
  [[nodiscard]] std::int64_t first_round_open() const noexcept { return transport::behind_all_rounds; }
  void fenced(std::int64_t) {}

 private:
  void open() {
    const std::int64_t round = inbox_.round();
    inbox_.open(round);
    window_ = call_.plan.domains.window(call_.link.my_domain, round);
    std::ranges::fill(owners_, 0);
    open_ = true;
    if (own_.next_round() != round) return;
    take(own_.describe());
    inbox_.announce_own(own_.next_round());
  }

  void take(const transport::MessageView& message) {
    core::PackedReader reader = message.reader();
    for (std::int64_t i = 0; i < message.header.items; ++i) {
      const core::Run run = reader.next();
      for (std::int64_t k = 0; k < run.count; ++k)
        take(core::Extent{run.offset + k * run.stride, run.length}, message.header.source);
    }
  }

  /// Owner 0: none; r + 1: rank r; -1: several.
  void take(const core::Extent& piece, std::int32_t rank) {
    const std::int64_t end = (piece.end() - window_.offset) >> shift_;
    for (std::int64_t unit = (piece.offset - window_.offset) >> shift_; unit < end; ++unit) {
      std::int32_t& owner = owners_[core::at(unit)];
      if (owner == 0) {
        owner = rank + 1;
      } else if (owner > 0) {
        const std::int64_t offset = window_.offset + (unit << shift_);
        if (offset < found_.first)
          found_ = {found_.bytes, offset, {std::min(owner - 1, rank), std::max(owner - 1, rank)}, 0};
        found_.bytes += std::int64_t{1} << shift_;
        owner = -1;
      }
    }
  }

  CollectiveCall& call_;
  Found& found_;
  std::vector<std::int32_t>& owners_;
  transport::EarlyMessages early_;
  transport::Inbox inbox_;
  OwnPieces own_;
  int shift_;
  bool open_ = false;
  core::Extent window_;
};

/// Before any message. False: there is no memory.
bool make_owners(PieceCall& call) {
  if (call.link.my_domain < 0 || call.link.my_domain >= call.plan.domains.count) return true;
  try {
    call.owners.resize(static_cast<std::size_t>(call.plan.domains.window_bytes >> call.plan.mask_shift) + 1);
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

/// What was found on any rank, on all. Collective.
void agree(MPI_Comm comm, Found& found) {
  const std::int64_t mine = found.first;
  transport::reduce_to_all(&found.bytes, 1, MPI_INT64_T, MPI_SUM, comm);
  transport::reduce_to_all(&found.first, 1, MPI_INT64_T, MPI_MIN, comm);
  if (mine != found.first) found.ranks[0] = found.ranks[1] = -1;
  std::int32_t most[] = {found.ranks[0], found.ranks[1], found.lacking};
  transport::reduce_to_all(most, 3, MPI_INT32_T, MPI_MAX, comm);
  found.ranks[0] = most[0];
  found.ranks[1] = most[1];
  found.lacking = most[2];
}

/// A plan by which descriptions go to aggregators.
policy::Plan plan_to_look(const File& file, const policy::Digest& digest) {
  policy::Plan plan;
  plan.span = {digest.low, digest.span()};
  const std::int64_t enough = digest.span() / window_bytes + 1;
  const auto aggregators = static_cast<std::int64_t>(file.servers.ranks.size());
  plan.domains =
      policy::cut_evenly({plan.span, static_cast<int>(std::min(aggregators, enough)), 4096, window_bytes});
  plan.mask_shift = std::countr_zero(static_cast<std::uint64_t>(digest.offset_bits) |
                                     static_cast<std::uint64_t>(plan.domains.offset_bits()));
  return plan;
}

/// Pieces in no ascending order are left out.
Found find_overlaps(const Buffers& buffers, const CallRequest& request, const policy::Digest& digest,
                    const access::FileAccess& access) {
  File& file = buffers.ranks.file;
  Found found;
  const policy::Plan plan = plan_to_look(file, digest);
  const access::FileAccess nothing;
  observe::Steps steps;
  observe::Counters counters;
  steps.show(&buffers.ranks.roll.shown());
  transport::Shortage shortage;
  transport::MessageLink link{.comm = buffers.ranks.comm,
                              .rank = file.rank,
                              .aggregators = &file.servers.ranks.get(),
                              .domains = plan.domains.count,
                              .my_domain = file.servers.mine,
                              .budget_bytes = window_bytes,
                              .pool = &buffers.pool,
                              .steps = &steps,
                              .counters = &counters,
                              .node = file.place().seat.node,
                              .homes = &file.servers.homes.get(),
                              .shortage = &shortage};
  PieceCall pieces{
      {{file, plan, access.ascending() ? access : nothing, request.memory, link, steps, counters},
       buffers,
       buffers.ranks},
      found,
      {}};
  if (!make_owners(pieces)) shortage.left_out = true;
  const PathResult moved = run_two_phase<Owners>(pieces, transport::Payload::nothing);
  if (shortage.left_out || moved.outcome.error != 0) found.lacking = 1;
  agree(buffers.ranks.comm, found);
  return found;
}

std::string text_of(const Ranks& ranks, const CallRequest& request, const Found& found,
                    std::int64_t unordered) {
  std::string text;
  if (found.bytes > 0) {
    const bool one = found.ranks[0] == found.ranks[1];
    text = (one ? "rank " + std::to_string(found.ranks[0]) + " writes the same bytes twice"
                : "ranks " + std::to_string(found.ranks[0]) + " and " + std::to_string(found.ranks[1]) +
                      " write the same bytes") +
           ": the first at offset " + std::to_string(found.first) + "; " + std::to_string(found.bytes) +
           " bytes in all have several writers";
  } else if (found.lacking > 0) {
    text = "not checked: a rank has no memory for it";
  } else if (unordered > 0) {
    text = "not checked: file pieces of " + std::to_string(unordered) + " ranks are not in ascending order";
  }
  return text.empty() ? text
                      : ranks.file.path + ": " + request.operation + " (collective call " +
                            std::to_string(ranks.roll.call()) + " on this file): " + text;
}

}  // namespace

core::Error check_write(const Buffers& buffers, const CallRequest& request, const policy::Digest& digest,
                        const access::FileAccess& access) {
  File& file = buffers.ranks.file;
  if (file.settings.hints.check == policy::Check::none || request.direction != policy::Direction::write ||
      digest.bytes == 0 || digest.undescribed > 0)
    return {};
  const Found found = find_overlaps(buffers, request, digest, access);
  const std::string text = text_of(buffers.ranks, request, found, digest.unordered);
  if (text.empty()) return {};
  if (static_cast<int>(file.records.found_by_check.size()) < most_told) {
    file.records.found_by_check.push_back(text);
    if (file.rank == 0) std::fprintf(stderr, "collio: %s\n", text.c_str());
  }
  return found.bytes > 0 && file.settings.hints.check == policy::Check::strict
             ? core::Error{core::ErrorClass::argument, text}
             : core::Error{};
}

}  // namespace collio::engine
