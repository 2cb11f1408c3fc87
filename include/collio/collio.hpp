/// collio as a library, for C++17: owners, typed variables and exceptions over collio.h.
///
///     collio::File file(comm, "out.raw", collio::write | collio::create);
///     auto cells = collio::Decomposition::map(shape, my_indices);
///     auto temperature = file.define<float>(cells, 0, record_bytes);
///     for (int step = 0; step < steps; ++step) {
///       temperature.put(step, data);
///       collio::Request request = file.begin_commit();
///       ... compute, without a change to `data` ...
///       request.wait();
///     }
///     file.close();
///
/// Errors are exceptions of type collio::error. A collective function throws on all ranks or on none. What
/// was put belongs to collio until its commit is done, as in C.
#ifndef COLLIO_HPP
#define COLLIO_HPP

#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "collio/collio.h"

namespace collio {

/// What a function of collio.h returned, with its text.
class error : public std::runtime_error {
 public:
  explicit error(int code) : std::runtime_error(collio_error_text()), code_(static_cast<collio_code>(code)) {}
  [[nodiscard]] collio_code code() const noexcept { return code_; }

 private:
  collio_code code_;
};

/// Of collio.h, joined by |.
inline constexpr int read = COLLIO_READ, write = COLLIO_WRITE, create = COLLIO_CREATE,
                     exclusive = COLLIO_EXCLUSIVE, truncate = COLLIO_TRUNCATE, whole = COLLIO_WHOLE;

namespace detail {

inline void check(int code) {
  if (code != COLLIO_OK) throw error(code);
}

/// The number that call(place) tells.
template <class Number, class Call>
Number told(Call&& call) {
  Number number{};
  check(call(&number));
  return number;
}

/// For destructors, which cannot throw.
inline void report(int code, const char* what) noexcept {
  if (code != COLLIO_OK) std::fprintf(stderr, "collio: %s: %s\n", what, collio_error_text());
}

}  // namespace detail

/// Numbers for the time of a call: {a, b}, a vector, an array, or a pointer and a count.
class Numbers {
 public:
  Numbers(std::initializer_list<std::int64_t> list) noexcept : Numbers(list.begin(), list.size()) {}
  Numbers(const std::vector<std::int64_t>& from) noexcept : Numbers(from.data(), from.size()) {}
  template <std::size_t size>
  Numbers(const std::array<std::int64_t, size>& from) noexcept : Numbers(from.data(), size) {}
  Numbers(const std::int64_t* data, std::size_t count) noexcept : data_(data), count_(count) {}

  [[nodiscard]] const std::int64_t* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] std::int64_t operator[](std::size_t i) const noexcept { return data_[i]; }

 private:
  const std::int64_t* data_;
  std::size_t count_;
};

/// Where the elements of a block lie in memory: element (i0, i1, ...) at data + i0*strides[0] + ... bytes.
class Layout {
 public:
  Layout(std::vector<std::int64_t> counts, std::vector<std::int64_t> strides)
      : counts_(std::move(counts)), strides_(std::move(strides)) {
    if (counts_.size() != strides_.size())
      throw std::invalid_argument("collio::Layout: not as many strides as counts");
  }
  /// `count` elements, each `stride` bytes after the one before: a member of structs in an array.
  static Layout every(std::int64_t stride, std::size_t count) {
    return {{static_cast<std::int64_t>(count)}, {stride}};
  }
  [[nodiscard]] collio_layout get() const noexcept {
    return {static_cast<int>(counts_.size()), counts_.data(), strides_.data()};
  }

 private:
  std::vector<std::int64_t> counts_, strides_;
};

