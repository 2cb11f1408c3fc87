/// Which rank has which elements: each rank tells the owners of equal shares of the array, by the sparse
/// exchange of Hoefler, Siebert & Lumsdaine (PPoPP 2010). Messages go to those owners alone.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "decomposition.hpp"

namespace collio::pio {

using RunsByRank = std::map<int, std::vector<Run>>;

/// Equal shares of an array, one a rank.
class Shares {
 public:
  Shares(const System& system, std::int64_t array_elements);

  [[nodiscard]] Run of(int rank) const;
  /// Runs, cut where shares end.
  [[nodiscard]] RunsByRank by_owner(const std::vector<Run>& runs) const;

 private:
  std::int64_t elements_, share_;
};

/// Tags of exchanges that follow each other: a rank may be in one while another is still in the one before.
constexpr int exchange_of_cover = 1, exchange_of_doubles = 2, exchange_of_lost = 3;

struct Outgoing {
  int tag;
  /// what goes to each rank; may run out of memory
  std::function<RunsByRank()> make;
};

/// Sends runs to ranks, and gives what they have sent to this one. A failure is this rank's. Collective.
[[nodiscard]] Failure exchange(const System& system, const char* function, const Outgoing& outgoing,
                               RunsByRank& received);

}  // namespace collio::pio
