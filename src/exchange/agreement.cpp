// See agreement.hpp.
#include "exchange/agreement.hpp"

#include <algorithm>

#include "exchange/waiting.hpp"

namespace collio::exchange {

namespace {

void combine_digests(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* a = static_cast<const policy::Digest*>(in);
  auto* b = static_cast<policy::Digest*>(inout);
  for (int i = 0; i < *count; ++i) b[i].combine(a[i]);
}

void combine_outcomes(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* a = static_cast<const Outcome*>(in);
  auto* b = static_cast<Outcome*>(inout);
  for (int i = 0; i < *count; ++i) {
    if (a[i].error > b[i].error || (a[i].error == b[i].error && a[i].failed_rank > b[i].failed_rank)) {
      b[i].error = a[i].error;
      b[i].failed_rank = a[i].failed_rank;
    }
    b[i].intact_below = std::min(a[i].intact_below, b[i].intact_below);
  }
}

/// A record of 64-bit integers with an operation of its own, made once per process.
struct RecordReduction {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;

  RecordReduction(int words, MPI_User_function* combine) {
    MPI_Type_contiguous(words, MPI_INT64_T, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(combine, 1, &op);
  }
};

template <class Record>
void reduce(MPI_Comm comm, Record& record, const RecordReduction& how) {
  Record all{};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&record, &all, 1, how.type, how.op, comm, &request);
  wait_for(request);
  record = all;
}

void reduce_vector(MPI_Comm comm, std::vector<std::int32_t>& values, MPI_Op op) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT32_T, op, comm, &request);
  wait_for(request);
}

}  // namespace

void agree(MPI_Comm comm, policy::Digest& digest) {
  static const RecordReduction how(sizeof(policy::Digest) / sizeof(std::int64_t), combine_digests);
  reduce(comm, digest, how);
}

void agree(MPI_Comm comm, Outcome& outcome) {
  static const RecordReduction how(sizeof(Outcome) / sizeof(std::int64_t), combine_outcomes);
  reduce(comm, outcome, how);
}

void sum(MPI_Comm comm, std::vector<std::int32_t>& counts) { reduce_vector(comm, counts, MPI_SUM); }
void maximum(MPI_Comm comm, std::vector<std::int32_t>& values) { reduce_vector(comm, values, MPI_MAX); }

}  // namespace collio::exchange
