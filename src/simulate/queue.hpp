// Virtual time: events in the order in which they happen, those of one time in the order in which they were
// made.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

namespace collio::simulate {

template <class Event>
class Queue {
 public:
  void push(double at_s, const Event& event) { entries_.push({at_s, made_++, event}); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  /// Takes the next event, and sets the time to its time.
  Event pop() {
    const Entry entry = entries_.top();
    entries_.pop();
    now_s_ = entry.at_s;
    return entry.event;
  }
  [[nodiscard]] double now_s() const noexcept { return now_s_; }

 private:
  struct Entry {
    double at_s;
    std::int64_t made;
    Event event;
    [[nodiscard]] bool operator<(const Entry& other) const {
      return at_s != other.at_s ? at_s > other.at_s : made > other.made;
    }
  };
  std::priority_queue<Entry> entries_;
  std::int64_t made_ = 0;
  double now_s_ = 0;
};

}  // namespace collio::simulate
