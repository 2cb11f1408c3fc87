// What collio says to programs that do not put what they declared, or come to another call amid an epoch; and
// an epoch on a full disk. No rank may hang.
#include <collio/collio.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "check.hpp"

namespace {

using collio::test::Program;
using Bytes = std::vector<unsigned char>;
using Numbers = std::vector<std::int64_t>;

/// Arrays of 100, 100 and 200 bytes a rank and record: the first two are a group, as buffers have so many
/// bytes.
class Misuse {
 public:
  explicit Misuse(Program& check) : c_(check), path_(check.temporary("epoch_misuse")) {}

  void run() {
    declarations();
    orders();
    left_amid();
    cancelled();
    without_puts();
    full_disk();
  }

 private:
  static constexpr std::int64_t buffer = 200, record = 400;  // a rank
  static std::int64_t block(int variable) { return variable < 2 ? 100 : 200; }

  void local(int code, int expected, const std::string& text,
             std::source_location where = std::source_location::current()) {
    c_.equal(code, expected, collio_error_text(), where);
    c_.that(std::string(collio_error_text()).find(text) != std::string::npos,
            (std::string("the text is: ") + collio_error_text()).c_str(), where);
  }
  void same(int code, int expected, std::source_location where = std::source_location::current()) {
    c_.equal(code, expected, collio_error_text(), where);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  collio_file* opened(const std::string& more = "") {
    collio_file* file = nullptr;
    const std::string hints = "cb_nodes=1;cb_buffer_size=" + std::to_string(buffer * c_.size) + ";" + more;
    same(collio_open(MPI_COMM_WORLD, path_.c_str(),
                     COLLIO_READ | COLLIO_WRITE | COLLIO_CREATE | COLLIO_TRUNCATE, hints.c_str(), &file),
         COLLIO_OK);
    for (int v = 0; v < 3; ++v) {
      const Numbers shape{block(v) * c_.size}, start{block(v) * c_.rank}, count{block(v)};
      collio_decomposition* made = nullptr;
      collio_box(1, shape.data(), start.data(), count.data(), &made);
      same(collio_define(file, made, 1, 100 * v * c_.size, record * c_.size, &v_[v]), COLLIO_OK);
      collio_free(&made);
    }
    return file;
  }

  void declare_three(collio_file* file) {
    const collio_part parts[] = {{v_[0], 0}, {v_[1], 0}, {v_[2], 0}};
    same(collio_declare(file, 3, parts, 0), COLLIO_OK);
  }
  int put(int variable, std::int64_t at, unsigned char byte = 1) {
    data_[static_cast<std::size_t>(variable)].assign(static_cast<std::size_t>(block(variable)), byte);
    return collio_put(v_[variable], at, data_[static_cast<std::size_t>(variable)].data(), nullptr);
  }

  void declarations() {
    collio_file* file = opened();
    std::int64_t end = 0;
    local(collio_wait_puts(file, 1), COLLIO_ERR_ARGUMENT, "no puts are declared");
    local(collio_group_end(file, 0, &end), COLLIO_ERR_ARGUMENT, "no puts are declared");
    collio_part parts[] = {{v_[0], 0}, {nullptr, 0}};
    same(collio_declare(file, c_.rank == 0 ? 2 : 1, parts, 0), COLLIO_ERR_ARGUMENT);
    if (c_.rank == 0) local(COLLIO_ERR_ARGUMENT, COLLIO_ERR_ARGUMENT, "declared put 1: its variable is null");
    same(collio_declare(file, -1, parts, 0), COLLIO_ERR_ARGUMENT);
    same(collio_declare(file, 1, nullptr, 0), COLLIO_ERR_ARGUMENT);
    parts[0].record = -5;
    same(collio_declare(file, 1, parts, 0), COLLIO_ERR_ARGUMENT);
    local(COLLIO_ERR_ARGUMENT, COLLIO_ERR_ARGUMENT, "record is -5");
    const collio_part alike[] = {{v_[0], 0}, {v_[1], 0}, {v_[0], 0}};
    same(collio_declare(file, 3, alike, -2), COLLIO_ERR_ARGUMENT);
    local(COLLIO_ERR_ARGUMENT, COLLIO_ERR_ARGUMENT, "in_memory is -2");
    same(collio_declare(file, 3, alike, c_.rank == 0 ? 2 : 0), COLLIO_ERR_ARGUMENT);
    local(COLLIO_ERR_ARGUMENT, COLLIO_ERR_ARGUMENT, "in_memory is 2; allowed: 3 and more, or 0");
    same(put(0, 0), COLLIO_OK);
    same(collio_commit(file, nullptr), COLLIO_OK);  // as if nothing had been declared
    declare_three(file);
    c_.that(collio_group_end(file, 0, &end) == COLLIO_OK && end == 2, "the first group");
    c_.that(collio_group_end(file, 2, &end) == COLLIO_OK && end == 3, "the second group");
    local(collio_group_end(file, 3, &end), COLLIO_ERR_ARGUMENT, "put is 3; allowed: 0 to 2");
    same(collio_declare(file, 0, nullptr, 0), COLLIO_OK);
    same(put(2, 4), COLLIO_OK);
    same(collio_commit(file, nullptr), COLLIO_OK);
    same(collio_close(&file), COLLIO_OK);
    file = nullptr;
    same(collio_open(MPI_COMM_WORLD, path_.c_str(), COLLIO_READ, nullptr, &file), COLLIO_OK);
    same(collio_declare(file, 0, nullptr, 0), COLLIO_ERR_READ_ONLY);
    same(collio_close(&file), COLLIO_OK);
  }

  /// Puts that are not those declared: an error at once, and of the commit on all ranks. The next epoch is
  /// well.
  void orders() {
    collio_file* file = opened();
    declare_three(file);
    const bool mine = c_.rank == c_.size - 1;
    if (mine)
      local(put(0, std::numeric_limits<std::int64_t>::min()), COLLIO_ERR_ARGUMENT,
            "the record of put 0 is -9223372036854775808; allowed: 0 and more, as declared");
    if (mine) local(put(1, 0), COLLIO_ERR_ARGUMENT, "put 0 is declared for another variable");
    same(put(0, 7), COLLIO_OK);
    if (mine) local(put(1, 8), COLLIO_ERR_ARGUMENT, "the record of put 1 is 8; allowed: 7, as declared");
    local(collio_wait_puts(file, 1), COLLIO_ERR_ARGUMENT,
          "put 0 is written together with those before put 2; 1 were made");
    local(collio_wait_puts(file, 2), COLLIO_ERR_ARGUMENT, "puts is 2; allowed: 0 to 1");
    same(put(1, 7), COLLIO_OK);
    c_.equal(collio_wait_puts(file, 2), COLLIO_ERR_ARGUMENT, "what became of a group with a wrong put");
    same(put(2, 7), COLLIO_OK);
    local(collio_wait_puts(file, 3), COLLIO_ERR_ARGUMENT, "before put 3, by the commit; 3 were made");
    if (mine)
      local(put(2, 7), COLLIO_ERR_ARGUMENT, "the put's number in the declared epoch is 3; allowed: 0 to 2");
    same(collio_commit(file, nullptr), COLLIO_ERR_ARGUMENT);
    for (int v = 0; v < 3; ++v) same(put(v, 0), COLLIO_OK);
    same(collio_commit(file, nullptr), COLLIO_OK);
    if (mine) same_here(collio_undefine(&v_[1]));
    same(put(0, 1), COLLIO_OK);
    if (!mine) same_here(put(1, 1));
    same(collio_commit(file, nullptr), COLLIO_ERR_ARGUMENT);
    same(collio_close(&file), COLLIO_OK);
  }
  void same_here(int code) { c_.equal(code, COLLIO_OK, collio_error_text()); }

  /// Ranks come to another call, or to the commit, at different places of their epochs.
  void left_amid() {
    collio_file* file = opened();
    const auto some = [&] {
      for (int v = 0; v < c_.rank % 4 && v < 3; ++v) same_here(put(v, 0, static_cast<unsigned char>(2 + v)));
    };
    const int expected = c_.size == 1 ? COLLIO_OK : COLLIO_ERR_ARGUMENT;  // one rank has put nothing
    declare_three(file);
    same(collio_sync(file), COLLIO_OK);
    for (int call = 0; call < 6; ++call) {
      some();
      std::int64_t place = 0;
      const collio_pieces nothing{0, &place, &place};
      same(call == 0   ? collio_sync(file)
           : call == 1 ? collio_set_size(file, 10000)
           : call == 2 ? collio_fetch(file, nullptr)
           : call == 3 ? collio_write_pieces(file, &nothing, nullptr, nullptr, nullptr)
           : call == 4 ? collio_read_pieces(file, &nothing, nullptr, nullptr, nullptr)
                       : collio_commit(file, nullptr),
           call == 5 ? COLLIO_ERR_ARGUMENT : expected);
    }
    for (int v = 0; v < 3; ++v) same(put(v, 0, 9), COLLIO_OK);
    same(collio_commit(file, nullptr), COLLIO_OK);
    some();
    same(collio_declare(file, 0, nullptr, 0), expected);
    if (c_.size == 1) declare_three(file);
    some();
    same(collio_close(&file), expected);
  }

  /// A rank gives up; the others' waits end, and what a group has written stays.
  void cancelled() {
    collio_file* file = opened();
    declare_three(file);
    for (int v = 0; v < 3; ++v) same(put(v, 0, 5), COLLIO_OK);
    same(collio_commit(file, nullptr), COLLIO_OK);
    const bool mine = c_.rank == 0;
    same_here(put(0, 0, 6));
    if (!mine) same_here(put(1, 0, 6));
    if (!mine)
      c_.equal(collio_wait_puts(file, 2), COLLIO_ERR_ARGUMENT, "the wait for a group without a rank");
    if (mine) same_here(collio_cancel(file));
    if (mine) local(put(1, 0), COLLIO_ERR_ARGUMENT, "the epoch was cancelled");
    same(collio_commit(file, nullptr), COLLIO_ERR_ARGUMENT);
    for (int v = 0; v < 3; ++v) same(put(v, 1, 7), COLLIO_OK);
    same(collio_commit(file, nullptr), COLLIO_OK);
    same(collio_close(&file), COLLIO_OK);
    std::ifstream in(path_, std::ios::binary);
    const Bytes found((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const auto half = static_cast<std::ptrdiff_t>(record * c_.size);
    c_.equal(static_cast<long long>(found.size()), 2 * half, "the file's length");
    const auto own =
        found.begin() + 100 * c_.rank;  // what others put in the group that failed may be there or not
    c_.that(std::all_of(own, own + 100, [&](unsigned char b) { return b == 5 || (!mine && b == 6); }),
            "the first array");
    c_.that(std::all_of(found.begin() + buffer * c_.size, found.begin() + half,
                        [](unsigned char b) { return b == 5; }),
            "the last array");
    c_.that(std::all_of(found.begin() + half, found.end(), [](unsigned char b) { return b == 7; }),
            "the step behind");
    MPI_Barrier(MPI_COMM_WORLD);
  }

  /// All ranks, in a wait that moves groups on.
  void meet(collio_file* file) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int done = 0; !done; MPI_Test(&request, &done, MPI_STATUS_IGNORE)) {
      same_here(collio_wait_puts(file, 0));
      usleep(10);
    }
  }

  /// A rank that declares none has made its puts of every group: the others need not wait for its commit.
  void without_puts() {
    collio_file* file = opened("cb_buffer_size=1");
    const collio_part parts[] = {{v_[0], 0}, {v_[1], 0}, {v_[2], 0}};
    const bool none = c_.rank == 0 && c_.size > 1;
    same(collio_declare(file, none ? 0 : 3, parts, 0), COLLIO_OK);
    for (int step = 0; step < 3; ++step) {
      for (int v = 0; v < 3 && !none; ++v) {
        same_here(put(v, step, static_cast<unsigned char>(1 + step)));
        if (v < 2) same_here(collio_wait_puts(file, v + 1));
      }
      meet(file);
      if (step < 2) same(collio_commit(file, nullptr), COLLIO_OK);
    }
    same(collio_sync(file), COLLIO_ERR_ARGUMENT);
    same(collio_sync(file), COLLIO_OK);
    same(collio_close(&file), COLLIO_OK);
  }

  /// The error of the first group is that of the commit, on all ranks. The next step is written.
  void full_disk() {
    collio_file* file = opened("collio_faults=all:write1:ENOSPC");
    declare_three(file);
    for (int v = 0; v < 3; ++v) same(put(v, 0, 5), COLLIO_OK);
    c_.equal(collio_wait_puts(file, 2), COLLIO_ERR_NO_SPACE, collio_error_text());
    collio_request* request = nullptr;
    same(collio_commit(file, &request), COLLIO_OK);
    same(collio_wait(&request, nullptr), COLLIO_ERR_NO_SPACE);
    for (int v = 0; v < 3; ++v) same(put(v, 0, 5), COLLIO_OK);
    same(collio_commit(file, nullptr), COLLIO_OK);
    same(collio_close(&file), COLLIO_OK);
  }

  Program& c_;
  std::string path_;
  collio_variable* v_[3] = {};
  Bytes data_[3];
};

}  // namespace

int main(int argc, char** argv) {
  Program check(argc, argv);
  Misuse(check).run();
  return check.finish();
}
