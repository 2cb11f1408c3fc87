// See agreement.hpp.
#include "transport/node_memory/agreement.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "core/shortened.hpp"
#include "transport/waiting/collectives.hpp"
#include "transport/waiting/communicators.hpp"

namespace collio::transport {

namespace {

void combine_outcomes(const Outcome& a, Outcome& b) {
  if (a.error > b.error || (a.error == b.error && a.failed_rank > b.failed_rank)) {
    b.error = a.error;
    b.failed_rank = a.failed_rank;
  }
  b.untiled = std::max(a.untiled, b.untiled);
  b.longest_ns = std::max(a.longest_ns, b.longest_ns);
  b.again = std::max(a.again, b.again);
  b.left_out = std::max(a.left_out, b.left_out);
  b.intact_below = std::min(a.intact_below, b.intact_below);
}

}  // namespace

struct Agreement::Meeting {
  policy::Digest digest;
  Outcome outcome;
  std::array<std::int64_t, most_numbers> most{};  ///< of each, the largest over ranks

  void combine(const Meeting& other) {
    digest.combine(other.digest);
    combine_outcomes(other.outcome, outcome);
    for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], other.most[i]);
  }
  static void combine_some(void* in, void* inout, int* count, MPI_Datatype*) {
    for (int i = 0; i < *count; ++i) static_cast<Meeting*>(inout)[i].combine(static_cast<Meeting*>(in)[i]);
  }
  static void combine_on_board(const std::byte* in, std::byte* inout, std::size_t) {
    reinterpret_cast<Meeting*>(inout)->combine(*reinterpret_cast<const Meeting*>(in));
  }
};

namespace {

/// `combine` of each element on a board's vectors.
template <std::int32_t (*combine)(std::int32_t, std::int32_t)>
void on_board_vector(const std::byte* in, std::byte* inout, std::size_t bytes) {
  const auto* a = reinterpret_cast<const std::int32_t*>(in);
  auto* b = reinterpret_cast<std::int32_t*>(inout);
  for (std::size_t i = 0; i < bytes / sizeof *a; ++i) b[i] = combine(a[i], b[i]);
}

std::int32_t add(std::int32_t a, std::int32_t b) { return a + b; }
std::int32_t most(std::int32_t a, std::int32_t b) { return std::max(a, b); }

}  // namespace

Agreement::Agreement(MPI_Comm comm) : comm_(comm) {
  static_assert(sizeof(Meeting) <= board_record_bytes);
  MPI_Comm_rank(comm, &rank_);
  MPI_Type_contiguous(sizeof(Meeting) / sizeof(std::int64_t), MPI_INT64_T, &type_);
  MPI_Type_commit(&type_);
  MPI_Op_create(Meeting::combine_some, 1, &op_);
}

Agreement::~Agreement() {
  board_.reset();
  for (MPI_Comm* leaders : {&leaders_, &leaders_numbers_})
    if (*leaders != MPI_COMM_NULL) MPI_Comm_free(leaders);
  MPI_Type_free(&type_);
  MPI_Op_free(&op_);
}

void Agreement::use_node_boards(MPI_Comm node, const std::vector<int>& leaders, std::size_t longest_vector) {
  const std::size_t longest = std::max(sizeof(Meeting), longest_vector * sizeof(std::int32_t));
  auto board = NodeBoard::make(node, longest);  // all ranks of the node have it, or none
  int node_rank = 0;
  MPI_Comm_rank(node, &node_rank);
  several_nodes_ = leaders.size() > 1;
  if (several_nodes_ && node_rank == 0) {
    leaders_ = of_ranks(comm_, leaders);
    if (leaders_ != MPI_COMM_NULL) leaders_numbers_ = duplicate(leaders_);
    for (const MPI_Comm own : {leaders_, leaders_numbers_})
      if (own != MPI_COMM_NULL) end_on_errors(own);
  }
  const bool talk = !several_nodes_ || node_rank != 0 || leaders_numbers_ != MPI_COMM_NULL;
  if (several_nodes_ ? !all_true(board && talk, comm_) : !board) return;
  board_ = std::move(board);
}

