// Declared I/O against a model: random decompositions, puts in any order and number, commits that overlap.
//
// Every byte of an array is a function of its place, so each rank knows what the whole file must be. The
// bytes are read back by POSIX calls, and by gets through other decompositions.
//
//     test_declared [CASES [SEED]]
#include <collio/collio.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <numeric>
#include <random>

#include "check.hpp"

namespace {

using collio::test::Program;
using Numbers = std::vector<std::int64_t>;
using Bytes = std::vector<unsigned char>;

constexpr unsigned char untouched = 0xEE;

struct Freed {
  void operator()(collio_decomposition* d) const { collio_free(&d); }
};
using Decomposition = std::unique_ptr<collio_decomposition, Freed>;

unsigned char value_at(std::int64_t variable, std::int64_t record, std::int64_t byte) {
  return static_cast<unsigned char>(1 + (31 * variable + 17 * record + 7 * byte + byte / 251) % 233);
}

/// Which elements of the array a rank's block has, and how they lie in memory.
struct Block {
  Decomposition elements;
  Numbers map;              ///< array element of each block element; -1: none
  Numbers counts, strides;  ///< in elements; empty: one after the other

  [[nodiscard]] std::int64_t place_of(std::int64_t element) const {
    std::int64_t place = 0;
    for (std::size_t d = counts.size(); d-- > 0; element /= counts[d])
      place += element % counts[d] * strides[d];
    return counts.empty() ? element : place;
  }
};

/// A case: the same on all ranks but for what `own` draws.
struct Case {
  Program& check;
  std::mt19937 common, own;

  static std::int64_t pick(std::mt19937& from, std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(from);
  }

  Numbers random_shape() {
    Numbers shape(static_cast<std::size_t>(pick(common, 1, 4)));
    for (std::int64_t& n : shape) n = pick(common, 1, shape.size() > 2 ? 5 : 40);
    return shape;
  }

  void lay_out(Block& block) {
    const auto n = static_cast<std::int64_t>(block.map.size());
    if (n == 0 || pick(own, 0, 1) == 0) return;
    const std::int64_t inner = n % 3 == 0 ? 3 : 1;
    block.counts = {n / inner, inner};
    block.strides = pick(own, 0, 1) == 0 ? Numbers{2 * inner + 1, 2} : Numbers{-inner, 1};
  }

  /// Every element has one owner or none.
  Block owned(const Numbers& shape, std::int64_t elements) {
    Block block;
    const bool sorted = pick(common, 0, 1) == 0, in_runs = pick(common, 0, 1) == 0;
    std::int64_t owner = 0;
    for (std::int64_t e = 0; e < elements; ++e) {
      if (!in_runs || pick(common, 0, 4) == 0) owner = pick(common, -1, check.size - 1);
      if (owner == check.rank) block.map.push_back(e);
    }
    if (!sorted) std::shuffle(block.map.begin(), block.map.end(), own);
    if (pick(own, 0, 2) == 0) block.map.insert(block.map.begin() + pick(own, 0, block.map.size()), -1);
    lay_out(block);
    make(block, shape);
    return block;
  }

  /// Any elements, some of them twice.
  Block wanted(const Numbers& shape, std::int64_t elements) {
    Block block;
    if (pick(own, 0, 1) == 0) return box(shape);
    for (std::int64_t n = pick(own, 0, 30); n > 0; --n) block.map.push_back(pick(own, -1, elements - 1));
    lay_out(block);
    make(block, shape);
    return block;
  }

  Block box(const Numbers& shape) {
    Block block;
    Numbers start, count;
    for (const std::int64_t n : shape) {
      start.push_back(pick(own, 0, n));
      count.push_back(pick(own, 0, n - start.back()));
    }
    const std::int64_t n = std::accumulate(count.begin(), count.end(), std::int64_t{1}, std::multiplies<>());
    for (std::int64_t i = 0; i < n; ++i) {
      std::int64_t element = 0, stride = 1, rest = i;
      for (std::size_t d = shape.size(); d-- > 0; stride *= shape[d], rest /= count[d])
        element += (start[d] + rest % count[d]) * stride, rest -= rest % count[d];
      block.map.push_back(element);
    }
    collio_decomposition* made = nullptr;
    check.equal(collio_box(static_cast<int>(shape.size()), shape.data(), start.data(), count.data(), &made),
                0, "collio_box");
    block.elements.reset(made);
    lay_out(block);
    return block;
  }

