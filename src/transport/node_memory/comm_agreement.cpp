// See comm_agreement.hpp.
#include "transport/node_memory/comm_agreement.hpp"

#include <algorithm>
#include <cstring>

#include "transport/waiting/collectives.hpp"
#include "transport/waiting/communicators.hpp"

namespace collio::transport {

/// As MPI and as a board ask for it.
struct CommAgreement::Combining {
  static void some(void* in, void* inout, int* count, MPI_Datatype*) {
    for (int i = 0; i < *count; ++i) static_cast<Meeting*>(inout)[i].combine(static_cast<Meeting*>(in)[i]);
  }
  static void on_board(const std::byte* in, std::byte* inout, std::size_t) {
    reinterpret_cast<Meeting*>(inout)->combine(*reinterpret_cast<const Meeting*>(in));
  }
};

namespace {

// Of messages between the nodes' first ranks, above those of windows and answers. As on the board, reductions
// of numbers never meet others.
constexpr int tag_calls = 32764, tag_numbers = 32765;

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

/// `combine` of each element on a board's vectors.
template <std::int32_t (*combine)(std::int32_t, std::int32_t)>
void on_board_vector(const std::byte* in, std::byte* inout, std::size_t bytes) {
  const auto* a = reinterpret_cast<const std::int32_t*>(in);
  auto* b = reinterpret_cast<std::int32_t*>(inout);
  for (std::size_t i = 0; i < bytes / sizeof *a; ++i) b[i] = combine(a[i], b[i]);
}

/// visit(part) for each part of at most `most` numbers.
template <class Visit>
void for_parts(std::span<std::int32_t> numbers, std::size_t most, Visit&& visit) {
  for (; !numbers.empty(); numbers = numbers.subspan(std::min(most, numbers.size())))
    visit(numbers.first(std::min(most, numbers.size())));
}

std::int32_t add(std::int32_t a, std::int32_t b) { return a + b; }
std::int32_t most(std::int32_t a, std::int32_t b) { return std::max(a, b); }

}  // namespace

CommAgreement::CommAgreement(MPI_Comm comm) : Agreement(rank_in(comm)), comm_(comm) {
  static_assert(sizeof(Meeting) <= board_record_bytes);
  MPI_Type_contiguous(sizeof(Meeting) / sizeof(std::int64_t), MPI_INT64_T, &type_);
  MPI_Type_commit(&type_);
  MPI_Op_create(Combining::some, 1, &op_);
}

CommAgreement::~CommAgreement() {
  MPI_Type_free(&type_);
  MPI_Op_free(&op_);
}

void CommAgreement::use_node_boards(Nodes nodes, std::size_t longest_vector) {
  const std::size_t longest = std::max(sizeof(Meeting), longest_vector * sizeof(std::int32_t));
  auto board = NodeBoard::make(nodes.here, longest);  // all ranks of the node have it, or none
  nodes_ = std::move(nodes);
  if (several_nodes() ? all_true(board != nullptr, comm_) : board != nullptr) board_ = std::move(board);
}

void CommAgreement::join(Meeting& mine) const {
  if (!board_) return reduce_to_all(&mine, 1, type_, op_, comm_);
  NodeBoard::Across across;
  if (several_nodes())
    across = [&](std::byte* result) {
      reduce_among({comm_, nodes_.leaders, nodes_.index, tag_calls}, {result, sizeof mine},
                   Combining::on_board);
    };
  board_->reduce(NodeBoard::Channel::calls, std::as_writable_bytes(std::span(&mine, 1)), Combining::on_board,
                 across);
}

void CommAgreement::join(std::span<std::int32_t> numbers, Numbers of) const {
  const MPI_Op op = of == Numbers::sums ? MPI_SUM : MPI_MAX;
  const auto combine = of == Numbers::sums ? on_board_vector<add> : on_board_vector<most>;
  const int count = static_cast<int>(numbers.size());
  if (!board_) return reduce_to_all(numbers.data(), count, MPI_INT32_T, op, comm_);
  const auto among_nodes = [&](std::span<std::byte> sums) {
    reduce_among({comm_, nodes_.leaders, nodes_.index, tag_numbers}, sums, combine);
  };
  const std::size_t most_numbers = board_->record_bytes() / sizeof(std::int32_t);
  const auto reduce = [&](std::span<std::int32_t> part, const NodeBoard::Across& across) {
    board_->reduce(NodeBoard::Channel::numbers, std::as_writable_bytes(part), combine, across);
  };
  if (numbers.size() <= most_numbers) {
    NodeBoard::Across across;
    if (several_nodes()) across = [&](std::byte* result) { among_nodes({result, numbers.size_bytes()}); };
    return reduce(numbers, across);
  }
  for_parts(numbers, most_numbers, [&](auto part) { reduce(part, nullptr); });
  if (!several_nodes()) return;
  if (board_->rank() == 0)
    among_nodes(std::as_writable_bytes(numbers));
  else
    std::ranges::fill(numbers, 0);  // or sums of all ranks would be added up once more
  for_parts(numbers, most_numbers, [&](auto part) {
    reduce(part, [&](std::byte* result) { std::memcpy(result, part.data(), part.size_bytes()); });
  });
}

void CommAgreement::join_after(std::span<std::int64_t> maxima) const {
  reduce_to_all(maxima.data(), static_cast<int>(maxima.size()), MPI_INT64_T, MPI_MAX, comm_);
}

void CommAgreement::hear_after(std::span<char> bytes, int rank) const {
  broadcast(bytes.data(), static_cast<int>(bytes.size()), MPI_CHAR, rank, comm_);
}

}  // namespace collio::transport
