// See reception.hpp.
#include "engine/open/reception.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "access/mpi_life.hpp"
#include "core/content_hash.hpp"
#include "core/index.hpp"
#include "engine/open/crew.hpp"
#include "engine/open/known_places.hpp"
#include "engine/open/processors.hpp"
#include "transport/node_memory/comm_agreement.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::engine {

namespace {

using Channel = transport::NodeBoard::Channel;

/// Of a board for openings, and for the calls on the first file: with vectors of an element for each rank.
std::size_t record_bytes(int ranks) {
  return std::max(transport::CommAgreement::board_record_bytes,
                  sizeof(std::int32_t) * (static_cast<std::size_t>(ranks) + 1));
}

std::uint64_t own_host() {
  char host[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(host, &length);
  return core::text_hash({host, static_cast<std::size_t>(length)});
}

/// This process's mask; nothing: it is too long for a hall.
std::optional<std::vector<std::uint64_t>> short_mask() {
  std::vector<std::uint64_t> mask = own_processors();
  while (!mask.empty() && mask.back() == 0) mask.pop_back();
  if (mask.size() > Hall::mask_words) return {};
  return mask;
}

/// What a hall cannot show: nodes that are cut into smaller ones. A program of sessions may have no MPI
/// later.
bool may_share() { return access::has_world() && emulated_nodes_text().empty(); }

void least_words(const std::byte* in, std::byte* inout, std::size_t bytes) {
  const auto* a = reinterpret_cast<const std::int32_t*>(in);
  auto* b = reinterpret_cast<std::int32_t*>(inout);
  for (std::size_t i = 0; i < bytes / sizeof *a; ++i) b[i] = std::min(a[i], b[i]);
}

void either_bytes(const std::byte* in, std::byte* inout, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) inout[i] |= in[i];
}

Hall::Left& left_in(const transport::SharedMemory& memory) {
  return *reinterpret_cast<Hall::Left*>(memory.data() + memory.bytes() - sizeof(Hall::Left));
}

/// Of the first rank's node, in memory that is all zero.
void describe_node(Hall::FirstOnNode& first) {
  const machine::NodeParts& parts = parts_of_node();
  first.facts = facts_of_node({});
  first.fresh = Crew::fresh_id();
  for (const machine::CpuSet& domain : parts.numas) {
    for (std::size_t cpu = 0; cpu < std::min(domain.size(), 64 * Hall::mask_words); ++cpu)
      if (domain[cpu]) first.processors[first.numas][cpu / 64] |= std::uint64_t{1} << cpu % 64;
    ++first.numas;
  }
}

/// The ranks' processors complete what the first rank said.
NodeFacts facts_in(const Hall::Left& left) {
  NodeFacts facts = left.first.facts;
  facts.cores = facts.numas = 0;
  for (const auto& word : left.processors) facts.cores += std::popcount(word.load());
  for (std::int32_t domain = 0; domain < left.first.numas; ++domain) {
    bool has_some = false;
    for (std::size_t i = 0; i < Hall::mask_words; ++i)
      has_some = has_some || (left.first.processors[domain][i] & left.processors[i]) != 0;
    facts.numas += has_some ? 1 : 0;
  }
  facts.cores = std::max(facts.cores, 1);
  facts.numas = std::max(facts.numas, 1);
  return facts;
}

}  // namespace

Hall::Hall(MPI_Comm comm, std::shared_ptr<transport::NodeBoard> board, const Left& left, bool strangers)
    : comm_(comm),
      board_(std::move(board)),
      facts_(facts_in(left)),
      fresh_(left.first.fresh),
      strangers_(strangers) {
  for (std::size_t i = 0; i < ranks_.size(); ++i) ranks_[i] = left.ranks[i];
}

void Hall::hear_first(std::span<std::byte> record) const {
  if (board_->rank() != 0) std::ranges::fill(record, std::byte{0});
  board_->reduce_on(comm_, Channel::opening, record, either_bytes);
}

