// See written_here.hpp.
#include "storage/subfiles/written_here.hpp"

#include <mutex>
#include <set>

namespace collio::storage {

namespace {

std::mutex guard;

std::multiset<WrittenHere::Key>& sets() {
  static auto* const all =
      new std::multiset<WrittenHere::Key>;  // files may be closed while statics are destroyed
  return *all;
}

}  // namespace

WrittenHere::WrittenHere(const Key& key) : key_(key) {
  const std::lock_guard locked(guard);
  sets().insert(key);
}

WrittenHere::~WrittenHere() {
  const std::lock_guard locked(guard);
  sets().extract(key_);
}

bool WrittenHere::is(const Key& key) {
  const std::lock_guard locked(guard);
  return sets().contains(key);
}

}  // namespace collio::storage
