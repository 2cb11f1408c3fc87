// See failure.hpp.
#include "failure.hpp"

#include <collio/collio.h>

#include <cstdio>
#include <cstring>

#include "system.hpp"

namespace collio::pio {

namespace {

std::string& last_text() {
  static std::string text;
  return text;
}

const char* advice(int code) {
  switch (code) {
    case NC_ENOENT:
      return ". Check the path, and that all nodes see it.";
    case NC_EEXIST:
      return ". Create without PIO_NOCLOBBER to replace the file.";
    case NC_ENAMEINUSE:
      return ". Names are unique among the dimensions, and among the variables, of a file.";
    case NC_EINDEFINE:
      return ". Call PIOc_enddef() first.";
    case NC_ENOTINDEFINE:
      return ". Call PIOc_redef() first.";
    case NC_EPERM:
      return ". The file was opened without PIO_WRITE.";
    case NC_EVARSIZE:
      return ". Create the file with PIO_64BIT_OFFSET or PIO_64BIT_DATA.";
    case NC_ESTRICTCDF2:
      return ". Create the file with PIO_64BIT_DATA for this type.";
    default:
      return "";
  }
}

int code_of_collio(int code) {
  switch (code) {
    case COLLIO_OK:
      return PIO_NOERR;
    case COLLIO_ERR_ARGUMENT:
      return NC_EINVAL;
    case COLLIO_ERR_NO_MEMORY:
      return NC_ENOMEM;
    case COLLIO_ERR_BAD_FILE:
      return NC_EBAD_FILE;
    case COLLIO_ERR_NO_SUCH_FILE:
      return NC_ENOENT;
    case COLLIO_ERR_ACCESS:
      return NC_EACCESS;
    case COLLIO_ERR_READ_ONLY:
      return NC_EPERM;
    case COLLIO_ERR_QUOTA:
      return NC_EQUOTA;
    case COLLIO_ERR_NO_SPACE:
      return NC_ENO_SPACE;
    default:
      return NC_EIO;
  }
}

}  // namespace

void keep_worse(Failure& kept, Failure other) {
  if (order(other.code) < order(kept.code)) kept = std::move(other);
}

Failure netcdf_failure(int code, const std::string& what) {
  if (code == PIO_NOERR) return {};
  std::string text = code_text(code);
  if (text.ends_with('.')) text.pop_back();
  return {code, what + ": " + text + advice(code)};
}

Failure collio_failure(int code, const std::string& what) {
  if (code == COLLIO_OK) return {};
  return {code_of_collio(code), what + ": " + collio_error_text()};
}

Failure not_allowed(const std::string& what, long long value, const std::string& allowed) {
  return {PIO_EINVAL, what + " is " + std::to_string(value) + "; allowed: " + allowed};
}

std::string code_text(int code) {
  switch (code) {
    case PIO_NOERR:
      return "No error";
    case PIO_EBADIOTYPE:
      return "Bad IO type";
    case PIO_EVARDIMMISMATCH:
      return "Variable dim mismatch in multivar call";
    case PIO_EBADREARR:
      return "Rearranger mismatch in async mode";
    default:
      break;
  }
  if (code > 0) return std::strerror(code);
  return code > PIO_FIRST_ERROR_CODE ? ncmpi_strerror(code) : "Unknown Error: Unrecognized error code";
}

int& default_handler() {
  static int handler = PIO_INTERNAL_ERROR;
  return handler;
}

int& log_level() {
  static int level = -1;
  return level;
}

// SCORPIO has PIO_REDUCE_ERROR, and so one value more than ParallelIO.
bool is_handler(int method) { return method <= PIO_INTERNAL_ERROR && method >= PIO_INTERNAL_ERROR - 3; }

int report(const System* system, const Failure& failure) {
  if (!failure) return PIO_NOERR;
  last_text() = failure.text;
  const bool ends = (system ? system->handler : default_handler()) == PIO_INTERNAL_ERROR;
  const bool prints = !failure.agreed || !system || system->rank == system->root;
  if ((ends || log_level() >= 0) && prints) std::fprintf(stderr, "collio (PIO): %s\n", failure.text.c_str());
  if (ends) {
    // Nobody aborts the job before the text is out.
    if (failure.agreed && system) MPI_Barrier(system->comm);
    MPI_Abort(system ? system->comm : MPI_COMM_WORLD, 1);
  }
  return failure.code;
}

}  // namespace collio::pio

extern "C" {

const char* collio_pio_error_text(void) { return collio::pio::last_text().c_str(); }

int PIOc_strerror(int pioerr, char* errstr) {
  if (!errstr)
    return collio::pio::report(nullptr, {PIO_EINVAL, "PIOc_strerror: the place for the text is null"});
  std::snprintf(errstr, PIO_MAX_NAME + 1, "%s", collio::pio::code_text(pioerr).c_str());
  return PIO_NOERR;
}

int PIOc_set_log_level(int level) {
  collio::pio::log_level() = level;
  return PIO_NOERR;
}

int PIOc_set_global_log_level(int, int level) { return PIOc_set_log_level(level); }
}