/// Which elements of an array this rank has.
class Decomposition {
 public:
  /// A box, last dimension fastest: `count` elements from `start` on in each dimension. Not collective.
  static Decomposition box(Numbers shape, Numbers start, Numbers count) {
    if (start.size() != shape.size() || count.size() != shape.size())
      throw std::invalid_argument("collio::Decomposition::box: shape, start and count have different sizes");
    Decomposition made;
    made.elements_ = 1;
    for (std::size_t d = 0; d < count.size(); ++d) made.elements_ *= count[d];
    const int dims = static_cast<int>(shape.size());
    detail::check(collio_box(dims, shape.data(), start.data(), count.data(), &made.handle_));
    return made;
  }
  /// Element i of the rank's data is element map[i] of the array, counted from 0; -1: it is not in the array.
  /// Not collective.
  static Decomposition map(Numbers shape, Numbers map) {
    Decomposition made;
    made.elements_ = static_cast<std::int64_t>(map.size());
    detail::check(
        collio_map(static_cast<int>(shape.size()), shape.data(), made.elements_, map.data(), &made.handle_));
    return made;
  }

#ifndef COLLIO_WITHOUT_MPI_H
  /// What was saved: `shape`, if given, is what the array must be; `deal`, of enum collio_deal, is for other
  /// numbers of ranks than saved it. Collective.
  static Decomposition load(MPI_Comm comm, const std::string& path, int deal = COLLIO_DEAL_NONE,
                            Numbers shape = {}) {
    const collio_shape wanted{static_cast<int>(shape.size()), shape.data()};
    Decomposition made;
    detail::check(collio_load(comm, path.c_str(), shape.size() > 0 ? &wanted : nullptr, deal, &made.handle_));
    detail::check(collio_inquire(made.handle_, nullptr, nullptr, &made.elements_));
    return made;
  }
  /// Saves it with those of the other ranks as one file. Collective.
  void save(MPI_Comm comm, const std::string& path) const {
    detail::check(collio_save(comm, path.c_str(), handle_));
  }
#endif

  Decomposition(Decomposition&& from) noexcept
      : handle_(std::exchange(from.handle_, nullptr)), elements_(std::exchange(from.elements_, 0)) {}
  Decomposition& operator=(Decomposition&& from) noexcept {
    std::swap(handle_, from.handle_);
    std::swap(elements_, from.elements_);
    return *this;
  }
  /// Variables keep what they need of it.
  ~Decomposition() {
    if (handle_) collio_free(&handle_);
  }

  /// Of this rank.
  [[nodiscard]] std::int64_t elements() const noexcept { return elements_; }
  /// Of the whole array.
  [[nodiscard]] std::vector<std::int64_t> shape() const {
    std::vector<std::int64_t> lengths(7);
    int dims = 0;
    detail::check(collio_inquire(handle_, &dims, lengths.data(), nullptr));
    lengths.resize(static_cast<std::size_t>(dims));
    return lengths;
  }
  /// The map that makes the same decomposition. O(elements).
  [[nodiscard]] std::vector<std::int64_t> indices() const {
    std::vector<std::int64_t> map(static_cast<std::size_t>(elements_));
    detail::check(collio_indices(handle_, map.data()));
    return map;
  }
  [[nodiscard]] collio_decomposition* get() const noexcept { return handle_; }

 private:
  Decomposition() = default;
  collio_decomposition* handle_ = nullptr;
  std::int64_t elements_ = 0;
};

/// An array in a file. It belongs to the file, and is worth nothing after that was closed; copies are the
/// same. Data may be of any type of T's size that can be copied as bytes; T = void takes pointers alone.
template <class T>
class Variable {
  /// Vectors, arrays, spans of T.
  template <class Vector>
  using of_elements = std::enable_if_t<std::is_same_v<std::remove_cv_t<typename Vector::value_type>, T>>;

 public:
  /// The rank's elements one after the other. Not collective.
  void put(std::int64_t record, const T* data) { detail::check(collio_put(handle_, record, data, nullptr)); }
  /// The same; another number of elements is an error, also of the commit on all ranks.
  void put(std::int64_t record, const T* data, std::size_t count) {
    if (static_cast<std::int64_t>(count) == elements_) return put(record, data);
    put(record, data, Layout::every(element_bytes_, count));
  }
  void put(std::int64_t record, const T* data, const Layout& layout) {
    const collio_layout given = layout.get();
    detail::check(collio_put(handle_, record, data, &given));
  }
  template <class Vector, class = of_elements<Vector>>
  void put(std::int64_t record, const Vector& data) {
    put(record, data.data(), data.size());
  }
  /// It would be gone before the commit.
  template <class Vector, class = of_elements<Vector>, class = std::enable_if_t<!std::is_reference_v<Vector>>>
  void put(std::int64_t record, Vector&& data) = delete;

