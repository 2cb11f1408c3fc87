// See library.hpp.
#include "pnetcdf/library.hpp"

#include <string>
#include <tuple>

#include "netcdf/types.hpp"

namespace collio::pnetcdf {

namespace {

Library found;

template <class Function>
void look(Function& function, const char* name) {
  function = reinterpret_cast<Function>(found.find(name));
}

/// Calls a function of the form that `call` has. `behind`: what follows the buffer's arguments.
template <class... Places, class... Behind>
int ask(void* function, const collio_pnetcdf_call& call, std::tuple<Places...> places,
        std::tuple<Behind...> behind) {
  const auto head = std::tuple_cat(std::tuple(call.ncid, call.varid), places);
  if (call.type_name) {
    const auto typed = reinterpret_cast<int (*)(int, int, Places..., void*, Behind...)>(function);
    return std::apply(typed, std::tuple_cat(head, std::tuple(call.buffer), behind));
  }
  using Flexible = int (*)(int, int, Places..., void*, MPI_Offset, MPI_Datatype, Behind...);
  const std::tuple buffer(call.buffer, call.buffer_count, call.buffer_type);
  return std::apply(reinterpret_cast<Flexible>(function), std::tuple_cat(head, buffer, behind));
}

template <class Behind>
int ask_by_form(void* function, const collio_pnetcdf_call& c, Behind behind) {
  switch (c.form) {
    case COLLIO_VAR:
      return ask(function, c, std::tuple(), behind);
    case COLLIO_VAR1:
      return ask(function, c, std::tuple(c.start), behind);
    case COLLIO_VARA:
      return ask(function, c, std::tuple(c.start, c.count), behind);
    case COLLIO_VARS:
      return ask(function, c, std::tuple(c.start, c.count, c.stride), behind);
    case COLLIO_VARM:
      return ask(function, c, std::tuple(c.start, c.count, c.stride, c.imap), behind);
    default:
      return ask(function, c, std::tuple(c.parts, c.starts, c.counts), behind);
  }
}

std::string name_of(const collio_pnetcdf_call& call) {
  constexpr const char* forms[] = {"var", "var1", "vara", "vars", "varm", "varn"};
  constexpr const char* ways[] = {"", "i", "b", ""};
  std::string name =
      std::string("ncmpi_") + ways[call.way] + (call.reads ? "get_" : "put_") + forms[call.form];
  if (call.type_name) name += std::string("_") + call.type_name;
  return call.way == COLLIO_BLOCKING ? name + "_all" : name;
}

}  // namespace

const Library& library() noexcept { return found; }

void find_library(void* (*find)(const char* name)) {
  found.find = find;
#define COLLIO_PNETCDF_FUNCTION(name, parameters, arguments) look(found.name, "ncmpi_" #name);
#include "pnetcdf/file_calls.def"
#undef COLLIO_PNETCDF_FUNCTION
  look(found.inq_format, "ncmpi_inq_format");
  look(found.inq_unlimdim, "ncmpi_inq_unlimdim");
  look(found.inq_dimlen, "ncmpi_inq_dimlen");
  look(found.inq_recsize, "ncmpi_inq_recsize");
  look(found.inq_var, "ncmpi_inq_var");
  look(found.inq_varoffset, "ncmpi_inq_varoffset");
  look(found.inq_var_fill, "ncmpi_inq_var_fill");
  look(found.inq_file_info, "ncmpi_inq_file_info");
  look(found.iput_var1, "ncmpi_iput_var1");
}

bool Library::complete() const noexcept {
#define COLLIO_PNETCDF_FUNCTION(name, parameters, arguments) \
  if (!name) return false;
#include "pnetcdf/file_calls.def"
#undef COLLIO_PNETCDF_FUNCTION
  return inq_format && inq_unlimdim && inq_dimlen && inq_recsize && inq_var && inq_varoffset &&
         inq_var_fill && inq_file_info && iput_var1;
}

int call_library(const collio_pnetcdf_call& call) {
  void* function = found.find(name_of(call).c_str());
  if (!function) return netcdf::invalid;
  const bool blocks = call.way == COLLIO_BLOCKING || call.way == COLLIO_ALONE;
  if (blocks) return ask_by_form(function, call, std::tuple());
  return ask_by_form(function, call, std::tuple(call.request));
}

int refusal_of(const collio_pnetcdf_call& call) {
  collio_pnetcdf_call alone = call;
  int request = -1, status = 0;
  alone.way = COLLIO_NONBLOCKING;
  alone.request = &request;
  const int code = call_library(alone);
  if (request == -1) return code;
  static_cast<void>(found.cancel(call.ncid, 1, &request, &status));
  return code == netcdf::ok || code == netcdf::out_of_range ? netcdf::invalid : code;
}

}  // namespace collio::pnetcdf
