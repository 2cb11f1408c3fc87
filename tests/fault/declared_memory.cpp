// A rank that has no memory for the lists of a declaration: it ends on all ranks with one code, and the file
// works afterwards. The program's malloc refuses the engine one long allocation after the other on each rank
// in turn.
#include <collio/collio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "../mpi/check.hpp"
#include "engine_code.hpp"

extern "C" void* __libc_malloc(std::size_t bytes);

namespace {

struct {
  collio::test::EngineCode code;
  int refused = 0, seen = 0;  ///< number of the allocation to refuse, 0: none; and of the last one
} engine;
constexpr std::size_t long_bytes = 200 << 10;

}  // namespace

extern "C" void* malloc(std::size_t bytes) {
  if (engine.refused == 0 || bytes < long_bytes || !engine.code.has(__builtin_return_address(0)) ||
      ++engine.seen != engine.refused)
    return __libc_malloc(bytes);
  errno = ENOMEM;
  return nullptr;
}

namespace {

using collio::test::Program;

class Declarations {
 public:
  explicit Declarations(Program& check) : c_(check), parts_(check.rank == check.size - 1 ? 60000 : 100000) {}

  void run() {
    c_.equal(collio_open(MPI_COMM_WORLD, c_.temporary("declared").c_str(),
                         COLLIO_WRITE | COLLIO_CREATE | COLLIO_TRUNCATE, nullptr, &file_),
             COLLIO_OK, collio_error_text());
    const std::int64_t shape = c_.size, start = c_.rank, count = 1;
    collio_decomposition* one = nullptr;
    collio_box(1, &shape, &start, &count, &one);
    collio_variable* variable = nullptr;
    c_.equal(collio_define(file_, one, 1, 0, shape, &variable), COLLIO_OK, collio_error_text());
    collio_free(&one);
    for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i] = {variable, static_cast<std::int64_t>(i)};
    engine.code = collio::test::find_engine();
    int refusals = 0;
    for (int who = 0; who < c_.size; ++who)
      for (int number = 1; declare(who, number, refusals); ++number) {}
    c_.that(refusals > 0, "a declaration without memory");
    c_.equal(collio_declare(file_, 0, nullptr, 0), COLLIO_OK, collio_error_text());
    c_.equal(collio_close(&file_), COLLIO_OK, collio_error_text());
  }

 private:
  /// Whether the rank had so many allocations.
  bool declare(int who, int number, int& refusals) {
    engine.seen = 0;
    engine.refused = who == c_.rank ? number : 0;
    const int code = collio_declare(file_, static_cast<std::int64_t>(parts_.size()), parts_.data(), 0);
    engine.refused = 0;
    int found[] = {code, -code, engine.seen};
    MPI_Allreduce(MPI_IN_PLACE, found, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    c_.equal(code, found[0], collio_error_text());
    c_.that(code == COLLIO_OK || code == COLLIO_ERR_NO_MEMORY, collio_error_text());
    refusals += code == COLLIO_ERR_NO_MEMORY;
    c_.equal(collio_sync(file_), COLLIO_OK, collio_error_text());
    return found[2] >= number;
  }

  Program& c_;
  std::vector<collio_part> parts_;
  collio_file* file_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  Program check(argc, argv, 60);
  Declarations(check).run();
  return check.finish();
}
