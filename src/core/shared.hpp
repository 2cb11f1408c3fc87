// A value that many hold and few change, as a job's nodes in each open file.
//
// Copies share their memory. So do equal values that were pooled: what a thousand open files know of the same
// ranks is in a process once, however each file came to it.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace collio::core {

template <class T>
class SharedPool;

/// `T`: has ==.
template <class T>
class Shared {
 public:
  Shared() = default;
  Shared(T value) : held_(std::make_shared<T>(std::move(value))) {}

  [[nodiscard]] const T& get() const noexcept {
    static const auto* const none = new T;
    return held_ ? *held_ : *none;
  }
  operator const T&() const noexcept { return get(); }
  [[nodiscard]] auto begin() const noexcept { return get().begin(); }
  [[nodiscard]] auto end() const noexcept { return get().end(); }
  friend bool operator==(const Shared& a, const Shared& b) { return a.get() == b.get(); }

  /// To be changed, before others look at it: the value of this holder alone, copied where others have it.
  [[nodiscard]] T& edit() {
    if (!held_ || pooled_ || held_.use_count() > 1) held_ = std::make_shared<T>(get());
    pooled_ = false;
    return *held_;
  }

 private:
  friend class SharedPool<T>;
  /// null: empty
  std::shared_ptr<T> held_;
  bool pooled_ = false;
};

/// Values of which equal ones share their memory.
template <class T>
class SharedPool {
 public:
  /// Gives `value` the memory of an equal one that was added before and still is, if there is one. O(length +
  /// values).
  void add(Shared<T>& value) {
    if (!value.held_ || value.pooled_) return;
    std::erase_if(values_, [](const auto& one) { return one.expired(); });
    value.pooled_ = true;
    for (const auto& one : values_)
      if (auto other = one.lock(); other && *other == *value.held_) {
        value.held_ = std::move(other);
        return;
      }
    value.held_ = std::make_shared<T>(value.get());  // without what it was to grow by
    values_.push_back(value.held_);
  }

 private:
  std::vector<std::weak_ptr<T>> values_;
};

template <class T>
class SharedList : public Shared<std::vector<T>> {
 public:
  using value_type = T;
  using Shared<std::vector<T>>::Shared;
  SharedList(std::initializer_list<T> items) : Shared<std::vector<T>>(std::vector<T>(items)) {}
  [[nodiscard]] std::size_t size() const noexcept { return this->get().size(); }
  [[nodiscard]] bool empty() const noexcept { return this->get().empty(); }
  [[nodiscard]] const T& front() const noexcept { return this->get().front(); }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return this->get()[i]; }
};

}  // namespace collio::core
