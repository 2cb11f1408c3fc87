// Declared epochs against a model: random variables, orders and numbers of puts on each rank, small
// collective buffers so that an epoch has several groups, and data that changes as soon as collio allows it.
// And what is said of programs that do not do what they declared; no rank may hang.
//
//     test_epochs [CASES [SEED]]
#include <collio/collio.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <random>

#include "check.hpp"

namespace {

using collio::test::Program;
using Bytes = std::vector<unsigned char>;
using Numbers = std::vector<std::int64_t>;

unsigned char value_at(std::int64_t variable, std::int64_t record, std::int64_t element) {
  return static_cast<unsigned char>(1 + (37 * variable + 101 * record + 11 * element) % 251);
}

/// One of the variables, all of one byte an element: one behind the other, or element by element.
struct Variable {
  collio_variable* handle = nullptr;
  Numbers map;  ///< this rank's elements
  std::int64_t offset = 0, record_bytes = 0, distance = 1;

  [[nodiscard]] std::int64_t place_of(std::int64_t element, std::int64_t record) const {
    return offset + record * record_bytes + element * distance;
  }
};

class Epochs {
 public:
  Epochs(Program& check, unsigned seed)
      : c_(check),
        common_(seed),
        own_(seed * 7919U + static_cast<unsigned>(check.rank)),
        path_(check.temporary("epochs")) {}

  void run() {
    open();
    const std::int64_t epochs = pick(common_, 1, 3);
    for (std::int64_t e = 0; e < epochs; ++e) {
      declare();
      const std::int64_t steps = pick(common_, 1, 3);
      for (std::int64_t s = 0; s < steps; ++s) step();
      if (pick(common_, 0, 3) == 0) c_.equal(collio_sync(file_), COLLIO_OK, collio_error_text());
    }
    for (collio_request*& request : requests_)
      c_.equal(collio_wait(&request, nullptr), 0, collio_error_text());
    c_.equal(collio_close(&file_), COLLIO_OK, collio_error_text());
    check_bytes();
  }

  static std::int64_t pick(std::mt19937& from, std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(from);
  }

 private:
  void open() {
    elements_ = pick(common_, 1, 300);
    const std::string hints = "cb_nodes=" + std::to_string(pick(common_, 1, 2)) +
                              ";cb_buffer_size=" + std::to_string(pick(common_, 1, 200)) +
                              (pick(common_, 0, 1) == 0 ? ";collio_check=enable" : "");
    c_.equal(collio_open(MPI_COMM_WORLD, path_.c_str(), COLLIO_WRITE | COLLIO_CREATE | COLLIO_TRUNCATE,
                         hints.c_str(), &file_),
             COLLIO_OK, collio_error_text());
    variables_.resize(static_cast<std::size_t>(pick(common_, 1, 6)));
    const bool interleaved = pick(common_, 0, 2) == 0;
    const auto count = static_cast<std::int64_t>(variables_.size());
    for (std::int64_t v = 0; v < count; ++v) {
      Variable& one = variables_[static_cast<std::size_t>(v)];
      one.distance = interleaved ? count : 1;
      one.offset = interleaved ? v : v * elements_;
      one.record_bytes = count * elements_;
      define(one, interleaved ? v : 0);
    }
  }

  /// Every element has one owner or none. An array of all variables' elements stands for interleaved ones.
  void define(Variable& v, std::int64_t first) {
    std::int64_t owner = 0;
    Numbers places;
    for (std::int64_t e = 0; e < elements_; ++e) {
      if (pick(common_, 0, 2) == 0) owner = pick(common_, -1, c_.size - 1);
      if (owner != c_.rank) continue;
      v.map.push_back(e);
      places.push_back(first + e * v.distance);
    }
    const Numbers shape{elements_ * v.distance};
    collio_decomposition* made = nullptr;
    c_.equal(collio_map(1, shape.data(), static_cast<std::int64_t>(places.size()), places.data(), &made),
             COLLIO_OK, collio_error_text());
    c_.equal(collio_define(file_, made, 1, v.offset - first, v.record_bytes, &v.handle), COLLIO_OK,
             collio_error_text());
    c_.equal(collio_free(&made), COLLIO_OK, collio_error_text());
  }

