// Buffers of the tests in the memory of a stand-in's device, or in the program's own.
#pragma once

#include <dlfcn.h>

#include "../mpi/background.hpp"
#include "stand_in/kinds.hpp"

namespace collio::test {

/// The stand-in for a driver; loaded when it is made.
class Driver {
 public:
  explicit Driver(const char* path) : library_(dlopen(path, RTLD_NOW | RTLD_GLOBAL)) {
    if (!library_) {
      std::fprintf(stderr, "%s\n", dlerror());
      std::abort();
    }
    find(begin, "stand_in_begin");
    find(current, "stand_in_current");
    find(allocate, "stand_in_allocate");
    find(hidden, "stand_in_hidden");
    find(forget, "stand_in_forget");
    find(fail_from, "stand_in_fail_from");
    find(copies, "stand_in_copies");
    find(queries, "stand_in_queries");
  }
  void (*begin)() = nullptr;
  std::intptr_t (*current)() = nullptr;
  void* (*allocate)(std::size_t, int) = nullptr;
  void* (*hidden)(const void*) = nullptr;
  void (*forget)() = nullptr;
  void (*fail_from)(int) = nullptr;
  int (*copies)() = nullptr;
  int (*queries)() = nullptr;

 private:
  template <class Function>
  void find(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(library_, name));
  }
  void* library_;
};

/// Ints in memory of a kind.
class Ints {
 public:
  Ints(const Driver& driver, Kind kind, const std::vector<int>& data)
      : size_(data.size()),
        seen_(driver.allocate(std::max<std::size_t>(4 * size_, 4), static_cast<int>(kind))) {
    hidden_ = static_cast<int*>(driver.hidden(seen_));
    std::copy(data.begin(), data.end(), hidden_);
  }
  /// In the program's own memory.
  explicit Ints(const std::vector<int>& data)
      : size_(data.size()), own_(data), seen_(own_.data()), hidden_(own_.data()) {}
  Ints(const Ints&) = delete;
  Ints& operator=(const Ints&) = delete;

  /// What goes to MPI.
  [[nodiscard]] int* data() const { return static_cast<int*>(seen_); }
  void fill(int value) const { std::fill_n(hidden_, size_, value); }
  [[nodiscard]] std::vector<int> content() const { return {hidden_, hidden_ + size_}; }

 private:
  std::size_t size_;
  std::vector<int> own_;
  void* seen_;
  int* hidden_ = nullptr;
};

/// Which ranks have their buffers on the device.
enum class Ranks { all, odd };

class Buffers {
 public:
  Buffers(const Driver& driver, Ranks ranks, int rank)
      : driver_(driver), of_all_(ranks == Ranks::all), on_device_(ranks == Ranks::all || rank % 2 == 1) {}
  [[nodiscard]] std::unique_ptr<Ints> make(const std::vector<int>& data, Kind kind = Kind::device) const {
    return on_device_ ? std::make_unique<Ints>(driver_, kind, data) : std::make_unique<Ints>(data);
  }
  [[nodiscard]] std::unique_ptr<Ints> blank(int size) const {
    return make(std::vector<int>(static_cast<std::size_t>(size), -7));
  }
  [[nodiscard]] bool on_device() const { return on_device_; }
  [[nodiscard]] bool of_all() const { return of_all_; }

 private:
  const Driver& driver_;
  bool of_all_, on_device_;
};

inline void set_dealt_view(Program& program, MPI_File file) {
  MPI_Datatype type = dealt_ints(program.rank, program.size, block);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
}

/// Opens a file as open_dealt does, with hints. Collective.
inline MPI_File open_with(Program& program, const std::string& name, const char* path_hint) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "collio_path", path_hint);
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file),
               "MPI_File_open");
  MPI_Info_free(&info);
  set_dealt_view(program, file);
  return file;
}

/// A view of so many pieces that it stays with collio, as independent calls then do. Collective.
inline void set_long_view(Program& program, MPI_File file) {
  constexpr int pieces = 300;
  std::vector<int> places;
  for (int i = 0; i < pieces; ++i) places.push_back((i * program.size + program.rank) * block);
  MPI_Datatype indexed, type;
  MPI_Type_create_indexed_block(pieces, block, places.data(), MPI_INT, &indexed);
  MPI_Type_create_resized(indexed, 0, static_cast<MPI_Aint>(pieces) * program.size * block * 4, &type);
  MPI_Type_commit(&type);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&indexed);
  MPI_Type_free(&type);
}

}  // namespace collio::test