  /// The same for reading: the data is there when the next fetch is done.
  void get(std::int64_t record, T* data) { detail::check(collio_get(handle_, record, data, nullptr)); }
  void get(std::int64_t record, T* data, std::size_t count) {
    if (static_cast<std::int64_t>(count) == elements_) return get(record, data);
    get(record, data, Layout::every(element_bytes_, count));
  }
  void get(std::int64_t record, T* data, const Layout& layout) {
    const collio_layout given = layout.get();
    detail::check(collio_get(handle_, record, data, &given));
  }
  template <class Vector, class = of_elements<Vector>>
  void get(std::int64_t record, Vector& data) {
    get(record, data.data(), data.size());
  }

  [[nodiscard]] collio_variable* handle() const noexcept { return handle_; }
  /// A put to come, for File::declare(): `record` counts from the epoch's first.
  [[nodiscard]] collio_part at(std::int64_t record = 0) const noexcept { return {handle_, record}; }

 private:
  friend class File;
  collio_variable* handle_ = nullptr;
  std::int64_t elements_ = 0, element_bytes_ = 0;
};

/// A commit, fetch or list of pieces that goes on while the program computes.
class [[nodiscard]] Request {
 public:
  Request() = default;
  explicit Request(collio_request* handle) noexcept : handle_(handle) {}
  Request(Request&& from) noexcept : handle_(std::exchange(from.handle_, nullptr)) {}
  Request& operator=(Request&& from) noexcept {
    std::swap(handle_, from.handle_);
    return *this;
  }
  /// Waits, also while an exception passes: the memory it uses may be freed next. This ends when every rank
  /// has begun the same call, as all have that run the same program. An error is printed, for want of a
  /// caller.
  ~Request() {
    if (handle_) detail::report(collio_wait(&handle_, nullptr), "an unwaited request failed");
  }

  /// Returns when it is done: the bytes of this rank that were moved. Throws its error.
  std::int64_t wait() {
    return detail::told<std::int64_t>([&](auto* bytes) { return collio_wait(&handle_, bytes); });
  }
  /// Whether it is done; moves it on. Not collective.
  [[nodiscard]] bool test() {
    return detail::told<int>([&](int* done) { return collio_test(handle_, done); }) != 0;
  }
  /// Whether there is something to wait for.
  explicit operator bool() const noexcept { return handle_ != nullptr; }

 private:
  collio_request* handle_ = nullptr;
};

/// Offsets and lengths in bytes; the order is that of the data.
struct Pieces {
  Numbers offsets, lengths;

  [[nodiscard]] collio_pieces get() const {
    if (offsets.size() != lengths.size())
      throw std::invalid_argument("collio::Pieces: not as many lengths as offsets");
    return {static_cast<std::int64_t>(offsets.size()), offsets.data(), lengths.data()};
  }
};

/// An open file.
class File {
 public:
#ifndef COLLIO_WITHOUT_MPI_H
  /// `mode`: collio::write | collio::create. `hints`: "key=value;key=value". Collective.
  File(MPI_Comm comm, const std::string& path, int mode, const std::string& hints = "")
      : File(from_fortran(collio_comm_to_int(comm), path, mode, hints)) {}
#endif
  /// The same for the Fortran handle of a communicator. Collective.
  static File from_fortran(int comm, const std::string& path, int mode, const std::string& hints = "") {
    File made;
    detail::check(collio_open_f(comm, path.c_str(), mode, hints.c_str(), &made.handle_));
    return made;
  }

  File(File&& from) noexcept : handle_(std::exchange(from.handle_, nullptr)) {}
  File& operator=(File&& from) noexcept {
    std::swap(handle_, from.handle_);
    return *this;
  }
  /// Call close(), which throws what went wrong. The destructor closes an open file on all ranks and prints
  /// errors. While an exception passes it closes nothing, as other ranks may not come here: what was put is
  /// forgotten, what was committed goes on.
  ~File() {
    if (!handle_) return;
    if (std::uncaught_exceptions() > exceptions_)
      collio_cancel(handle_);
    else
      detail::report(collio_close(&handle_), "a file could not be closed");
  }

  /// Completes what was committed. Collective.
  void close() { detail::check(collio_close(&handle_)); }
  /// Has the storage keep what was committed so far. Collective.
  void sync() { detail::check(collio_sync(handle_)); }
  /// Bytes in the file now. Not collective.
  [[nodiscard]] std::int64_t size() const {
    return detail::told<std::int64_t>([&](auto* bytes) { return collio_size(handle_, bytes); });
  }
  /// Collective.
  void set_size(std::int64_t bytes) { detail::check(collio_set_size(handle_, bytes)); }

