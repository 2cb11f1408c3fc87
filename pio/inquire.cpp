// Dimensions and variables: PnetCDF's functions, asked on the root.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "convert.hpp"
#include "file.hpp"

namespace collio::pio {

namespace {

using Name = char[NC_MAX_NAME + 1];

void copy_name(const Name& from, char* to, std::size_t room = NC_MAX_NAME + 1) {
  if (to && room > 0) std::snprintf(to, room, "%s", from);
}

template <class T>
void copy(const T& from, T* to) {
  if (to) *to = from;
}

std::string number(long long value) { return "(" + std::to_string(value) + ")"; }

/// Null names are refused where PnetCDF would follow them.
int named(const char* name, const std::function<int()>& call) { return name ? call() : PIO_EINVAL; }

struct VariableFacts {
  Name name = {};
  nc_type type = NC_NAT;
  int dims = 0, attributes = 0;
  int dimids[PIO_MAX_VAR_DIMS] = {};
};

int variable(const char* function, int ncid, int varid, VariableFacts& facts) {
  const auto run = [&](int id) {
    reading::Inquired found;
    if (const int code = reading::inq_var(id, varid, found)) return code;
    if (found.dimids.size() > PIO_MAX_VAR_DIMS) return NC_EMAXDIMS;
    copy_name(found.name, facts.name);
    facts.type = found.type, facts.attributes = found.attributes;
    facts.dims = static_cast<int>(found.dimids.size());
    std::copy(found.dimids.begin(), found.dimids.end(), facts.dimids);
    return NC_NOERR;
  };
  return ask(ncid, {function, number(varid), run}, {out(facts)});
}

int dimension(const char* function, int ncid, int dimid, char* name, PIO_Offset* length) {
  Name own = {};
  PIO_Offset found = 0;
  int unlimited = -1;
  const auto run = [&](int id) {
    if (const int code = reading::inq(id, nullptr, nullptr, nullptr, &unlimited)) return code;
    return reading::inq_dim(id, dimid, own, &found);
  };
  if (const int code = ask(ncid, {function, number(dimid), run}, {out(own), out(found), out(unlimited)}))
    return code;
  // Records that are not in the file yet are counted, too.
  const File& file = *find_file(ncid);
  if (dimid == unlimited) found = std::max<PIO_Offset>({found, file.layout.records, file.pending.records});
  copy_name(own, name);
  copy(found, length);
  return PIO_NOERR;
}

struct FileFacts {
  int dims = 0, variables = 0, attributes = 0, unlimited = -1;
};

int file_facts(const char* function, int ncid, FileFacts& facts) {
  const auto run = [&](int id) {
    return reading::inq(id, &facts.dims, &facts.variables, &facts.attributes, &facts.unlimited);
  };
  return ask(ncid, {function, "", run}, {out(facts)});
}

}  // namespace

}  // namespace collio::pio

using namespace collio::pio;

