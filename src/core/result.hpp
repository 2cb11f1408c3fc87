// Operating errors as values. Bugs are assertions; everything the outside world can cause
// (a full disk, a missing file, a bad hint) is an Error that travels to every rank.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace collio::core {

/// Error classes in the order in which they win when ranks fail differently: the largest is reported.
/// They map one to one to MPI's error classes (mpiio/library/error_codes).
enum class ErrorClass : std::int32_t {
  none = 0,
  other,
  argument,
  displacement,
  type,
  /// ranks do not call the same, or not with the same arguments
  not_same,
  no_memory,
  bad_file,
  no_such_file,
  file_exists,
  access,
  read_only,
  in_use,
  io,
  quota,
  no_space,
};

struct Error {
  ErrorClass kind = ErrorClass::none;
  std::string message;

  [[nodiscard]] bool ok() const noexcept { return kind == ErrorClass::none; }
};

/// Keeps the first of several errors of the same weight, or the heavier one.
inline void keep_worst(Error& kept, Error next) {
  if (next.kind > kept.kind) kept = std::move(next);
}

/// A value or an Error.
template <class T>
class Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {
    assert(!std::get<1>(state_).ok());
  }

  [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }
  [[nodiscard]] T& value() { return std::get<0>(state_); }
  [[nodiscard]] const T& value() const { return std::get<0>(state_); }
  [[nodiscard]] const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace collio::core
