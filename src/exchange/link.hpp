// What every part of an exchange needs to talk: the communicator, buffers, and the books.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "exchange/buffer_pool.hpp"
#include "observe/steps.hpp"

namespace collio::exchange {

struct Link {
  MPI_Comm comm = MPI_COMM_NULL;       ///< collio's own duplicate: no foreign messages
  int rank = 0;
  const std::vector<int>* aggregators = nullptr;  ///< rank of each aggregator, in domain order
  int my_domain = -1;                  ///< domain this rank serves; -1: none
  std::int64_t budget_bytes = 0;       ///< most bytes of message buffers in each direction
  BufferPool* pool = nullptr;
  observe::Steps* steps = nullptr;
  observe::Counters* counters = nullptr;
};

/// Message tags. A request or data message carries its round and domain in the tag, so that a rank which is ahead is
/// not heard early; MPI guarantees tags up to 32767, hence the remainder.
inline constexpr int tag_answer = 1;
inline constexpr int tags_for_rounds = 16000;
[[nodiscard]] constexpr int tag_of(int domain, std::int64_t round) noexcept {
  return 2 + static_cast<int>((round + std::int64_t{509} * domain) % tags_for_rounds);
}
/// Of the answer to a request of that round.
[[nodiscard]] constexpr int answer_tag_of(int domain, std::int64_t round) noexcept {
  return tags_for_rounds + tag_of(domain, round);
}

}  // namespace collio::exchange