core::Error Agreement::meet(Meeting& meeting) const {
  meeting.digest.set_call(here_.kind, here_.form);
  if (!board_) {
    reduce_to_all(&meeting, 1, type_, op_, comm_);
  } else {
    NodeBoard::Across across;
    if (several_nodes_) across = [&](std::byte* result) { reduce_to_all(result, 1, type_, op_, leaders_); };
    board_->reduce(NodeBoard::Channel::calls, std::as_writable_bytes(std::span(&meeting, 1)),
                   Meeting::combine_on_board, across);
  }
  return meeting.digest.same_call() ? core::Error{} : different_calls(meeting.digest);
}

/// Of the calls of the greatest and of the least kind, the lowest rank in each.
core::Error Agreement::different_calls(const policy::Digest& all) const {
  constexpr std::int64_t none = std::numeric_limits<std::int32_t>::min();
  std::int64_t ranks[] = {here_.kind == all.call_high ? -rank_ : none,
                          here_.kind == -all.call_low ? -rank_ : none};
  reduce_to_all(ranks, 2, MPI_INT64_T, MPI_MAX, comm_);
  std::string text = (here_.file ? *here_.file + ": " : "") + "ranks make different collective calls";
  const char* before = ": ";
  for (const std::int64_t negative : ranks) {
    CallHere there = here_;
    broadcast(there.name, sizeof there.name, MPI_CHAR, static_cast<int>(-negative), comm_);
    text += before + ("rank " + std::to_string(-negative)) + " calls " + there.name;
    before = ", ";
  }
  return {core::ErrorClass::not_same, text};
}

core::Error Agreement::digest(policy::Digest& digest, Outcome& ahead) const {
  Meeting all{digest, ahead};
  core::Error error = meet(all);
  digest = all.digest;
  ahead = all.outcome;
  return error;
}

void Agreement::outcome(Outcome& outcome) const {
  Meeting all{{}, outcome};
  static_cast<void>(meet(all));
  outcome = all.outcome;
}

std::int64_t Agreement::least(std::int64_t mine) const {
  Outcome o;
  o.intact_below = mine;
  outcome(o);
  return o.intact_below;
}

core::Error Agreement::worst(const core::Error& mine, const std::string& what) const {
  return worst(mine, what, {});
}

core::Error Agreement::error_of(std::int64_t kind, std::int64_t rank, const core::Error& mine,
                                const std::string& what) const {
  if (static_cast<core::ErrorClass>(kind) == mine.kind) return mine;
  return {static_cast<core::ErrorClass>(kind), "rank " + std::to_string(rank) + " " + what};
}

core::Error Agreement::worst(const core::Error& mine, const std::string& what,
                             std::span<std::int64_t> more) const {
  Meeting all;
  all.outcome.error = static_cast<std::int64_t>(mine.kind);
  all.outcome.failed_rank = mine.ok() ? -1 : rank_;
  std::ranges::copy(more, all.most.begin());
  if (core::Error error = meet(all); !error.ok()) return error;
  std::copy_n(all.most.begin(), more.size(), more.begin());
  return error_of(all.outcome.error, all.outcome.failed_rank, mine, what);
}

std::string Agreement::words_of(std::int64_t rank, std::string mine) const {
  constexpr std::size_t most = 400;
  mine = core::shortened(mine, most - 1);
  mine.resize(most);
  broadcast(mine.data(), static_cast<int>(mine.size()), MPI_CHAR, static_cast<int>(rank), comm_);
  return "rank " + std::to_string(rank) + ": " + mine.c_str();
}

void Agreement::combine_numbers(std::vector<std::int32_t>& numbers, MPI_Op op,
                                NodeBoard::Combine on_board) const {
  const std::span<std::byte> values = std::as_writable_bytes(std::span(numbers));
  const int count = static_cast<int>(numbers.size());
  if (!board_ || values.size() > board_->record_bytes())
    return reduce_to_all(values.data(), count, MPI_INT32_T, op, comm_);
  NodeBoard::Across across;
  if (several_nodes_)
    across = [&](std::byte* result) { reduce_to_all(result, count, MPI_INT32_T, op, leaders_numbers_); };
  board_->reduce(NodeBoard::Channel::numbers, values, on_board, across);
}

void Agreement::sum(std::vector<std::int32_t>& counts) const {
  combine_numbers(counts, MPI_SUM, on_board_vector<add>);
}

void Agreement::maximum(std::vector<std::int32_t>& values) const {
  combine_numbers(values, MPI_MAX, on_board_vector<most>);
}

}  // namespace collio::transport
