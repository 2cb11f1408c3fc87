// What every part of an exchange needs to talk: the communicator, buffers, and the books.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <vector>

#include "core/index.hpp"
#include "observe/steps.hpp"
#include "transport/messages/buffer_pool.hpp"
#include "transport/messages/shortage.hpp"

namespace collio::transport {

class RemoteBuffers;

/// Bytes that a rank has sent to nodes: O(nodes it sends to).
class SentBytes {
 public:
  struct Entry {
    int node = 0;
    std::int64_t bytes = 0;
  };
  void add(int node, std::int64_t bytes) {
    const auto at = std::ranges::lower_bound(entries_, node, {}, &Entry::node);
    if (at != entries_.end() && at->node == node)
      at->bytes += bytes;
    else
      entries_.insert(at, {node, bytes});
  }
  /// ascending
  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }

 private:
  std::vector<Entry> entries_;
};

struct MessageLink {
  /// collio's own duplicate: no foreign messages
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  /// rank of each domain's aggregator
  const std::vector<int>* aggregators = nullptr;
  /// file domains in use
  int domains = 1;
  /// domain this rank serves; -1: none
  int my_domain = -1;
  /// most bytes of message buffers in each direction
  std::int64_t budget_bytes = 0;
  BufferPool* pool = nullptr;
  observe::Steps* steps = nullptr;
  observe::Counters* counters = nullptr;
  /// of this rank
  int node = 0;
  /// node of each domain's aggregator
  const std::vector<int>* homes = nullptr;
  /// two layers: rank of its node that receives for it; null: itself
  const std::vector<int>* receivers = nullptr;
  /// of this rank; null: there is one node
  SentBytes* sent = nullptr;
  /// requests to one aggregator that may wait for their answers
  int requests_ahead = 1;
  /// one-sided transfers go there; null: all data goes with messages
  RemoteBuffers* remote = nullptr;
  /// of pieces that go there, on average
  std::int64_t shortest_piece_bytes = 1;
  /// where messages come in; null: none do
  Shortage* shortage = nullptr;

  [[nodiscard]] int rank_of(int domain) const noexcept { return (*aggregators)[core::at(domain)]; }
  [[nodiscard]] int receiver_of(int domain) const noexcept {
    return receivers ? (*receivers)[core::at(domain)] : rank_of(domain);
  }
  [[nodiscard]] int home_of(int domain) const noexcept { return (*homes)[core::at(domain)]; }
  /// Pieces are left out of the call, as there is no memory for them.
  void leave_out() const noexcept {
    if (shortage) shortage->left_out = true;
  }
  /// Books a message of `bytes` bytes to a rank on node `to_node`.
  void note_sent(int to_node, std::int64_t bytes) const noexcept try {
    if (sent && to_node != node) sent->add(to_node, bytes);
  } catch (const std::bad_alloc&) {  // the report lacks them
  }
};

/// Message tags. A request or data message carries the number of its window in the tag, so that a rank which
/// is ahead is not heard early; MPI guarantees tags up to 32767, hence the remainder. Windows that are under
/// way at the same time have tags of their own: they are near each other in the order of rounds and domains,
/// or are rounds of one domain. The step from round to round has no factor of the number of tags, else rounds
/// of many domains would share few tags.
inline constexpr int tag_answer = 1;
/// behind the answers' tags
inline constexpr int tag_done = 32002;
inline constexpr int tags_for_windows = 16000;
[[nodiscard]] constexpr std::int64_t tags_per_round(int domains) noexcept {
  std::int64_t step = domains;
  while (step % 2 == 0 || step % 5 == 0) ++step;
  return step;
}
[[nodiscard]] constexpr int tag_of(const MessageLink& link, int domain, std::int64_t round) noexcept {
  return 2 + static_cast<int>((round * tags_per_round(link.domains) + domain) % tags_for_windows);
}
/// Of the answer to a request of that window, or of the grant for its transfer.
[[nodiscard]] constexpr int answer_tag_of(const MessageLink& link, int domain, std::int64_t round) noexcept {
  return tags_for_windows + tag_of(link, domain, round);
}

}  // namespace collio::transport
