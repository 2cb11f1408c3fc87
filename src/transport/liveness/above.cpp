// See above.hpp.
#include "transport/liveness/above.hpp"

#include <cstring>
#include <mutex>
#include <vector>

#include "observe/steps.hpp"

namespace collio::transport {

namespace {

struct Here {
  std::mutex mutex;
  Above::Said now;
  std::vector<Above*> notes;
};

/// Never destroyed: functions of libraries end after main().
Here& here() {
  static Here& only = *new Here;
  return only;
}

}  // namespace

void Above::say(const Said& said) noexcept {
  std::array<std::uint64_t, sizeof said.name / sizeof(std::uint64_t)> words{};
  std::memcpy(words.data(), said.name, sizeof said.name);
  for (std::size_t i = 0; i < words.size(); ++i) name_[i].store(words[i], std::memory_order_relaxed);
  since_s_.store(said.since_s, std::memory_order_relaxed);
}

Above::Said Above::said() const noexcept {
  Said said;
  std::array<std::uint64_t, sizeof said.name / sizeof(std::uint64_t)> words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = name_[i].load(std::memory_order_relaxed);
  std::memcpy(said.name, words.data(), sizeof said.name);
  said.name[sizeof said.name - 1] = 0;
  said.since_s = since_s_.load(std::memory_order_relaxed);
  return said;
}

ShownAbove::ShownAbove(Above& note) : note_(note) {
  const std::lock_guard lock(here().mutex);
  here().notes.push_back(&note);
  note.say(here().now);
}

ShownAbove::~ShownAbove() {
  const std::lock_guard lock(here().mutex);
  std::erase(here().notes, &note_);
}

void tell_above(const char* name) noexcept {
  const std::lock_guard lock(here().mutex);
  here().now = {};
  if (name) {
    std::strncpy(here().now.name, name, sizeof here().now.name - 1);
    here().now.since_s = observe::now_s();
  }
  for (Above* note : here().notes) note->say(here().now);
}

}  // namespace collio::transport
