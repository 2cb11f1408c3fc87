// What SCORPIO has and ParallelIO has not. Functions that both have with other signatures are
// collio_scorpio_…() here, in inquire.cpp and in map_files.cpp; scorpio/names.c gives them PIO's names.
#include <algorithm>
#include <cstdio>

#include "convert.hpp"
#include "file.hpp"

namespace collio::pio {

namespace {

/// Of the SCORPIO whose interface this is.
constexpr int version[] = {2, 0, 1};

/// The system of a file, or the one with this id; null: neither is known.
const System* system_of(int iosysid, int ncid) {
  const File* file = find_file(ncid);
  return file ? file->system : find_system(iosysid);
}

std::string with_place(const char* text, const char* source, int line) {
  return std::string(text ? text : "") + " (" + (source ? source : "unknown file") + ":" +
         std::to_string(line) + ")";
}

int copy_text(const char* function, const std::string& text, char* place, int length) {
  if (!place || length < 1)
    return report(nullptr, {PIO_EINVAL, std::string(function) + ": there is no place for the text"});
  std::snprintf(place, static_cast<std::size_t>(length), "%s", text.c_str());
  return PIO_NOERR;
}

}  // namespace

}  // namespace collio::pio

using namespace collio::pio;

extern "C" {

int collio_scorpio_strerror(int pioerr, char* errmsg, size_t errmsg_size) {
  return copy_text("PIOc_strerror", code_text(pioerr), errmsg,
                   static_cast<int>(std::min<size_t>(errmsg_size, PIO_MAX_NAME + 1)));
}

int PIOc_error(int iosysid, int ncid, int err_num, const char* fname, int line, const char* uerr_msg) {
  return report(system_of(iosysid, ncid),
                {err_num, with_place(uerr_msg, fname, line) + ": " + code_text(err_num)});
}

void PIOc_warn(int iosysid, int ncid, const char* fname, int line, const char* uwarn_msg) {
  const System* system = system_of(iosysid, ncid);
  if (!system || system->is_root())
    std::fprintf(stderr, "collio (PIO): warning: %s\n", with_place(uwarn_msg, fname, line).c_str());
}

int PIOc_copy_att(int incid, int ivarid, const char* name, int oncid, int ovarid) {
  nc_type type = NC_NAT;
  PIO_Offset length = 0;
  if (const int code = PIOc_inq_att(incid, ivarid, name, &type, &length)) return code;
  std::vector<char> values(static_cast<std::size_t>(length) * static_cast<std::size_t>(type_bytes(type)));
  if (const int code = PIOc_get_att(incid, ivarid, name, values.data())) return code;
  return PIOc_put_att(oncid, ovarid, name, type, length, values.data());
}

int PIOc_get_version_major(void) { return version[0]; }

int PIOc_get_version_minor(void) { return version[1]; }

int PIOc_get_version_patch(void) { return version[2]; }

int PIOc_get_version_string(char* vstr, int len) {
  const std::string text =
      std::to_string(version[0]) + "." + std::to_string(version[1]) + "." + std::to_string(version[2]);
  return copy_text("PIOc_get_version_string", text, vstr, len);
}

int PIOc_get_version_hash(char* vstr, int len) {
  return copy_text("PIOc_get_version_hash", "collio", vstr, len);
}

int PIOc_get_version(int* major, int* minor, int* patch, char* vstr, int vstr_len) {
  if (major) *major = version[0];
  if (minor) *minor = version[1];
  if (patch) *patch = version[2];
  return PIOc_get_version_string(vstr, vstr_len);
}
}
