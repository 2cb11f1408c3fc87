// See access.hpp.
#include "access.hpp"

#include <algorithm>
#include <limits>

namespace collio::pio {

namespace {

/// Whether a variable has one dimension more. Dimensions of length 1 in front of a decomposition's others may
/// count or not.
bool has_slices(const Variable& v, const Decomposition& elements) {
  const auto others =
      std::find_if(elements.lengths.begin(), elements.lengths.end(), [](int length) { return length > 1; });
  return !v.has_records && v.elements != elements.array_elements && v.dims <= elements.dims + 1 &&
         v.dims > elements.lengths.end() - others;
}

Failure find_place(Access& a, bool reads) {
  const Variable& v = a.variable();
  const bool slices = has_slices(v, a.elements);
  const long long elements = slices ? v.elements / v.first_length : v.elements;
  if (elements != a.elements.array_elements)
    return {PIO_EINVAL, a.name() + " has " + std::to_string(v.elements) + " elements" +
                            (v.has_records ? " in a record" : "") + ", the decomposition " +
                            std::to_string(a.elements.array_elements) + " (" + a.elements.shape +
                            "); both must be the same"};
  if (!v.has_records && !slices) return {};
  if (a.frame < 0 && reads) a.frame = 0;
  if (a.frame < 0)
    return not_allowed(a.name() + ": frame", a.frame, "0 and more. Set it with PIOc_setframe()");
  if (slices && a.frame >= v.first_length)
    return not_allowed(a.name() + ": frame", a.frame, "0 to " + std::to_string(v.first_length - 1));
  a.place = {a.frame, v.has_records ? a.file.layout.record_bytes : elements * type_bytes(v.type)};
  return {};
}

/// What a call names, as all ranks know it: decompositions may have other numbers on other ranks.
struct Named {
  long long varid = 0, frame = 0, elements = 0, longest = 0, holes = 0;
};

}  // namespace

/// NetCDF takes a PIO_BYTE of CDF-1 and CDF-2, which have no PIO_UBYTE, for either: 200 is stored as -56.
Types Access::types() const {
  const bool either = file.layout.format <= 2 && variable().type == NC_BYTE && elements.type == NC_UBYTE;
  return {either ? NC_UBYTE : variable().type, elements.type};
}

Failure set_frame(File& file, const Target& t) {
  const std::string function = t.function;
  if (t.varid < 0 || t.varid >= PIO_MAX_VARS)
    return {PIO_ENOTVAR, function + ": varid is " + std::to_string(t.varid) + "; allowed: 0 and more"};
  constexpr int most = std::numeric_limits<int>::max();
  if (*t.frame > most)
    return not_allowed(function + ": frame", *t.frame,
                       "up to " + std::to_string(most) + "; negative ones for no frame");
  file.frames[t.varid] = static_cast<int>(std::max(*t.frame, -1LL));
  return {};
}

Failure check(const File& file, const Target& t) {
  const std::string function = t.function;
  if (file.defining) return netcdf_failure(NC_EINDEFINE, function);
  if (t.varid < 0 || t.varid >= static_cast<int>(file.layout.variables.size()))
    return {PIO_ENOTVAR, function + ": varid is " + std::to_string(t.varid) + "; the file has " +
                             std::to_string(file.layout.variables.size()) + " variables, from 0 on"};
  const auto elements = find_decomposition(t.ioid);
  if (!elements) return no_decomposition(t.function, t.ioid);
  if (elements->system != file.system)
    return {PIO_EINVAL, function + ": the decomposition belongs to another I/O system than the file"};
  const Types types{file.layout.variables[static_cast<std::size_t>(t.varid)].type, elements->type};
  if (type_bytes(types.file) == 0)
    return netcdf_failure(NC_EBADTYPE, function + ": variable " + std::to_string(t.varid));
  if (convertible(types)) return {};
  return {PIO_ECHAR, function + ": variable " + std::to_string(t.varid) + " is of " + type_name(types.file) +
                         ", the decomposition of " + type_name(types.memory) + "; text is no number"};
}

Failure agree_on(File& file, const Target& t, std::optional<Access>& access,
                 const std::function<Failure(const Access&)>& checks) {
  Failure own = check(file, t);
  if (!own && t.frame) own = set_frame(file, t);
  Named named;
  if (!own) {
    const auto frame = file.frames.find(t.varid);
    access.emplace(Access{t.function, file, *find_decomposition(t.ioid), t.varid,
                          frame == file.frames.end() ? -1 : frame->second});
    own = find_place(*access, t.reads);
    if (!own) own = checks(*access);
    named = {t.varid, access->place.record, access->elements.array_elements, access->elements.most_length,
             access->elements.most_holes};
  }
  return agree(*file.system, std::move(own), t.function,
               {{"varid", named.varid},
                {"frame", named.frame},
                {"the decomposition's number of elements", named.elements},
                {"the length of the decomposition's longest map", named.longest},
                {"the decomposition's number of holes that a rank fills", named.holes},
                {"the limit of PIOc_set_buffer_size_limit()", buffer_limit()}});
}

}  // namespace collio::pio
