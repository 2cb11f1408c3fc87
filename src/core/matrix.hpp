// A dense matrix in one piece of memory, row by row.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace collio::core {

template <class T>
class Matrix {
 public:
  struct Shape {
    int rows = 0, columns = 0;
    friend bool operator==(const Shape&, const Shape&) = default;
  };

  Matrix() = default;
  /// All elements zero.
  explicit Matrix(const Shape& shape) : shape_(shape), values_(area(shape), T{}) {}

  [[nodiscard]] int rows() const noexcept { return shape_.rows; }
  [[nodiscard]] int columns() const noexcept { return shape_.columns; }
  [[nodiscard]] std::span<T> row(int r) noexcept { return std::span(values_).subspan(start(r), width()); }
  [[nodiscard]] std::span<const T> row(int r) const noexcept {
    return std::span(values_).subspan(start(r), width());
  }
  [[nodiscard]] T& operator()(int r, int c) noexcept {
    return values_[start(r) + static_cast<std::size_t>(c)];
  }
  [[nodiscard]] const T& operator()(int r, int c) const noexcept {
    return values_[start(r) + static_cast<std::size_t>(c)];
  }
  /// All elements, row by row.
  [[nodiscard]] std::span<T> values() noexcept { return values_; }
  [[nodiscard]] std::span<const T> values() const noexcept { return values_; }

  friend bool operator==(const Matrix&, const Matrix&) = default;

 private:
  [[nodiscard]] static std::size_t area(const Shape& s) noexcept {
    return static_cast<std::size_t>(s.rows) * static_cast<std::size_t>(s.columns);
  }
  [[nodiscard]] std::size_t width() const noexcept { return static_cast<std::size_t>(shape_.columns); }
  [[nodiscard]] std::size_t start(int r) const noexcept { return static_cast<std::size_t>(r) * width(); }

  Shape shape_;
  std::vector<T> values_;
};

}  // namespace collio::core
