// See type_contents.hpp.
#include "access/type_contents.hpp"

#include <utility>

// Of MPI 4, whatever header this is compiled with: null where the program's library is older.
extern "C" {
int collio_type_get_envelope_c(MPI_Datatype, MPI_Count*, MPI_Count*, MPI_Count*, MPI_Count*,
                               int*) __asm__("PMPI_Type_get_envelope_c") __attribute__((weak));
int collio_type_get_contents_c(MPI_Datatype, MPI_Count, MPI_Count, MPI_Count, MPI_Count, int*, MPI_Aint*,
                               MPI_Count*, MPI_Datatype*) __asm__("PMPI_Type_get_contents_c")
    __attribute__((weak));
}

namespace collio::access {

namespace {

/// How many integers, addresses, large counts and types a datatype was made from, and by what.
struct Envelope {
  MPI_Count integers = 0, addresses = 0, counts = 0, types = 0;
  int combiner = MPI_COMBINER_NAMED, code = MPI_SUCCESS;
};

Envelope envelope_of(MPI_Datatype type) {
  Envelope e;
  if (collio_type_get_envelope_c) {
    e.code = collio_type_get_envelope_c(type, &e.integers, &e.addresses, &e.counts, &e.types, &e.combiner);
    return e;
  }
  int integers = 0, addresses = 0, types = 0;
  e.code = MPI_Type_get_envelope(type, &integers, &addresses, &types, &e.combiner);
  e.integers = integers, e.addresses = addresses, e.types = types;
  return e;
}

bool is_predefined(const Envelope& envelope) {
  return envelope.combiner == MPI_COMBINER_NAMED || envelope.combiner == MPI_COMBINER_F90_REAL ||
         envelope.combiner == MPI_COMBINER_F90_COMPLEX || envelope.combiner == MPI_COMBINER_F90_INTEGER;
}

}  // namespace

bool is_predefined(MPI_Datatype type) { return is_predefined(envelope_of(type)); }

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
  const Envelope e = envelope_of(type);
  if (e.code != MPI_SUCCESS)
    return core::Error{core::ErrorClass::type, "the MPI library cannot describe a datatype"};
  c.combiner_ = e.combiner;
  if (is_predefined(e)) return c;
  c.ints_ = RawArray<int>(static_cast<std::size_t>(e.integers));
  c.addresses_ = RawArray<MPI_Aint>(static_cast<std::size_t>(e.addresses));
  c.counts_ = RawArray<MPI_Count>(static_cast<std::size_t>(e.counts));
  c.types_.resize(static_cast<std::size_t>(e.types));
  const int code =
      collio_type_get_contents_c
          ? collio_type_get_contents_c(type, e.integers, e.addresses, e.counts, e.types, c.ints_.data(),
                                       c.addresses_.data(), c.counts_.data(), c.types_.data())
          : MPI_Type_get_contents(type, static_cast<int>(e.integers), static_cast<int>(e.addresses),
                                  static_cast<int>(e.types), c.ints_.data(), c.addresses_.data(),
                                  c.types_.data());
  if (code == MPI_SUCCESS) return c;
  c.types_.clear();
  return core::Error{core::ErrorClass::type, "the MPI library cannot list the contents of a datatype"};
}

TypeContents::~TypeContents() {
  for (MPI_Datatype& type : types_)
    if (!is_predefined(type)) MPI_Type_free(&type);
}

}  // namespace collio::access
