// See line.hpp.
#include "engine/open/line.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/open/known_places.hpp"
#include "engine/open/pooled.hpp"
#include "machine/emulated_nodes.hpp"
#include "transport/node_memory/comm_agreement.hpp"
#include "transport/waiting/collectives.hpp"
#include "transport/waiting/communicators.hpp"
#include "transport/waiting/waiting.hpp"

namespace collio::engine {

namespace {

/// Elements of a sum or maximum that go by a board at once.
constexpr int most_on_board = 1024;

/// The ranks of this rank's node, in their order. Collective over the node where all nodes' ranks are evenly
/// spaced, else over `comm`.
MPI_Comm node_of(MPI_Comm comm, const Place& place) {
  if (!place.even()) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return transport::split(comm, place.seat.node, rank);
  }
  const transport::NodeRanks& node = place.ranks[core::at(place.seat.node)];
  std::vector<int> ranks;
  for (int i = 0; i < node.count; ++i) ranks.push_back(node.first + i * node.stride);
  return transport::of_ranks(comm, ranks);
}

core::Error wrong_elsewhere() {
  return {core::ErrorClass::argument, "COLLIO_RANKS_PER_NODE is not valid on another rank"};
}

core::Error no_communicator() {
  return {core::ErrorClass::other, "MPI gave no communicator for collio's own messages"};
}

}  // namespace

core::Error Line::set_up_in(const Hall& hall, MPI_Comm parent) {
  transport::Duplicate duplicate(parent);
  if (!hall.all_true(duplicate.begun())) return no_communicator();
  node = comm = duplicate.finish();
  hall.board()->set_comm(comm);
  auto by_board = std::make_unique<transport::CommAgreement>(comm);
  by_board->use_board(hall.board());
  agreement = std::move(by_board);
  return {};
}

core::Error Line::set_up(MPI_Comm parent, std::optional<Place>& place) {
  const core::Error none = no_communicator();
  const auto emulated = machine::read_emulated_nodes(emulated_nodes_text());
  comm = transport::duplicate(parent);
  const MPI_Comm shared = place ? MPI_COMM_NULL : ranks_that_share_memory(parent);
  int good[] = {emulated ? 1 : 0, comm != MPI_COMM_NULL && (place || shared != MPI_COMM_NULL) ? 1 : 0};
  transport::reduce_to_all(good, 2, MPI_INT, MPI_MIN, parent);
  if (!good[1]) return none;
  if (!good[0]) {
    for (MPI_Comm made : {comm, shared})
      if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
    return emulated ? wrong_elsewhere() : emulated.error();
  }
  if (!place && !(place = discover(comm, shared, emulated.value()))) return none;
  node = std::exchange(place->node, MPI_COMM_NULL);
  if (shared == MPI_COMM_NULL) {
    const bool one_node = place->machine.nodes.size() == 1;
    node = one_node ? comm : node_of(comm, *place);
    if (!one_node && !transport::all_true(node != MPI_COMM_NULL, comm)) return none;
  }
  auto ours = std::make_unique<transport::CommAgreement>(comm);
  const int ranks = place->machine.ranks();
  if (ranks > static_cast<int>(place->machine.nodes.size())) {
    core::SharedList<int> leaders(place->leaders());
    pool(leaders);
    ours->use_node_boards({node, leaders, place->seat.node},
                          static_cast<std::size_t>(std::min(ranks + 1, most_on_board)));
  }
  agreement = std::move(ours);
  return {};
}

core::Result<std::unique_ptr<Line>> Line::make(MPI_Comm comm, std::optional<Place>& place, const Hall* hall) {
  std::unique_ptr<Line> line(new Line);
  const transport::ErrorsReturn quiet(comm);
  if (core::Error error = hall ? line->set_up_in(*hall, comm) : line->set_up(comm, place); !error.ok()) {
    line->comm = line->node =
        MPI_COMM_NULL;  // freeing is collective: where a rank has none, the others keep theirs
    return error;
  }
  transport::end_on_errors(line->comm);
  if (line->node != line->comm) transport::end_on_errors(line->node);
  return line;
}

Line::~Line() {
  agreement.reset();
  if (node != MPI_COMM_NULL && node != comm) MPI_Comm_free(&node);
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

void Line::take() noexcept {
  for (transport::PoliteWait wait; !try_take();) wait.idle();
}

}  // namespace collio::engine