bool Hall::all_true(bool mine) const {
  std::int32_t all = mine ? 1 : 0;
  board_->reduce_on(comm_, Channel::opening, std::as_writable_bytes(std::span(&all, 1)), least_words);
  return all != 0;
}

Reception::Reception(MPI_Comm comm) noexcept : comm_(comm) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &size_);
  if (size_ == 1) return;
  try {
    met_ = &met_on(comm);
  } catch (const std::bad_alloc&) {  // the first time only, before any rank has met another
  }
}

/// On the first rank.
void Reception::invite() {
  const bool of_use = met_ && (met_->opens > 0 || !held_crew(comm_));
  if (!of_use || size_ > most_ranks || !may_share()) return;
  std::string why;
  const std::size_t bytes =
      (transport::NodeBoard::bytes_for(size_, record_bytes(size_)) + 63) / 64 * 64 + sizeof(Hall::Left);
  memory_ = transport::SharedMemory::create_alone({.bytes = bytes}, door_, why);
  if (!memory_) return;
  invitation_ = {memory_->name(), own_host(), bytes};
}

/// Into the memory, where this rank can and may.
bool Reception::come_in() {
  if (!met_ || invitation_.bytes == 0) return false;
  const auto mask = short_mask();
  std::string why;
  if (rank_ != 0 && mask && may_share() && invitation_.host == own_host())
    memory_ = transport::SharedMemory::join(invitation_.name, invitation_.bytes, why);
  const bool fits = mask && (rank_ != 0 || parts_of_node().numas.size() <= Hall::most_numas);
  if (!fits) memory_.reset();
  if (!memory_) return false;
  Hall::Left& left = left_in(*memory_);
  if (rank_ == 0) describe_node(left.first);  // while the others are on their way
  const auto mine = identity_at(rank_);
  for (std::size_t i = 0; i < mine.size(); ++i) left.ranks[i] += mine[i];
  for (std::size_t i = 0; i < mask->size(); ++i) left.processors[i] |= (*mask)[i];
  return true;
}

void Reception::meet(std::span<std::int32_t> words, const Places& at) {
  words[core::at(at.noted)] = met_ ? 1 : 0;
  if (met_ && met_->board)
    met_->board->reduce_on(comm_, Channel::opening, std::as_writable_bytes(words), least_words);
  else
    meet_by_messages(words, at);
  if (met_ && words[core::at(at.engine)] != 0 && words[core::at(at.noted)] != 0) ++met_->opens;
}

void Reception::meet_by_messages(std::span<std::int32_t> words, const Places& at) {
  // The second open on a communicator gets memory even where its ranks are known: more opens may follow.
  const bool invites = size_ > 1 && (!met_ || met_->opens < 2);
  try {
    if (invites && rank_ == 0) invite();
  } catch (const std::bad_alloc&) {
    invitation_ = {};
  }
  // Opens are counted by agreed words, so all ranks broadcast or none. A rank that lacks memory still takes
  // part in what follows, and says so in its word.
  if (invites) transport::broadcast(&invitation_, invitation_words, MPI_INT, 0, comm_);
  std::shared_ptr<transport::NodeBoard> board;
  const Hall::Left* left = nullptr;
  std::int32_t& in_memory = words[core::at(at.in_memory)];
  try {
    if (come_in()) {
      left = &left_in(*memory_);
      board = std::make_shared<transport::NodeBoard>(transport::NodeBoard::User{comm_, rank_, size_},
                                                     std::move(memory_), record_bytes(size_));
    }
  } catch (const std::bad_alloc&) {
    board.reset();
  }
  constexpr std::int32_t came = 1, came_as_stranger = 2;
  in_memory = !board ? 0 : Crew::any() ? came : came_as_stranger;
  transport::reduce_to_all(words.data(), static_cast<int>(words.size()), MPI_INT32_T, MPI_MIN, comm_);
  door_.close();
  if (size_ == 1 || in_memory == 0 || words[core::at(at.engine)] == 0) return;
  hall_.emplace(comm_, board, *left, in_memory == came_as_stranger);
  met_->board = std::move(board);
}

}  // namespace collio::engine