  /// An array of T: its first element at byte `offset`, `record_bytes` from one record to the next. Not
  /// collective.
  template <class T>
  [[nodiscard]] Variable<T> define(const Decomposition& decomposition, std::int64_t offset = 0,
                                   std::int64_t record_bytes = 0) {
    static_assert(std::is_trivially_copyable_v<T>, "a file has the bytes of elements");
    return define_as<T>(decomposition, sizeof(T), offset, record_bytes);
  }
  /// Elements of a size that is known at run time.
  [[nodiscard]] Variable<void> define_bytes(const Decomposition& decomposition, std::int64_t element_bytes,
                                            std::int64_t offset = 0, std::int64_t record_bytes = 0) {
    return define_as<void>(decomposition, element_bytes, offset, record_bytes);
  }

  /// Writes what ranks have put since the last commit, and returns when it is done. Collective.
  void commit() { detail::check(collio_commit(handle_, nullptr)); }
  /// Reads what ranks have asked for since the last fetch. Collective.
  void fetch() { detail::check(collio_fetch(handle_, nullptr)); }
  /// The same while the program computes. Collective.
  Request begin_commit() { return begun(collio_commit); }
  Request begin_fetch() { return begun(collio_fetch); }
  /// Declares which puts this rank makes between two commits, in order, as {pressure.at(0), wind.at(0)}. The
  /// first are written while the program makes the others. `in_memory`: for how many puts the program has
  /// memory; 0: for all. {} on all ranks ends the declaration. Collective.
  void declare(const std::vector<collio_part>& parts, std::int64_t in_memory = 0) {
    detail::check(collio_declare(handle_, static_cast<std::int64_t>(parts.size()), parts.data(), in_memory));
  }
  /// Returns when the data of the first `puts` puts since the last commit may change. Not collective.
  void wait_puts(std::int64_t puts) { detail::check(collio_wait_puts(handle_, puts)); }
  /// The number behind the last put in the group of declared put `put`, counted from 0. Not collective.
  [[nodiscard]] std::int64_t group_end(std::int64_t put) const {
    return detail::told<std::int64_t>([&](auto* end) { return collio_group_end(handle_, put, end); });
  }
  /// Forgets what this rank has put and asked for since its last commit and fetch. In a declared epoch the
  /// next commit is an error on all ranks. Not collective.
  void cancel() { detail::check(collio_cancel(handle_)); }

  /// Pieces of the file from one piece of memory, or from pieces at `memory` + offset. Collective.
  void write(const Pieces& pieces, const void* memory) { move(collio_write_pieces, pieces, memory); }
  void write(const Pieces& pieces, const void* memory, const Pieces& memory_pieces) {
    move(collio_write_pieces, pieces, memory, &memory_pieces);
  }
  void read(const Pieces& pieces, void* memory) { move(collio_read_pieces, pieces, memory); }
  void read(const Pieces& pieces, void* memory, const Pieces& memory_pieces) {
    move(collio_read_pieces, pieces, memory, &memory_pieces);
  }

  /// For functions of collio.h.
  [[nodiscard]] collio_file* get() const noexcept { return handle_; }

 private:
  File() = default;

  template <class T>
  Variable<T> define_as(const Decomposition& decomposition, std::int64_t element_bytes, std::int64_t offset,
                        std::int64_t record_bytes) {
    Variable<T> made;
    detail::check(
        collio_define(handle_, decomposition.get(), element_bytes, offset, record_bytes, &made.handle_));
    made.elements_ = decomposition.elements();
    made.element_bytes_ = element_bytes;
    return made;
  }
  template <class Call, class Memory>
  void move(Call call, const Pieces& pieces, Memory* memory, const Pieces* memory_pieces = nullptr) {
    const collio_pieces list = pieces.get(), here = memory_pieces ? memory_pieces->get() : collio_pieces{};
    detail::check(call(handle_, &list, memory, memory_pieces ? &here : nullptr, nullptr));
  }
  Request begun(int (*begin)(collio_file*, collio_request**)) {
    return Request(detail::told<collio_request*>([&](auto** request) { return begin(handle_, request); }));
  }

  collio_file* handle_ = nullptr;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace collio

#endif
