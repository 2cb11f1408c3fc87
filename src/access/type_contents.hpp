// What a datatype was made from, with small and large counts read the same way.
#pragma once

#include <mpi.h>

#include <vector>

#include "access/buffer.hpp"
#include "core/result.hpp"

namespace collio::access {

/// True for predefined types, which are never freed. Not collective.
[[nodiscard]] bool is_predefined(MPI_Datatype type);

/// A datatype that outlives the program's handle to it, without the copy MPI_Type_dup may make of a
/// description of any length. Move-only.
class RetainedType {
 public:
  RetainedType() = default;
  explicit RetainedType(MPI_Datatype type);
  RetainedType(RetainedType&& other) noexcept;
  RetainedType& operator=(RetainedType&& other) noexcept;
  ~RetainedType();
  /// A handle to the datatype, to be freed by the caller unless predefined. May cost O(description).
  [[nodiscard]] MPI_Datatype handle() const;

 private:
  MPI_Datatype predefined_ = MPI_DATATYPE_NULL;
  /// no instances of the type; refers to it
  MPI_Datatype empty_ = MPI_DATATYPE_NULL;
};

/// Arguments of a datatype's constructor. `arguments` holds the integers in the order of the constructor's
/// arguments: counts and displacements of the large-count forms and of the int forms alike.
class TypeContents {
 public:
  static core::Result<TypeContents> of(MPI_Datatype type);
  TypeContents(TypeContents&&) noexcept = default;
  TypeContents& operator=(TypeContents&&) noexcept = default;
  /// frees the derived types handed out by MPI
  ~TypeContents();

  [[nodiscard]] int combiner() const noexcept { return combiner_; }
  /// i-th of the constructor's int (or, in large-count forms, count) arguments.
  [[nodiscard]] std::int64_t integer(std::size_t i) const noexcept {
    if (counts_.empty()) return ints_[i];
    return i < ints_.size() ? ints_[i] : static_cast<std::int64_t>(counts_[i - ints_.size()]);
  }
  [[nodiscard]] std::size_t integers() const noexcept { return ints_.size() + counts_.size(); }
  /// i-th byte displacement; in large-count forms displacements follow `counts_before` counts.
  [[nodiscard]] std::int64_t address(std::size_t i, std::size_t counts_before) const noexcept {
    return addresses_.empty() ? static_cast<std::int64_t>(counts_[counts_before + i]) : addresses_[i];
  }
  [[nodiscard]] bool large() const noexcept { return !counts_.empty(); }
  [[nodiscard]] std::int64_t count(std::size_t i) const noexcept {
    return static_cast<std::int64_t>(counts_[i]);
  }
  [[nodiscard]] int small(std::size_t i) const noexcept { return ints_[i]; }
  /// All int arguments and byte displacements as MPI gave them; empty in large-count forms.
  [[nodiscard]] const RawArray<int>& ints() const noexcept { return ints_; }
  [[nodiscard]] const RawArray<MPI_Aint>& addresses() const noexcept { return addresses_; }
  [[nodiscard]] const std::vector<MPI_Datatype>& types() const noexcept { return types_; }

 private:
  TypeContents() = default;
  int combiner_ = MPI_COMBINER_NAMED;
  RawArray<int> ints_;
  RawArray<MPI_Aint> addresses_;
  RawArray<MPI_Count> counts_;
  std::vector<MPI_Datatype> types_;
};

}  // namespace collio::access