extern "C" {

int PIOc_inq(int ncid, int* ndimsp, int* nvarsp, int* ngattsp, int* unlimdimidp) {
  FileFacts facts;
  if (const int code = file_facts("PIOc_inq", ncid, facts)) return code;
  copy(facts.dims, ndimsp);
  copy(facts.variables, nvarsp);
  copy(facts.attributes, ngattsp);
  copy(facts.unlimited, unlimdimidp);
  return PIO_NOERR;
}

int PIOc_inq_ndims(int ncid, int* ndimsp) { return PIOc_inq(ncid, ndimsp, nullptr, nullptr, nullptr); }

int PIOc_inq_nvars(int ncid, int* nvarsp) { return PIOc_inq(ncid, nullptr, nvarsp, nullptr, nullptr); }

int PIOc_inq_natts(int ncid, int* ngattsp) { return PIOc_inq(ncid, nullptr, nullptr, ngattsp, nullptr); }

int PIOc_inq_unlimdim(int ncid, int* unlimdimidp) {
  return PIOc_inq(ncid, nullptr, nullptr, nullptr, unlimdimidp);
}

int PIOc_inq_unlimdims(int ncid, int* nunlimdimsp, int* unlimdimidsp) {
  int unlimited = -1;
  if (const int code = PIOc_inq_unlimdim(ncid, &unlimited)) return code;
  copy(unlimited >= 0 ? 1 : 0, nunlimdimsp);
  if (unlimited >= 0) copy(unlimited, unlimdimidsp);
  return PIO_NOERR;
}

int PIOc_inq_format(int ncid, int* formatp) {
  int format = 0;
  const int code = ask(
      ncid, {"PIOc_inq_format", "", [&](int id) { return reading::inq_format(id, &format); }}, {out(format)});
  if (code == PIO_NOERR) copy(format, formatp);
  return code;
}

int PIOc_inq_type(int ncid, nc_type xtype, char* name, PIO_Offset* sizep) {
  static constexpr const char* names[] = {"",       "byte",  "char",   "short", "int",   "float",
                                          "double", "ubyte", "ushort", "uint",  "int64", "uint64"};
  const File* file = find_file(ncid);
  if (!file) return report(nullptr, no_file("PIOc_inq_type", ncid));
  const int bytes = type_bytes(xtype);
  if (bytes == 0) {
    Failure failure = not_allowed("PIOc_inq_type: xtype", xtype, "types of numbers and text");
    failure.code = PIO_EBADTYPE;
    return report(file->system, failure);
  }
  if (name) std::strcpy(name, names[xtype]);
  if (sizep) *sizep = bytes;
  return PIO_NOERR;
}

int PIOc_def_dim(int ncid, const char* name, PIO_Offset len, int* idp) {
  int made = -1;
  const auto run = [&](int id) { return named(name, [&] { return ncmpi_def_dim(id, name, len, &made); }); };
  const int code =
      ask(ncid, {"PIOc_def_dim", quoted(name) + " of length " + std::to_string(len), run}, {out(made)});
  if (code == PIO_NOERR) copy(made, idp);
  return code;
}

int PIOc_inq_dim(int ncid, int dimid, char* name, PIO_Offset* lenp) {
  return dimension("PIOc_inq_dim", ncid, dimid, name, lenp);
}

int PIOc_inq_dimname(int ncid, int dimid, char* name) {
  return dimension("PIOc_inq_dimname", ncid, dimid, name, nullptr);
}

int PIOc_inq_dimlen(int ncid, int dimid, PIO_Offset* lenp) {
  return dimension("PIOc_inq_dimlen", ncid, dimid, nullptr, lenp);
}

int PIOc_inq_dimid(int ncid, const char* name, int* idp) {
  int found = -1;
  const auto run = [&](int id) { return named(name, [&] { return reading::inq_dimid(id, name, &found); }); };
  const int code = ask(ncid, {"PIOc_inq_dimid", quoted(name), run}, {out(found)});
  if (code == PIO_NOERR) copy(found, idp);
  return code;
}

int PIOc_rename_dim(int ncid, int dimid, const char* name) {
  const auto run = [&](int id) { return named(name, [&] { return ncmpi_rename_dim(id, dimid, name); }); };
  return ask(ncid, {"PIOc_rename_dim", number(dimid) + " to " + quoted(name), run, true});
}

int PIOc_def_var(int ncid, const char* name, nc_type xtype, int ndims, const int* dimidsp, int* varidp) {
  int made = -1;
  const auto run = [&](int id) {
    if (ndims < 0 || (ndims > 0 && !dimidsp)) return PIO_EINVAL;
    return named(name, [&] { return ncmpi_def_var(id, name, xtype, ndims, dimidsp, &made); });
  };
  const int code = ask(ncid, {"PIOc_def_var", quoted(name) + " of " + type_name(xtype), run}, {out(made)});
  if (code == PIO_NOERR) copy(made, varidp);
  return code;
}

int PIOc_inq_varid(int ncid, const char* name, int* varidp) {
  int found = -1;
  const auto run = [&](int id) { return named(name, [&] { return reading::inq_varid(id, name, &found); }); };
  const int code = ask(ncid, {"PIOc_inq_varid", quoted(name), run}, {out(found)});
  if (code == PIO_NOERR) copy(found, varidp);
  return code;
}

int collio_scorpio_inq_var(int ncid, int varid, char* name, int namelen, nc_type* xtypep, int* ndimsp,
                           int* dimidsp, int* nattsp) {
  VariableFacts facts;
  if (const int code = variable("PIOc_inq_var", ncid, varid, facts)) return code;
  copy_name(facts.name, name, static_cast<std::size_t>(std::max(namelen, 0)));
  copy(facts.type, xtypep);
  copy(facts.dims, ndimsp);
  if (dimidsp) std::copy(facts.dimids, facts.dimids + facts.dims, dimidsp);
  copy(facts.attributes, nattsp);
  return PIO_NOERR;
}

int PIOc_inq_var(int ncid, int varid, char* name, nc_type* xtypep, int* ndimsp, int* dimidsp, int* nattsp) {
  return collio_scorpio_inq_var(ncid, varid, name, NC_MAX_NAME + 1, xtypep, ndimsp, dimidsp, nattsp);
}

int collio_scorpio_inq_varname(int ncid, int varid, char* name, int namelen) {
  return collio_scorpio_inq_var(ncid, varid, name, namelen, nullptr, nullptr, nullptr, nullptr);
}

int PIOc_inq_varname(int ncid, int varid, char* name) {
  return PIOc_inq_var(ncid, varid, name, nullptr, nullptr, nullptr, nullptr);
}

int PIOc_inq_vartype(int ncid, int varid, nc_type* xtypep) {
  return PIOc_inq_var(ncid, varid, nullptr, xtypep, nullptr, nullptr, nullptr);
}

int PIOc_inq_varndims(int ncid, int varid, int* ndimsp) {
  return PIOc_inq_var(ncid, varid, nullptr, nullptr, ndimsp, nullptr, nullptr);
}

int PIOc_inq_vardimid(int ncid, int varid, int* dimidsp) {
  return PIOc_inq_var(ncid, varid, nullptr, nullptr, nullptr, dimidsp, nullptr);
}

int PIOc_inq_varnatts(int ncid, int varid, int* nattsp) {
  if (varid == NC_GLOBAL) return PIOc_inq_natts(ncid, nattsp);
  return PIOc_inq_var(ncid, varid, nullptr, nullptr, nullptr, nullptr, nattsp);
}

int PIOc_rename_var(int ncid, int varid, const char* name) {
  const auto run = [&](int id) { return named(name, [&] { return ncmpi_rename_var(id, varid, name); }); };
  return ask(ncid, {"PIOc_rename_var", number(varid) + " to " + quoted(name), run, true});
}

int PIOc_set_fill(int ncid, int fillmode, int* old_modep) {
  int before = 0;
  const auto run = [&](int id) { return ncmpi_set_fill(id, fillmode, &before); };
  const int code = ask(ncid, {"PIOc_set_fill", number(fillmode), run}, {out(before), out(fillmode)});
  if (code != PIO_NOERR) return code;
  copy(before, old_modep);
  find_file(ncid)->fill_mode = fillmode;
  return PIO_NOERR;
}

int PIOc_def_var_fill(int ncid, int varid, int no_fill, const void* fill_value) {
  const auto run = [&](int id) { return ncmpi_def_var_fill(id, varid, no_fill, fill_value); };
  return ask(ncid, {"PIOc_def_var_fill", number(varid), run});
}

int PIOc_inq_var_fill(int ncid, int varid, int* no_fill, void* fill_valuep) {
  struct {
    int no_fill = 0, type = NC_NAT;
    char value[8] = {};
  } facts;
  const auto run = [&](int id) {
    reading::Inquired found;
    if (const int code = reading::inq_var(id, varid, found)) return code;
    facts.type = found.type;
    return reading::inq_var_fill(id, varid, &facts.no_fill, facts.value);
  };
  if (const int code = ask(ncid, {"PIOc_inq_var_fill", number(varid), run}, {out(facts)})) return code;
  copy(facts.no_fill, no_fill);
  if (fill_valuep) std::memcpy(fill_valuep, facts.value, static_cast<std::size_t>(type_bytes(facts.type)));
  return PIO_NOERR;
}
}