  void make(Block& block, const Numbers& shape) {
    collio_decomposition* made = nullptr;
    check.equal(collio_map(static_cast<int>(shape.size()), shape.data(),
                           static_cast<std::int64_t>(block.map.size()), block.map.data(), &made),
                0, "collio_map");
    block.elements.reset(made);
  }
};

/// A block's data in memory with room around it; `data` is where element 0 is.
struct Memory {
  Bytes bytes;
  unsigned char* data;
  Numbers counts, strides;
  collio_layout layout{};

  Memory(const Block& block, std::int64_t element_bytes) : counts(block.counts) {
    std::int64_t low = 0, high = 1;
    for (std::size_t i = 0; i < block.map.size(); ++i) {
      low = std::min(low, block.place_of(static_cast<std::int64_t>(i)));
      high = std::max(high, block.place_of(static_cast<std::int64_t>(i)) + 1);
    }
    bytes.assign(static_cast<std::size_t>((high - low) * element_bytes), untouched);
    data = bytes.data() - low * element_bytes;
    for (const std::int64_t stride : block.strides) strides.push_back(stride * element_bytes);
    layout = {static_cast<int>(counts.size()), counts.data(), strides.data()};
  }
  [[nodiscard]] const collio_layout* how() const { return counts.empty() ? nullptr : &layout; }
};

struct Variable {
  collio_variable* handle = nullptr;
  std::int64_t element_bytes = 0, offset = 0, record_bytes = 0;
  Block block;
};

class DeclaredFile {
 public:
  DeclaredFile(Case& of, const std::string& path) : c_(of), path_(path) {}

  void write_and_read() {
    shape_ = c_.random_shape();
    elements_ = std::accumulate(shape_.begin(), shape_.end(), std::int64_t{1}, std::multiplies<>());
    records_ = Case::pick(c_.common, 1, 4);
    c_.check.equal(collio_open(MPI_COMM_WORLD, path_.c_str(),
                               COLLIO_READ | COLLIO_WRITE | COLLIO_CREATE | COLLIO_TRUNCATE, nullptr, &file_),
                   0, collio_error_text());
    if (!file_) return;
    define();
    write();
    check_bytes();
    read();
    c_.check.equal(collio_close(&file_), 0, "collio_close");
  }

 private:
  /// Variables one behind the other, record by record; or their elements interleaved.
  void define() {
    variables_.resize(static_cast<std::size_t>(Case::pick(c_.common, 1, 4)));
    std::int64_t at = Case::pick(c_.common, 0, 9);
    for (Variable& v : variables_) {
      v.element_bytes = std::int64_t{1} << Case::pick(c_.common, 0, 3);
      v.offset = at;
      at += elements_ * v.element_bytes;
    }
    end_ = at + (records_ - 1) * at;
    for (Variable& v : variables_) {
      v.record_bytes = at;
      v.block = c_.owned(shape_, elements_);
      c_.check.equal(
          collio_define(file_, v.block.elements.get(), v.element_bytes, v.offset, v.record_bytes, &v.handle),
          0, collio_error_text());
    }
    expected_.assign(static_cast<std::size_t>(end_), 0);
  }

  void fill(const Variable& v, std::int64_t index, std::int64_t record, Memory& memory) const {
    for (std::size_t i = 0; i < v.block.map.size(); ++i)
      for (std::int64_t b = 0; b < v.element_bytes && v.block.map[i] >= 0; ++b)
        memory.data[v.block.place_of(static_cast<std::int64_t>(i)) * v.element_bytes + b] =
            value_at(index, record, v.block.map[i] * v.element_bytes + b);
  }

  /// Some ranks put some variables in one commit, the others in another.
  void write() {
    std::vector<std::pair<std::size_t, std::int64_t>> todo;
    for (std::size_t v = 0; v < variables_.size(); ++v)
      for (std::int64_t r = 0; r < records_; ++r) todo.emplace_back(v, r);
    std::shuffle(todo.begin(), todo.end(), c_.own);
    const std::int64_t commits = Case::pick(c_.common, 1, 4);
    std::vector<std::unique_ptr<Memory>> kept;
    std::vector<collio_request*> requests;
    for (std::int64_t i = 0; i < commits; ++i) {
      std::size_t puts =
          i + 1 == commits
              ? todo.size()
              : static_cast<std::size_t>(Case::pick(c_.own, 0, static_cast<std::int64_t>(todo.size())));
      for (; puts > 0; --puts, todo.pop_back()) {
        const auto [index, record] = todo.back();
        const Variable& v = variables_[index];
        kept.push_back(std::make_unique<Memory>(v.block, v.element_bytes));
        fill(v, static_cast<std::int64_t>(index), record, *kept.back());
        c_.check.equal(collio_put(v.handle, record, kept.back()->data, kept.back()->how()), 0,
                       collio_error_text());
      }
      const bool waits = Case::pick(c_.common, 0, 1) == 0;
      if (!waits) requests.push_back(nullptr);
      c_.check.equal(collio_commit(file_, waits ? nullptr : &requests.back()), 0, collio_error_text());
    }
    std::shuffle(requests.begin(), requests.end(), c_.own);
    for (collio_request*& request : requests)
      c_.check.equal(collio_wait(&request, nullptr), 0, collio_error_text());
    MPI_Barrier(MPI_COMM_WORLD);
  }