  /// Some of the variables, of one or two records, in an order of this rank's or of all ranks.
  void declare() {
    parts_.clear();
    records_ = pick(common_, 1, 2);
    const bool all_alike = pick(common_, 0, 1) == 0;
    for (std::int64_t r = 0; r < records_; ++r)
      for (std::size_t v = 0; v < variables_.size(); ++v)
        if (all_alike || pick(own_, 0, 4) > 0) parts_.emplace_back(v, r);
    if (!all_alike) std::shuffle(parts_.begin(), parts_.end(), own_);
    if (!all_alike && pick(own_, 0, 5) == 0) parts_.clear();
    std::vector<collio_part> list;
    for (const auto& [v, r] : parts_) list.push_back({variables_[v].handle, r});
    const auto count = static_cast<std::int64_t>(list.size());
    std::int64_t mine = pick(common_, 0, 1) == 0 ? 0 : pick(own_, 1, 6);
    int code = collio_declare(file_, count, list.data(), mine);
    const bool interleave = std::string(collio_error_text()).find(" interleave in ") != std::string::npos;
    if (mine > 0 && code == COLLIO_ERR_ARGUMENT && interleave)
      code = collio_declare(file_, count, list.data(), mine = 0);
    c_.equal(code, COLLIO_OK, collio_error_text());
    MPI_Allreduce(&mine, &in_memory_, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    check_groups(count);
  }

  void check_groups(std::int64_t count) {
    std::int64_t before = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t end = 0;
      const int code = collio_group_end(file_, i, &end);
      c_.that(code == COLLIO_OK && (i < before ? end == before : end > i), "the end of a group");
      c_.that(in_memory_ == 0 || end - i <= in_memory_, "a group that fits in memory");
      before = end;
    }
  }

  void step() {
    const auto count = static_cast<std::int64_t>(parts_.size());
    std::vector<Bytes> data(parts_.size());
    std::int64_t waited = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto& [v, r] = parts_[static_cast<std::size_t>(i)];
      Bytes& bytes = data[static_cast<std::size_t>(i)];
      for (const std::int64_t e : variables_[v].map) {
        bytes.push_back(value_at(static_cast<std::int64_t>(v), next_ + r, e));
        written_[variables_[v].place_of(e, next_ + r)] = bytes.back();
      }
      bytes.push_back(0);  // there is an address
      if (in_memory_ > 0 && i >= in_memory_) {
        c_.equal(collio_wait_puts(file_, i - in_memory_ + 1), COLLIO_OK, collio_error_text());
        std::ranges::fill(data[static_cast<std::size_t>(i - in_memory_)], 0xDD);
      }
      c_.equal(collio_put(variables_[v].handle, next_ + r, bytes.data(), nullptr), COLLIO_OK,
               collio_error_text());
      if (pick(own_, 0, 1) == 0) waited = spoil(data, waited, i);
    }
    collio_request* request = nullptr;
    const bool waits = pick(common_, 0, 1) == 0;
    c_.equal(collio_commit(file_, waits ? nullptr : &request), COLLIO_OK, collio_error_text());
    if (!waits) requests_.push_back(request);
    if (!waits) kept_.push_back(std::move(data));
    next_ += records_;
  }

  /// Waits for the groups that were put whole before put `i` or with it, and changes their data.
  std::int64_t spoil(std::vector<Bytes>& data, std::int64_t from, std::int64_t i) {
    const auto count = static_cast<std::int64_t>(parts_.size());
    std::int64_t end = 0;
    while (from <= i && collio_group_end(file_, from, &end) == COLLIO_OK && end <= i + 1 && end < count) {
      c_.equal(collio_wait_puts(file_, end), COLLIO_OK, collio_error_text());
      for (; from < end; ++from) std::ranges::fill(data[static_cast<std::size_t>(from)], 0xEE);
    }
    return from;
  }

  void check_bytes() {
    const std::int64_t length = next_ * elements_ * static_cast<std::int64_t>(variables_.size());
    Bytes mine(static_cast<std::size_t>(length), 0), all(mine), found;
    for (const auto& [place, byte] : written_) mine[static_cast<std::size_t>(place)] = byte;
    MPI_Allreduce(mine.data(), all.data(), static_cast<int>(length), MPI_UNSIGNED_CHAR, MPI_BOR,
                  MPI_COMM_WORLD);
    std::ifstream in(path_, std::ios::binary);
    found.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    c_.that(found.size() <= all.size(), "the file's length");
    found.resize(all.size());
    c_.that(found == all, "the file's bytes");
    MPI_Barrier(MPI_COMM_WORLD);
  }

  Program& c_;
  std::mt19937 common_, own_;
  std::string path_;
  collio_file* file_ = nullptr;
  std::int64_t elements_ = 0, records_ = 0, next_ = 0, in_memory_ = 0;
  std::vector<Variable> variables_;
  std::vector<std::pair<std::size_t, std::int64_t>> parts_;
  std::map<std::int64_t, unsigned char> written_;  ///< by this rank
  std::vector<collio_request*> requests_;
  std::vector<std::vector<Bytes>> kept_;
};

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
  Program check(argc, argv, 3000);
  const long cases = argc > 1 ? std::atol(argv[1]) : 60, seed = argc > 2 ? std::atol(argv[2]) : 1;
  Misuse(check).run();
  for (long i = seed; i < seed + cases && check.failures() == 0; ++i) {
    Epochs(check, static_cast<unsigned>(i)).run();
    if (check.failures() > 0 && check.rank == 0) std::fprintf(stderr, "case %ld\n", i);
  }
  return check.finish();
}
