// What collio as a library says of wrong arguments and failed storage: the same code on all ranks, a text
// that names the value, and a file that can be used further.
#include <collio/collio.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "check.hpp"

namespace {

using collio::test::Program;
using Numbers = std::vector<std::int64_t>;

class Errors {
 public:
  explicit Errors(Program& check) : c_(check), path_(check.temporary("library_errors")) {}

  void run() {
    opening();
    decompositions();
    declared();
    overlaps();
    lists();
    late_waits();
    renamed();
    storage();
  }

 private:
  /// The code on this rank, and a part of the text.
  void local(int code, int expected, const std::string& text,
             std::source_location where = std::source_location::current()) {
    c_.equal(code, expected, "the code", where);
    c_.that(std::string(collio_error_text()).find(text) != std::string::npos,
            (std::string("the text is: ") + collio_error_text()).c_str(), where);
  }
  /// The code on all ranks; `text` on those that have one. Collective.
  void all(int code, int expected, const std::string& text = "",
           std::source_location where = std::source_location::current()) {
    c_.equal(code, expected, collio_error_text(), where);
    if (!text.empty()) local(code, expected, text, where);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  void good(int code, std::source_location where = std::source_location::current()) {
    c_.equal(code, COLLIO_OK, collio_error_text(), where);
  }
  collio_file* opened(int mode, const char* hints = nullptr) {
    collio_file* file = nullptr;
    good(collio_open(MPI_COMM_WORLD, path_.c_str(), mode, hints, &file));
    return file;
  }
  [[nodiscard]] bool first() const { return c_.rank == 0; }

  void opening() {
    collio_file* file = nullptr;
    const auto open = [&](const char* path, int mode) {
      return collio_open(MPI_COMM_WORLD, path, mode, nullptr, &file);
    };
    all(open(path_.c_str(), 0), COLLIO_ERR_ARGUMENT, "mode is 0; allowed: COLLIO_READ");
    all(open(path_.c_str(), COLLIO_READ | COLLIO_CREATE), COLLIO_ERR_ARGUMENT, "mode is 5");
    all(open("", COLLIO_READ), COLLIO_ERR_ARGUMENT, "path is empty");
    all(open(path_.c_str(), COLLIO_READ), COLLIO_ERR_NO_SUCH_FILE, path_);
    all(open((path_ + "/none/x").c_str(), COLLIO_WRITE | COLLIO_CREATE), COLLIO_ERR_NO_SUCH_FILE,
        "cannot create");
    good(open(path_.c_str(), COLLIO_WRITE | COLLIO_CREATE | COLLIO_EXCLUSIVE));
    good(collio_close(&file));
    c_.that(file == nullptr, "a closed file is null");
    all(open(path_.c_str(), COLLIO_WRITE | COLLIO_CREATE | COLLIO_EXCLUSIVE), COLLIO_ERR_FILE_EXISTS,
        "exists");
    if (c_.size > 1)
      all(open(path_.c_str(), first() ? COLLIO_READ : COLLIO_WRITE), COLLIO_ERR_NOT_SAME, "different modes");
    if (c_.size > 1) {
      const std::string own = path_ + std::to_string(c_.rank);
      all(open(own.c_str(), COLLIO_WRITE | COLLIO_CREATE), COLLIO_ERR_NOT_SAME, "different paths");
    }
    all(collio_open(MPI_COMM_WORLD, path_.c_str(), COLLIO_WRITE, nullptr, first() ? nullptr : &file),
        COLLIO_ERR_ARGUMENT);
    for (const char* layout : {"", "3", "0 4096", "3 4096 x", "2 4096 8192 100 9000 52 0"})
      all(collio_open(MPI_COMM_WORLD, path_.c_str(), COLLIO_READ,
                      (std::string("collio_array_subfiles=") + layout).c_str(), &file),
          COLLIO_ERR_ARGUMENT, "collio_array_subfiles is \"" + std::string(layout) + "\"; allowed: the text");
    local(collio_open(MPI_COMM_NULL, path_.c_str(), COLLIO_READ, nullptr, &file), COLLIO_ERR_ARGUMENT,
          "MPI_COMM_NULL");
    local(collio_close(&file), COLLIO_ERR_ARGUMENT, "null");
    c_.that(std::strlen(collio_version()) >= 5, "the version");
  }

  void decompositions() {
    collio_decomposition* made = nullptr;
    const Numbers shape{4}, wrong{3, 9};
    local(collio_map(1, shape.data(), 2, wrong.data(), &made), COLLIO_ERR_ARGUMENT,
          "map[1] is 9; allowed: -1 to 3");
    local(collio_map(8, shape.data(), 2, wrong.data(), &made), COLLIO_ERR_ARGUMENT,
          "dims is 8; allowed: 1 to 7");
    local(collio_map(1, shape.data(), -1, wrong.data(), &made), COLLIO_ERR_ARGUMENT, "elements is -1");
    local(collio_box(1, shape.data(), nullptr, shape.data(), &made), COLLIO_ERR_ARGUMENT, "null");
    c_.that(made == nullptr, "nothing was made");
  }

  collio_variable* variable(collio_file* file, const Numbers& map, std::int64_t record_bytes = 0) {
    const Numbers shape{1000};
    collio_decomposition* elements = nullptr;
    collio_variable* made = nullptr;
    good(collio_map(1, shape.data(), static_cast<std::int64_t>(map.size()), map.data(), &elements));
    good(collio_define(file, elements, 4, 0, record_bytes, &made));
    local(collio_define(file, elements, 0, 0, 0, &made), COLLIO_ERR_ARGUMENT,
          "element_bytes is 0; allowed: 1 to");
    local(collio_define(file, elements, 4, 0, 3999, &made), COLLIO_ERR_ARGUMENT,
          "record_bytes is 3999; allowed: 0 for no records, or 4000");
    good(collio_free(&elements));
    return made;
  }

  /// An error of one rank's put is one of the commit on all; the next commit is well.
  void declared() {
    collio_file* file = opened(COLLIO_WRITE);
    collio_variable* mine = variable(file, {c_.rank, 100 + c_.rank});
    const std::vector<int> data{c_.rank, -c_.rank};
    if (first())
      local(collio_put(mine, 1, data.data(), nullptr), COLLIO_ERR_ARGUMENT,
            "record is 1; allowed: 0, as the variable has no records");
    all(collio_commit(file, nullptr), COLLIO_ERR_ARGUMENT);
    if (first()) local(collio_put(mine, 0, nullptr, nullptr), COLLIO_ERR_ARGUMENT, "data is null");
    good(collio_cancel(file));
    all(collio_commit(file, nullptr), COLLIO_OK);
    std::vector<int> back(2);
    local(collio_get(mine, 0, back.data(), nullptr), COLLIO_ERR_ACCESS, "without COLLIO_READ");
    all(collio_fetch(file, nullptr), COLLIO_ERR_ACCESS);
    collio_request* request = nullptr;
    if (first()) local(collio_put(mine, -1, data.data(), nullptr), COLLIO_ERR_ARGUMENT, "record is -1");
    good(collio_commit(file, &request));
    all(collio_wait(&request, nullptr), COLLIO_ERR_ARGUMENT);
    c_.that(request == nullptr, "a request that was waited for is null");
    if (c_.rank == c_.size - 1) good(collio_put(mine, 0, data.data(), nullptr));
    all(collio_close(&file), COLLIO_ERR_ARGUMENT);
    file = opened(COLLIO_READ);
    mine = variable(file, {c_.rank});
    local(collio_put(mine, 0, data.data(), nullptr), COLLIO_ERR_READ_ONLY, "without COLLIO_WRITE");
    all(collio_commit(file, nullptr), COLLIO_ERR_READ_ONLY);
    good(collio_close(&file));
  }

  void overlaps() {
    collio_file* file = opened(COLLIO_WRITE);
    const std::vector<int> data(4, 7);
    collio_variable *twice = variable(file, {5, 5}), *once = variable(file, {6 + c_.rank, 200 + c_.rank});
    local(collio_put(twice, 0, data.data(), nullptr), COLLIO_ERR_ARGUMENT, "elements twice");
    all(collio_commit(file, nullptr), COLLIO_ERR_ARGUMENT);
    good(collio_put(once, 0, data.data(), nullptr));
    good(collio_put(once, 0, data.data(), nullptr));
    all(collio_commit(file, nullptr), COLLIO_ERR_ARGUMENT, "are written twice in one call");
    good(collio_put(once, 0, data.data(), nullptr));
    all(collio_commit(file, nullptr), COLLIO_OK);
    all(collio_set_size(file, first() ? 100 : 101), c_.size > 1 ? COLLIO_ERR_NOT_SAME : COLLIO_OK);
    all(collio_set_size(file, -1), COLLIO_ERR_ARGUMENT, "the size is -1");
    all(collio_set_size(file, 5000), COLLIO_OK);
    all(collio_sync(file), COLLIO_OK);
    std::int64_t size = 0;
    good(collio_size(file, &size));
    c_.equal(size, 5000, "the size");
    good(collio_close(&file));
  }

  /// Direct calls: pieces in any order, each half of a rank's bytes elsewhere in memory.
  void lists() {
    collio_file* file = opened(COLLIO_READ | COLLIO_WRITE | COLLIO_TRUNCATE);
    const std::int64_t at = 30 * c_.rank;
    const Numbers offsets{at + 20, at, at + 10}, lengths{10, 5, 10}, memory_offsets{100, 0},
        memory_lengths{12, 13};
    std::vector<unsigned char> data(128), back(128, 0);
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<unsigned char>(i + 1 + static_cast<std::size_t>(c_.rank));
    const collio_pieces pieces{3, offsets.data(), lengths.data()},
        memory{2, memory_offsets.data(), memory_lengths.data()};
    all(collio_write_pieces(file, &pieces, data.data(), &memory, nullptr), COLLIO_OK);
    all(collio_read_pieces(file, &pieces, back.data(), &memory, nullptr), COLLIO_OK);
    c_.that(std::memcmp(back.data() + 100, data.data() + 100, 12) == 0 &&
                std::memcmp(back.data(), data.data(), 13) == 0,
            "pieces");
    std::int64_t bytes = 0;
    good(collio_read_alone(file, &pieces, back.data(), nullptr, &bytes));
    c_.equal(bytes, 25, "bytes read alone");
    c_.that(std::memcmp(back.data(), data.data() + 100, 12) == 0 &&
                std::memcmp(back.data() + 12, data.data(), 13) == 0,
            "pieces alone");
    good(collio_write_alone(file, &pieces, data.data(), nullptr, &bytes));
    good(collio_read_alone(file, &pieces, back.data(), nullptr, nullptr));
    c_.that(std::memcmp(back.data(), data.data(), 25) == 0, "pieces written alone");
    const collio_pieces short_memory{1, memory_offsets.data(), memory_lengths.data()};
    if (first()) {
      local(collio_read_alone(file, &pieces, back.data(), &short_memory, nullptr), COLLIO_ERR_ARGUMENT,
            "the pieces in the file have 25 bytes, those in memory 12");
    }
    all(collio_write_pieces(file, &pieces, data.data(), first() ? &short_memory : nullptr, nullptr),
        COLLIO_ERR_ARGUMENT);
    const Numbers negative{-1};
    const collio_pieces wrong{1, negative.data(), lengths.data()},
        negative_length{1, offsets.data(), negative.data()};
    all(collio_write_pieces(file, &wrong, data.data(), nullptr, nullptr), COLLIO_ERR_ARGUMENT,
        "the offset of piece 0 in the file is -1");
    all(collio_read_pieces(file, &negative_length, back.data(), nullptr, nullptr), COLLIO_ERR_ARGUMENT,
        "the length of piece 0 in the file is -1");
    good(collio_close(&file));
  }

  /// Requests that some ranks wait for before they close the file, others afterwards; and an element that
  /// comes twice.
  void late_waits() {
    for (int round = 0; round < 3; ++round) {
      collio_file* file = opened(COLLIO_READ | COLLIO_WRITE);
      collio_variable *mine = variable(file, {c_.rank}), *twice = variable(file, {c_.rank, c_.rank});
      const int data = 1000 + c_.rank;
      int back[2] = {0, 0};
      collio_request *writing = nullptr, *reading = nullptr;
      std::int64_t bytes = 0;
      good(collio_put(mine, 0, &data, nullptr));
      good(collio_commit(file, &writing));
      good(collio_undefine(&mine));
      good(collio_get(twice, 0, back, nullptr));
      good(collio_fetch(file, &reading));
      if (c_.rank % 2 == 0) good(collio_wait(&writing, &bytes));
      good(collio_close(&file));
      if (c_.rank % 2 != 0) good(collio_wait(&writing, &bytes));
      c_.equal(bytes, 4, "bytes written");
      good(collio_wait(&reading, &bytes));
      c_.equal(bytes, 8, "bytes read");
      c_.that(back[0] == data && back[1] == data, "both places of an element");
    }
  }

  /// The file's name goes to another file: that one stays as it is.
  void renamed() {
    collio_file* file = opened(COLLIO_WRITE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (first()) {
      std::filesystem::rename(path_, path_ + ".old");
      std::ofstream(path_) << "another";
    }
    all(collio_set_size(file, 2), COLLIO_ERR_NO_SUCH_FILE);
    std::int64_t size = 0;
    all(collio_size(file, &size), COLLIO_ERR_NO_SUCH_FILE, "another file has this name now");
    good(collio_close(&file));
    c_.equal(static_cast<long long>(std::filesystem::file_size(path_)), 7, "bytes of the other file");
    MPI_Barrier(MPI_COMM_WORLD);
    if (first()) std::filesystem::remove(path_ + ".old");
  }

  /// A disk that is full for one rank.
  void storage() {
    collio_file* file = opened(COLLIO_WRITE, "collio_faults=all:write:ENOSPC");
    collio_variable* mine = variable(file, {c_.rank});
    const int data = 1;
    good(collio_put(mine, 0, &data, nullptr));
    all(collio_commit(file, nullptr), COLLIO_ERR_NO_SPACE, "No space left");
    good(collio_close(&file));
  }

  Program& c_;
  std::string path_;
};

}  // namespace

int main(int argc, char** argv) {
  Program check(argc, argv);
  Errors(check).run();
  return check.finish();
}
