// MPI datatypes for the time of a test.
#pragma once

#include <mpi.h>

#include <vector>

namespace collio::test {

/// Freed with it.
class Type {
 public:
  explicit Type(MPI_Datatype made) : type_(made) { MPI_Type_commit(&type_); }
  ~Type() { MPI_Type_free(&type_); }
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  operator MPI_Datatype() const noexcept { return type_; }

 private:
  MPI_Datatype type_;
};

inline Type vector(int count, int length, int stride, MPI_Datatype of) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_vector(count, length, stride, of, &made);
  return Type(made);
}
inline Type row(int count, MPI_Datatype of) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(count, of, &made);
  return Type(made);
}
inline Type resized(MPI_Datatype of, MPI_Aint lower_bound, MPI_Aint extent) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(of, lower_bound, extent, &made);
  return Type(made);
}
/// Blocks of `of`, `lengths[i]` of them `places[i]` bytes from the begin.
inline Type blocks(const std::vector<int>& lengths, const std::vector<MPI_Aint>& places, MPI_Datatype of) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), of, &made);
  return Type(made);
}

}  // namespace collio::test
