// Entries for programs compiled with COLLIO_PIO_SCORPIO, whose signatures differ from ParallelIO's. Those of
// collio_scorpio_inq_var() and ..._inq_varname() are in inquire.cpp.
#include <cstdio>

#include "file.hpp"

extern "C" {

int collio_scorpio_strerror(int pioerr, char* errmsg, size_t errmsg_size) {
  if (!errmsg || errmsg_size == 0)
    return collio::pio::report(nullptr, {PIO_EINVAL, "PIOc_strerror: there is no place for the text"});
  std::snprintf(errmsg, errmsg_size, "%s", collio::pio::code_text(pioerr).c_str());
  return PIO_NOERR;
}

int PIOc_openfile_retry(int iosysid, int* ncidp, int* iotype, const char* fname, int mode, int) {
  return PIOc_openfile(iosysid, ncidp, iotype, fname, mode);
}
}
