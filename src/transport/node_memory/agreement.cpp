// See agreement.hpp.
#include "transport/node_memory/agreement.hpp"

#include <algorithm>

#include "core/shortened.hpp"
#include "transport/waiting/collectives.hpp"
#include "transport/waiting/communicators.hpp"

namespace collio::transport {

namespace {

void combine_outcomes(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* a = static_cast<const Outcome*>(in);
  auto* b = static_cast<Outcome*>(inout);
  for (int i = 0; i < *count; ++i) {
    if (a[i].error > b[i].error || (a[i].error == b[i].error && a[i].failed_rank > b[i].failed_rank)) {
      b[i].error = a[i].error;
      b[i].failed_rank = a[i].failed_rank;
    }
    b[i].untiled = std::max(a[i].untiled, b[i].untiled);
    b[i].longest_ns = std::max(a[i].longest_ns, b[i].longest_ns);
    b[i].again = std::max(a[i].again, b[i].again);
    b[i].left_out = std::max(a[i].left_out, b[i].left_out);
    b[i].intact_below = std::min(a[i].intact_below, b[i].intact_below);
  }
}

struct Beginning {
  policy::Digest digest;
  Outcome ahead;
};

static_assert(sizeof(Beginning) <= Agreement::board_record_bytes);

void combine_beginnings(void* in, void* inout, int* count, MPI_Datatype*) {
  auto* a = static_cast<Beginning*>(in);
  auto* b = static_cast<Beginning*>(inout);
  int one = 1;
  for (int i = 0; i < *count; ++i) {
    b[i].digest.combine(a[i].digest);
    combine_outcomes(&a[i].ahead, &b[i].ahead, &one, nullptr);
  }
}

/// One of the operations above on a board's records.
template <class T, MPI_User_function* combine>
void on_board(const std::byte* in, std::byte* inout, std::size_t) {
  int one = 1;
  combine(const_cast<std::byte*>(in), inout, &one, nullptr);
}

/// `add` or `most` of each element on a board's vectors.
template <class Int, Int (*combine)(Int, Int)>
void on_board_vector(const std::byte* in, std::byte* inout, std::size_t bytes) {
  const auto* a = reinterpret_cast<const Int*>(in);
  auto* b = reinterpret_cast<Int*>(inout);
  for (std::size_t i = 0; i < bytes / sizeof *a; ++i) b[i] = combine(a[i], b[i]);
}

std::int32_t add(std::int32_t a, std::int32_t b) { return a + b; }
template <class Int>
Int most(Int a, Int b) {
  return std::max(a, b);
}

}  // namespace

Agreement::Record Agreement::make(std::size_t bytes, MPI_User_function* combine, NodeBoard::Channel channel) {
  Record r;
  r.channel = channel;
  MPI_Type_contiguous(static_cast<int>(bytes / sizeof(std::int64_t)), MPI_INT64_T, &r.type);
  MPI_Type_commit(&r.type);
  MPI_Op_create(combine, 1, &r.op);
  return r;
}

Agreement::Agreement(MPI_Comm comm)
    : comm_(comm),
      digest_(make(sizeof(Beginning), combine_beginnings, NodeBoard::Channel::digest)),
      outcome_(make(sizeof(Outcome), combine_outcomes, NodeBoard::Channel::outcome)) {
  MPI_Comm_rank(comm, &rank_);
}

Agreement::~Agreement() {
  board_.reset();
  for (MPI_Comm* leaders : {&leaders_, &leaders_numbers_})
    if (*leaders != MPI_COMM_NULL) MPI_Comm_free(leaders);
  for (Record* r : {&digest_, &outcome_}) {
    MPI_Type_free(&r->type);
    MPI_Op_free(&r->op);
  }
}

void Agreement::use_node_boards(MPI_Comm node, const std::vector<int>& leaders, std::size_t longest_vector) {
  const std::size_t longest =
      std::max({sizeof(Beginning), sizeof(Outcome), longest_vector * sizeof(std::int32_t)});
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

template <class T>
void Agreement::combine(T& record, const Record& how, NodeBoard::Combine on_board) const {
  if (!board_) return reduce_to_all(&record, 1, how.type, how.op, comm_);
  NodeBoard::Across across;
  if (several_nodes_)
    across = [&](std::byte* result) { reduce_to_all(result, 1, how.type, how.op, leaders_); };
  board_->reduce(how.channel, std::as_writable_bytes(std::span(&record, 1)), on_board, across);
}

void Agreement::digest(policy::Digest& digest, Outcome& ahead) const {
  Beginning all{digest, ahead};
  combine(all, digest_, on_board<Beginning, combine_beginnings>);
  digest = all.digest;
  ahead = all.ahead;
}

void Agreement::outcome(Outcome& outcome) const {
  combine(outcome, outcome_, on_board<Outcome, combine_outcomes>);
}

std::int64_t Agreement::least(std::int64_t mine) const {
  Outcome o;
  o.intact_below = mine;
  outcome(o);
  return o.intact_below;
}

core::Error Agreement::worst(const core::Error& mine, const std::string& what) const {
  Outcome o;
  o.error = static_cast<std::int64_t>(mine.kind);
  o.failed_rank = mine.ok() ? -1 : rank_;
  outcome(o);
  return error_of(o.error, o.failed_rank, mine, what);
}

core::Error Agreement::error_of(std::int64_t kind, std::int64_t rank, const core::Error& mine,
                                const std::string& what) const {
  if (static_cast<core::ErrorClass>(kind) == mine.kind) return mine;
  return {static_cast<core::ErrorClass>(kind), "rank " + std::to_string(rank) + " " + what};
}

core::Error Agreement::worst(const core::Error& mine, const std::string& what,
                             std::span<std::int64_t> more) const {
  std::vector<std::int64_t> values(more.begin(), more.end());
  // The kind counts first, then the rank.
  values.push_back(static_cast<std::int64_t>(mine.kind) << 32 | (mine.ok() ? 0 : rank_));
  combine_numbers(std::as_writable_bytes(std::span(values)), MPI_INT64_T, MPI_MAX,
                  on_board_vector<std::int64_t, most>);
  const std::int64_t error = values.back();
  std::copy_n(values.begin(), more.size(), more.begin());
  return error_of(error >> 32, error & 0xffffffff, mine, what);
}

std::string Agreement::words_of(std::int64_t rank, std::string mine) const {
  constexpr std::size_t most = 400;
  mine = core::shortened(mine, most - 1);
  mine.resize(most);
  broadcast(mine.data(), static_cast<int>(mine.size()), MPI_CHAR, static_cast<int>(rank), comm_);
  return "rank " + std::to_string(rank) + ": " + mine.c_str();
}

void Agreement::combine_numbers(std::span<std::byte> values, MPI_Datatype type, MPI_Op op,
                                NodeBoard::Combine on_board) const {
  const std::size_t each = type == MPI_INT64_T ? sizeof(std::int64_t) : sizeof(std::int32_t);
  const int count = static_cast<int>(values.size() / each);
  if (!board_ || values.size() > board_->record_bytes())
    return reduce_to_all(values.data(), count, type, op, comm_);
  NodeBoard::Across across;
  if (several_nodes_)
    across = [&](std::byte* result) { reduce_to_all(result, count, type, op, leaders_numbers_); };
  board_->reduce(NodeBoard::Channel::numbers, values, on_board, across);
}

void Agreement::sum(std::vector<std::int32_t>& counts) const {
  combine_numbers(std::as_writable_bytes(std::span(counts)), MPI_INT32_T, MPI_SUM,
                  on_board_vector<std::int32_t, add>);
}

void Agreement::maximum(std::vector<std::int32_t>& values) const {
  combine_numbers(std::as_writable_bytes(std::span(values)), MPI_INT32_T, MPI_MAX,
                  on_board_vector<std::int32_t, most>);
}

}  // namespace collio::transport
