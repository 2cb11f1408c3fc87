// See type_contents.hpp.
#include "access/type_contents.hpp"

namespace collio::access {

namespace {

bool is_named(MPI_Datatype type) {
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

}  // namespace

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
  if (is_named(type)) return c;
  c.ints_.resize(static_cast<std::size_t>(ni));
  c.addresses_.resize(static_cast<std::size_t>(na));
  c.types_.resize(static_cast<std::size_t>(nd));
#if MPI_VERSION >= 4
  c.counts_.resize(static_cast<std::size_t>(nc));
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
    if (!is_named(type)) MPI_Type_free(&type);
}

}  // namespace collio::access
