// What a process's open files have in common, once.
#pragma once

#include <mutex>

#include "core/shared.hpp"

namespace collio::engine {

/// Gives `value` the memory of an equal one that another open file or crew of this process has, if there is
/// one. Not collective. Thread-safe. O(length + different values of this type).
template <class T>
void pool(core::Shared<T>& value) {
  static auto* const all = new core::SharedPool<T>;
  static auto* const mutex = new std::mutex;
  const std::lock_guard lock(*mutex);
  all->add(value);
}

}  // namespace collio::engine
