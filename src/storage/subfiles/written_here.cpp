// See written_here.hpp.
#include "storage/subfiles/written_here.hpp"

#include <mutex>
#include <set>

namespace collio::storage {

namespace {

std::mutex guard;

std::multiset<std::uint64_t>& sets() {
  static auto* const all =
      new std::multiset<std::uint64_t>;  // files may be closed while statics are destroyed
  return *all;
}

}  // namespace

WrittenHere::WrittenHere(std::uint64_t identity) : identity_(identity) {
  const std::lock_guard locked(guard);
  sets().insert(identity);
}

WrittenHere::~WrittenHere() {
  const std::lock_guard locked(guard);
  sets().extract(identity_);
}

bool WrittenHere::is(std::uint64_t identity) {
  const std::lock_guard locked(guard);
  return sets().contains(identity);
}

}  // namespace collio::storage
