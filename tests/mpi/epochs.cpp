// Declared epochs against a model: random variables, orders and numbers of puts on each rank, small
// collective buffers so that an epoch has several groups, and data that changes as soon as collio allows it.
//
//     test_epochs [CASES [SEED]]
#include <collio/collio.h>

#include <algorithm>
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

}  // namespace

int main(int argc, char** argv) {
  Program check(argc, argv, 3000);
  const long cases = argc > 1 ? std::atol(argv[1]) : 60, seed = argc > 2 ? std::atol(argv[2]) : 1;
  for (long i = seed; i < seed + cases && check.failures() == 0; ++i) {
    Epochs(check, static_cast<unsigned>(i)).run();
    if (check.failures() > 0 && check.rank == 0) std::fprintf(stderr, "case %ld\n", i);
  }
  return check.finish();
}
