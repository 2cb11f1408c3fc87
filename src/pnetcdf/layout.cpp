// See layout.hpp.
#include "pnetcdf/layout.hpp"

#include <vector>

#include "netcdf/convert.hpp"
#include "pnetcdf/library.hpp"

namespace collio::pnetcdf {

Layout::Layout(int ncid) : ncid_(ncid) { static_cast<void>(library().inq_format(ncid, &format_)); }

void Layout::forget(bool defining) {
  defining_ = defining;
  known_.clear();
}

bool Layout::has_records() const {
  int dimid = -1;
  return library().inq_unlimdim(ncid_, &dimid) == 0 && dimid >= 0;
}

std::int64_t Layout::records() const {
  int dimid = -1;
  MPI_Offset length = 0;
  if (library().inq_unlimdim(ncid_, &dimid) != 0 || dimid < 0) return 0;
  return library().inq_dimlen(ncid_, dimid, &length) == 0 ? length : 0;
}

const Variable* Layout::variable(int varid) {
  if (const auto found = known_.find(varid); found != known_.end()) return &found->second;
  if (varid < 0) return nullptr;
  auto asked = ask(varid);
  return asked ? &known_.emplace(varid, std::move(*asked)).first->second : nullptr;
}

std::optional<Variable> Layout::ask(int varid) const {
  const Library& of = library();
  Variable v;
  v.id = varid;
  v.format = format_;
  int dims = 0, unlimited = -1;
  if (of.inq_var(ncid_, varid, nullptr, nullptr, &dims, nullptr, nullptr) != 0) return {};
  std::vector<int> dimids(static_cast<std::size_t>(dims) + 1);
  if (of.inq_var(ncid_, varid, nullptr, &v.type, nullptr, dimids.data(), nullptr) != 0 ||
      of.inq_unlimdim(ncid_, &unlimited) != 0)
    return {};
  v.element_bytes = netcdf::type_bytes(v.type);
  v.records = dims > 0 && unlimited >= 0 && dimids[0] == unlimited;
  for (int d = 0; d < dims; ++d) {
    MPI_Offset length = 0;
    const auto dimid = dimids[static_cast<std::size_t>(d)];
    if (of.inq_dimlen(ncid_, dimid, &length) != 0) return {};
    v.shape.push_back(d == 0 && v.records ? 0 : length);
  }
  v.step.resize(v.shape.size());
  v.record_bytes = v.element_bytes;
  for (std::size_t d = v.shape.size(); d-- > (v.records ? 1 : 0);) {
    v.step[d] = v.record_bytes;
    v.record_bytes *= v.shape[d];
  }
  if (v.records) v.step[0] = v.record_bytes;
  if (defining_) return v;
  MPI_Offset begin = 0, record = 0;
  if (of.inq_varoffset(ncid_, varid, &begin) != 0) return {};
  if (v.records && of.inq_recsize(ncid_, &record) != 0) return {};
  v.begin = begin;
  if (v.records) v.step[0] = record;
  return v;
}

}  // namespace collio::pnetcdf
