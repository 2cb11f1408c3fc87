// See type_contents.hpp.
#include "access/type_contents.hpp"

#include <utility>

namespace collio::access {

bool is_predefined(MPI_Datatype type) {
  int ni = 0, na = 0, nd = 0, combiner = 0;
#if MPI_VERSION >= 4
  MPI_Count ci = 0, ca = 0, cc = 0, cd = 0;
  MPI_Type_get_envelope_c(type, &ci, &ca, &cc, &cd, &combiner);
  (void)ni, (void)na, (void)nd;
#else
  MPI_Type_get_envelope(type, &ni, &na, &nd, &combiner);
#endif
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

RetainedType::RetainedType(MPI_Datatype type) {
  if (is_predefined(type))
    predefined_ = type;
  else
    MPI_Type_contiguous(0, type, &empty_);
}

RetainedType::RetainedType(RetainedType&& other) noexcept
    : predefined_(std::exchange(other.predefined_, MPI_DATATYPE_NULL)),
      empty_(std::exchange(other.empty_, MPI_DATATYPE_NULL)) {}

RetainedType& RetainedType::operator=(RetainedType&& other) noexcept {
  std::swap(predefined_, other.predefined_);
  std::swap(empty_, other.empty_);
  return *this;
}

RetainedType::~RetainedType() {
  if (empty_ != MPI_DATATYPE_NULL) MPI_Type_free(&empty_);
}

MPI_Datatype RetainedType::handle() const {
  if (empty_ == MPI_DATATYPE_NULL) return predefined_;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int count = 0;
  MPI_Aint no_address = 0;
  MPI_Type_get_contents(empty_, 1, 0, 1, &count, &no_address, &type);
  MPI_Type_commit(&type);
  return type;
}

core::Result<TypeContents> TypeContents::of(MPI_Datatype type) {
  TypeContents c;
#if MPI_VERSION >= 4
  MPI_Count ni = 0, na = 0, nc = 0, nd = 0;
  int rc = MPI_Type_get_envelope_c(type, &ni, &na, &nc, &nd, &c.combiner_);
#else
  int ni = 0, na = 0, nd = 0;
  int rc = MPI_Type_get_envelope(type, &ni, &na, &nd, &c.combiner_);
#endif
  if (rc != MPI_SUCCESS) return core::Error{core::ErrorClass::type, "the MPI library cannot describe a datatype"};
  if (is_predefined(type)) return c;
  c.ints_ = RawArray<int>(static_cast<std::size_t>(ni));
  c.addresses_ = RawArray<MPI_Aint>(static_cast<std::size_t>(na));
  c.types_.resize(static_cast<std::size_t>(nd));
#if MPI_VERSION >= 4
  c.counts_ = RawArray<MPI_Count>(static_cast<std::size_t>(nc));
  rc = MPI_Type_get_contents_c(type, ni, na, nc, nd, c.ints_.data(), c.addresses_.data(), c.counts_.data(),
                               c.types_.data());
#else
  rc = MPI_Type_get_contents(type, ni, na, nd, c.ints_.data(), c.addresses_.data(), c.types_.data());
#endif
  if (rc != MPI_SUCCESS) {
    c.types_.clear();
    return core::Error{core::ErrorClass::type, "the MPI library cannot list the contents of a datatype"};
  }
  return c;
}

TypeContents::~TypeContents() {
  for (MPI_Datatype& type : types_)
    if (!is_predefined(type)) MPI_Type_free(&type);
}

}  // namespace collio::access
