// See put_list.hpp.
#include "engine/declared/put_list.hpp"

#include <algorithm>
#include <utility>

namespace collio::engine {

bool PutList::alike(const std::vector<Put>& a, const std::vector<Put>& b) noexcept {
  return std::ranges::equal(a, b, [&](const Put& one, const Put& other) {
    return one.map == other.map && one.in_file - a[0].in_file == other.in_file - b[0].in_file &&
           one.in_memory - a[0].in_memory == other.in_memory - b[0].in_memory;
  });
}

core::PieceMap PutList::take() {
  if (puts_.empty()) return {};
  const auto known =
      std::ranges::find_if(remembered_, [&](const Joined& joined) { return alike(joined.puts, puts_); });
  if (known != remembered_.end()) {
    std::rotate(known, known + 1, remembered_.end());
    const Joined& joined = remembered_.back();
    core::PieceMap map = joined.map.moved(puts_[0].in_file - joined.puts[0].in_file,
                                          puts_[0].in_memory - joined.puts[0].in_memory);
    puts_.clear();
    return map;
  }
  std::vector<core::PlacedMap> placed;
  placed.reserve(puts_.size());
  for (const Put& put : puts_) placed.push_back({put.map.get(), put.in_file, put.in_memory});
  core::PieceMap map = core::join_maps(std::move(placed));
  while (remembered_.size() >= remember_) remembered_.erase(remembered_.begin());
  remembered_.push_back({puts_, map});
  puts_.clear();
  return map;
}

}  // namespace collio::engine