  /// What all ranks wrote: bytes of elements with an owner.
  void check_bytes() {
    Bytes owned(static_cast<std::size_t>(end_), 0);
    for (std::size_t index = 0; index < variables_.size(); ++index)
      for (std::int64_t r = 0; r < records_; ++r) {
        const Variable& v = variables_[index];
        for (const std::int64_t e : v.block.map)
          for (std::int64_t b = 0; b < v.element_bytes && e >= 0; ++b)
            owned[static_cast<std::size_t>(v.offset + r * v.record_bytes + e * v.element_bytes + b)] =
                value_at(static_cast<std::int64_t>(index), r, e * v.element_bytes + b);
      }
    MPI_Allreduce(owned.data(), expected_.data(), static_cast<int>(owned.size()), MPI_UNSIGNED_CHAR, MPI_BOR,
                  MPI_COMM_WORLD);
    std::ifstream in(path_, std::ios::binary);
    Bytes found((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    c_.check.that(found.size() <= static_cast<std::size_t>(end_), "the file's length");
    found.resize(static_cast<std::size_t>(end_));
    c_.check.that(found == expected_, "the file's bytes");
  }

  void read() {
    std::vector<std::unique_ptr<Memory>> kept;
    std::vector<Block> blocks;
    struct Got {
      std::size_t variable;
      std::int64_t record;
    };
    std::vector<Got> got;
    std::vector<collio_variable*> handles;
    std::int64_t size = 0;
    c_.check.equal(collio_size(file_, &size), 0, collio_error_text());
    for (std::int64_t n = Case::pick(c_.own, 0, 5); n > 0; --n) {
      const auto index =
          static_cast<std::size_t>(Case::pick(c_.own, 0, static_cast<std::int64_t>(variables_.size()) - 1));
      Variable& v = variables_[index];
      blocks.push_back(c_.wanted(shape_, elements_));
      collio_variable* handle = nullptr;
      c_.check.equal(collio_define(file_, blocks.back().elements.get(), v.element_bytes, v.offset,
                                   v.record_bytes, &handle),
                     0, collio_error_text());
      got.push_back({index, Case::pick(c_.own, 0, records_ - 1)});
      kept.push_back(std::make_unique<Memory>(blocks.back(), v.element_bytes));
      c_.check.equal(collio_get(handle, got.back().record, kept.back()->data, kept.back()->how()), 0,
                     collio_error_text());
    }
    c_.check.equal(collio_fetch(file_, nullptr), 0, collio_error_text());
    for (std::size_t i = 0; i < got.size(); ++i) {
      const Variable& v = variables_[got[i].variable];
      Memory right(blocks[i], v.element_bytes);
      for (std::size_t k = 0; k < blocks[i].map.size(); ++k)
        for (std::int64_t b = 0; b < v.element_bytes && blocks[i].map[k] >= 0; ++b) {
          const std::int64_t at =
              v.offset + got[i].record * v.record_bytes + blocks[i].map[k] * v.element_bytes + b;
          if (at < size)
            right.data[blocks[i].place_of(static_cast<std::int64_t>(k)) * v.element_bytes + b] =
                expected_[static_cast<std::size_t>(at)];
        }
      c_.check.that(kept[i]->bytes == right.bytes, "what was read");
    }
  }

  Case& c_;
  std::string path_;
  collio_file* file_ = nullptr;
  Numbers shape_;
  std::int64_t elements_ = 0, records_ = 0, end_ = 0;
  std::vector<Variable> variables_;
  Bytes expected_;
};

}  // namespace

int main(int argc, char** argv) {
  Program check(argc, argv, 3000);
  const long cases = argc > 1 ? std::atol(argv[1]) : 60, seed = argc > 2 ? std::atol(argv[2]) : 1;
  const std::string path = check.temporary("declared");
  for (long i = seed; i < seed + cases; ++i) {
    const auto number = static_cast<unsigned>(i), rank = static_cast<unsigned>(check.rank);
    Case one{check, std::mt19937(number), std::mt19937(number + 1000003U * (rank + 1))};
    DeclaredFile(one, path).write_and_read();
    if (check.failures() == 0) continue;
    if (check.rank == 0) std::fprintf(stderr, "case %ld\n", i);
    break;
  }
  return check.finish();
}
