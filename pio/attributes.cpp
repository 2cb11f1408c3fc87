// Attributes: PnetCDF's functions, asked on the root.
#include <cstring>

#include "convert.hpp"
#include "file.hpp"

namespace collio::pio {

namespace {

std::string where(int varid, const char* name) {
  return quoted(name) + (varid == NC_GLOBAL ? " of the file" : " of variable " + std::to_string(varid));
}

int with_name(const char* name, const std::function<int()>& call) { return name ? call() : PIO_EINVAL; }

struct Attribute {
  const char* function;
  int ncid, varid;
  const char* name;
};

int inquire(const Attribute& a, nc_type* type, PIO_Offset* length) {
  struct {
    nc_type type = NC_NAT;
    PIO_Offset length = 0;
  } facts;
  const auto run = [&](int id) {
    return with_name(a.name,
                     [&] { return reading::inq_att(id, a.varid, a.name, &facts.type, &facts.length); });
  };
  if (const int code = ask(a.ncid, {a.function, where(a.varid, a.name), run}, {out(facts)})) return code;
  if (type) *type = facts.type;
  if (length) *length = facts.length;
  return PIO_NOERR;
}

/// What `get` reads on the root, on all ranks. `element_bytes`: 0 for those of the attribute's own type.
int get_values(const Attribute& a, int element_bytes, void* values,
               const std::function<int(int, void*)>& get) {
  nc_type type = NC_NAT;
  PIO_Offset length = 0;
  if (const int code = inquire(a, &type, &length)) return code;
  const int bytes = element_bytes > 0 ? element_bytes : type_bytes(type);
  std::vector<char> buffer(static_cast<std::size_t>(length) * static_cast<std::size_t>(bytes));
  const auto run = [&](int id) { return get(id, buffer.data()); };
  const int code =
      ask(a.ncid, {a.function, where(a.varid, a.name), run}, {Out{buffer.data(), buffer.size()}});
  if (code == PIO_NOERR && values && !buffer.empty()) std::memcpy(values, buffer.data(), buffer.size());
  return code;
}

int put_values(const Attribute& a, bool missing, const std::function<int(int)>& put) {
  const auto run = [&](int id) { return a.name && !missing ? put(id) : PIO_EINVAL; };
  return ask(a.ncid, {a.function, where(a.varid, a.name), run, true});
}

}  // namespace

}  // namespace collio::pio

using namespace collio::pio;

extern "C" {

int PIOc_inq_att(int ncid, int varid, const char* name, nc_type* xtypep, PIO_Offset* lenp) {
  return inquire({"PIOc_inq_att", ncid, varid, name}, xtypep, lenp);
}

int PIOc_inq_attlen(int ncid, int varid, const char* name, PIO_Offset* lenp) {
  return inquire({"PIOc_inq_attlen", ncid, varid, name}, nullptr, lenp);
}

int PIOc_inq_atttype(int ncid, int varid, const char* name, nc_type* xtypep) {
  return inquire({"PIOc_inq_atttype", ncid, varid, name}, xtypep, nullptr);
}

int PIOc_inq_attid(int ncid, int varid, const char* name, int* idp) {
  int found = -1;
  const auto run = [&](int id) {
    return with_name(name, [&] { return reading::inq_attid(id, varid, name, &found); });
  };
  const int code = ask(ncid, {"PIOc_inq_attid", where(varid, name), run}, {out(found)});
  if (code == PIO_NOERR && idp) *idp = found;
  return code;
}

int PIOc_inq_attname(int ncid, int varid, int attnum, char* name) {
  char own[NC_MAX_NAME + 1] = {};
  const auto run = [&](int id) { return reading::inq_attname(id, varid, attnum, own); };
  const int code = ask(ncid, {"PIOc_inq_attname", "(" + std::to_string(attnum) + ")", run}, {out(own)});
  if (code == PIO_NOERR && name) std::strcpy(name, own);
  return code;
}

int PIOc_rename_att(int ncid, int varid, const char* name, const char* newname) {
  const auto run = [&](int id) {
    return name && newname ? ncmpi_rename_att(id, varid, name, newname) : PIO_EINVAL;
  };
  return ask(ncid, {"PIOc_rename_att", where(varid, name) + " to " + quoted(newname), run, true});
}

int PIOc_del_att(int ncid, int varid, const char* name) {
  const auto run = [&](int id) { return with_name(name, [&] { return ncmpi_del_att(id, varid, name); }); };
  return ask(ncid, {"PIOc_del_att", where(varid, name), run, true});
}

int PIOc_put_att(int ncid, int varid, const char* name, nc_type xtype, PIO_Offset len, const void* op) {
  return put_values({"PIOc_put_att", ncid, varid, name}, !op && len > 0,
                    [&](int id) { return ncmpi_put_att(id, varid, name, xtype, len, op); });
}

int PIOc_get_att(int ncid, int varid, const char* name, void* ip) {
  return get_values({"PIOc_get_att", ncid, varid, name}, 0, ip,
                    [&](int id, void* values) { return reading::get_att(id, varid, name, values); });
}

int PIOc_put_att_text(int ncid, int varid, const char* name, PIO_Offset len, const char* op) {
  return put_values({"PIOc_put_att_text", ncid, varid, name}, !op && len > 0,
                    [&](int id) { return ncmpi_put_att_text(id, varid, name, len, op); });
}

int PIOc_get_att_text(int ncid, int varid, const char* name, char* ip) {
  return get_values({"PIOc_get_att_text", ncid, varid, name}, 1, ip, [&](int id, void* values) {
    return reading::by_netcdf(id) ? reading::netcdf_att(id, varid, name, NC_CHAR, values)
                                  : ncmpi_get_att_text(id, varid, name, static_cast<char*>(values));
  });
}

#define COLLIO_PIO_ATTRIBUTES(suffix, ctype)                                                               \
  int PIOc_put_att_##suffix(int ncid, int varid, const char* name, nc_type xtype, PIO_Offset len,          \
                            const ctype* op) {                                                             \
    return put_values({"PIOc_put_att_" #suffix, ncid, varid, name}, !op && len > 0,                        \
                      [&](int id) { return ncmpi_put_att_##suffix(id, varid, name, xtype, len, op); });    \
  }                                                                                                        \
  int PIOc_get_att_##suffix(int ncid, int varid, const char* name, ctype* ip) {                            \
    return get_values({"PIOc_get_att_" #suffix, ncid, varid, name}, sizeof(ctype), ip,                     \
                      [&](int id, void* values) {                                                          \
                        return reading::by_netcdf(id)                                                      \
                                   ? reading::netcdf_att(id, varid, name, type_of<ctype>(), values)        \
                                   : ncmpi_get_att_##suffix(id, varid, name, static_cast<ctype*>(values)); \
                      });                                                                                  \
  }
COLLIO_PIO_NUMBER_TYPES(COLLIO_PIO_ATTRIBUTES)
}
