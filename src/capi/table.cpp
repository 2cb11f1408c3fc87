// What the engine has of collio.h: the table that libcollio.so asks for.
#include <mpi.h>

#include "capi/declare.hpp"
#include "capi/epoch.hpp"
#include "capi/error.hpp"
#include "capi/file.hpp"
#include "capi/library.h"
#include "capi/saved.hpp"
#include "capi/transfer.hpp"
#include "transport/waiting/communicators.hpp"

extern "C" __attribute__((visibility("default"))) const collio_library* collio_library_start() {
  using namespace collio::capi;
  static const collio_library table{
      .version = COLLIO_LIBRARY_VERSION,
      .error_text = error_text,
      .end_job = [](int code) -> int { collio::transport::end_job(MPI_COMM_WORLD, code); },
      .open_f = open_file,
      .close = close_file,
      .sync = sync_file,
      .size = size_of_file,
      .set_size = set_size,
      .delete_file = delete_file,
      .replace_file = replace_file,
      .box = make_box,
      .map = make_map,
      .free = free_decomposition,
      .inquire = inquire,
      .indices = indices,
      .save_f = save,
      .load_f = load,
      .define =
          [](collio_file* file, const collio_decomposition* decomposition, int64_t element_bytes,
             int64_t offset, int64_t record_bytes, collio_variable** variable) {
            return define(file, {decomposition, element_bytes, offset, record_bytes}, variable);
          },
      .undefine = undefine,
      .put = put,
      .get = get,
      .commit = commit,
      .fetch = fetch,
      .wait = wait,
      .test = test,
      .cancel = cancel,
      .declare = declare,
      .wait_puts = wait_puts,
      .group_end = group_end,
      .write_pieces = write_pieces,
      .read_pieces = read_pieces,
      .write_alone = write_alone,
      .read_alone = read_alone,
  };
  return &table;
}
