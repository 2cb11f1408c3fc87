// A rank that has no memory in the middle of a collective call: the call ends on all ranks, with one error
// class or with success, and the file works afterwards. The program's malloc refuses the engine one
// allocation after the other on each rank in turn: that alone, or it and all after it.
#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "../mpi/open_with.hpp"
#include "../mpi/pieces.hpp"
#include "engine_code.hpp"

extern "C" void* __libc_malloc(std::size_t bytes);
extern "C" void* __libc_memalign(std::size_t alignment, std::size_t bytes);

namespace {

struct {
  collio::test::EngineCode code, libc;
  std::atomic<int> first{0}, last{0};  ///< numbers of the allocations to refuse; 0: none
  std::atomic<int> seen{0}, refused{0};
} engine;

/// The engine, or libc for it.
bool is_engines(void* asks) {
  if (!engine.libc.has(asks)) return engine.code.has(asks);
  void* frames[20];
  void** const end = frames + backtrace(frames, 20);
  void** const caller = std::find_if_not(std::find(frames, end, asks), end,
                                         [](const void* frame) { return engine.libc.has(frame); });
  return caller != end && engine.code.has(*caller);
}

bool refuses(void* asks) {
  if (engine.first == 0 || !is_engines(asks)) return false;
  const int number = ++engine.seen;
  if (number < engine.first || number > engine.last) return false;
  ++engine.refused;
  return true;
}

}  // namespace

extern "C" void* malloc(std::size_t bytes) {
  if (!refuses(__builtin_return_address(0))) return __libc_malloc(bytes);
  errno = ENOMEM;
  return nullptr;
}

extern "C" int posix_memalign(void** out, std::size_t alignment, std::size_t bytes) {
  if (refuses(__builtin_return_address(0))) return ENOMEM;
  *out = __libc_memalign(alignment, bytes);
  return *out ? 0 : ENOMEM;
}

namespace {

using namespace collio::test;

constexpr int most_allocations = 5000;
int version = 0;  ///< of the bytes in the file

/// Which allocations of which rank are refused.
struct Refusal {
  int rank = 0, first = 0;
  bool all_after = false;
};

/// A file, dealt to the ranks in pieces of any length with gaps between them.
struct Access {
  std::int64_t bytes = 150000;
  int unit = 4, longest = 300;
  bool scattered = false;  ///< in memory
};

class Drill {
 public:
  Drill(Program& program, HintList hints, const Access& access)
      : program_(program),
        step_(access.scattered ? 2 : 1),
        form_(hints["form"]),
        in_subfiles_(hints.contains("collio_subfiles")) {
    hints.erase("form");
    Dice dice(5);
    const Deal deal = deal_out(dice, {program.size, 0, access.bytes, access.unit, access.longest, 9});
    std::vector<int> lengths;
    std::vector<MPI_Aint> offsets;
    for (const Piece& one : deal[static_cast<std::size_t>(program.rank)]) {
      lengths.push_back(one.length);
      offsets.push_back(one.offset);
      for (std::int64_t at = one.offset; at < one.end(); ++at) places_.push_back(at);
    }
    MPI_Info info = make_info(hints);
    path_ = program.temporary("late");
    program.good(MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file_),
                 "MPI_File_open");
    MPI_Info_free(&info);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), offsets.data(), MPI_BYTE,
                             &type);
    MPI_Type_commit(&type);
    program.good(MPI_File_set_view(file_, 0, MPI_BYTE, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
    MPI_Type_free(&type);
    MPI_Type_create_resized(MPI_BYTE, 0, step_, &memory_);
    MPI_Type_commit(&memory_);
  }
  Drill(const Drill&) = delete;
  ~Drill() {
    MPI_Type_free(&memory_);
    MPI_File_close(&file_);
  }

  /// A call in which a rank's memory is what it is: one error class on all ranks, or success. Returns whether
  /// it failed.
  bool attempt(bool write, const std::string& what) {
    const int code = call(write);
    int failed = code != MPI_SUCCESS ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (failed)
      program_.equal(program_.same_error(code, what.c_str()), MPI_ERR_NO_MEM, what.c_str());
    else
      program_.that(right(write), ("bytes of the " + what).c_str());
    return failed;
  }

  /// One refused allocation after the other on each rank; every `stride`-th of those.
  void refuse_each(bool write, bool all_after, int stride) {
    for (int rank = 0; rank < program_.size; ++rank) {
      int number = 1;
      for (; number < most_allocations; number += stride)
        if (!refuse(write, {rank, number, all_after})) break;
      program_.that(number > 1, "memory was refused");
      program_.that(number < most_allocations, "the call needs no more than so many allocations");
    }
  }

  /// False: there was nothing to refuse.
  bool refuse(bool write, const Refusal& refusal) {
    const std::string what = std::string(write ? "write" : "read") + " without allocation " +
                             std::to_string(refusal.first) + (refusal.all_after ? " and all after it" : "") +
                             " on rank " + std::to_string(refusal.rank);
    engine.seen = engine.refused = 0;
    engine.last = refusal.all_after ? most_allocations : refusal.first;
    refused_ = refusal;
    const bool failed = attempt(write, what);
    int refused = engine.refused;
    MPI_Bcast(&refused, 1, MPI_INT, refusal.rank, MPI_COMM_WORLD);
    if (failed) program_.that(!attempt(write, "again: " + what), what.c_str());
    return refused > 0;
  }

 private:
  int call(bool write) {
    if (write) ++version;
    data_.assign(places_.size() * static_cast<std::size_t>(step_), 0);
    for (std::size_t i = 0; write && i < places_.size(); ++i)
      data_[i * static_cast<std::size_t>(step_)] = content(places_[i]);
    const int count = static_cast<int>(places_.size());
    if (program_.rank == refused_.rank) engine.first = refused_.first;
    const int code = form_ == "nonblocking" ? nonblocking(write, count)
                     : form_ == "split"     ? split(write, count)
                                            : blocking(write, count);
    engine.first = 0;
    refused_ = {};
    return code;
  }

  int blocking(bool write, int count) {
    return write ? MPI_File_write_at_all(file_, 0, data_.data(), count, memory_, MPI_STATUS_IGNORE)
                 : MPI_File_read_at_all(file_, 0, data_.data(), count, memory_, MPI_STATUS_IGNORE);
  }
  int nonblocking(bool write, int count) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = write ? MPI_File_iwrite_at_all(file_, 0, data_.data(), count, memory_, &request)
                           : MPI_File_iread_at_all(file_, 0, data_.data(), count, memory_, &request);
    if (code != MPI_SUCCESS) return code;
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  int split(bool write, int count) {
    const int code = write ? MPI_File_write_at_all_begin(file_, 0, data_.data(), count, memory_)
                           : MPI_File_read_at_all_begin(file_, 0, data_.data(), count, memory_);
    if (code != MPI_SUCCESS) return code;
    return write ? MPI_File_write_at_all_end(file_, data_.data(), MPI_STATUS_IGNORE)
                 : MPI_File_read_at_all_end(file_, data_.data(), MPI_STATUS_IGNORE);
  }

  /// What the last call left: in the file, past MPI, or in memory.
  bool right(bool write) {
    std::string found;
    if (write && in_subfiles_) return call(false) == MPI_SUCCESS && right(false);
    if (write) {
      settle(file_, MPI_COMM_WORLD);
      found = raw(path_);
      MPI_Barrier(MPI_COMM_WORLD);
    } else {
      found.assign(data_.begin(), data_.end());
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const std::size_t at =
          write ? static_cast<std::size_t>(places_[i]) : i * static_cast<std::size_t>(step_);
      if (at >= found.size() || static_cast<unsigned char>(found[at]) != content(places_[i])) return false;
    }
    return true;
  }

  [[nodiscard]] unsigned char content(std::int64_t offset) const {
    return static_cast<unsigned char>(offset * 7 + offset / 251 + version * 13 + 1);
  }

  Program& program_;
  MPI_Aint step_;
  std::string form_;  ///< of calls: blocking unless it says otherwise
  bool in_subfiles_;
  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
  MPI_Datatype memory_ = MPI_DATATYPE_NULL;
  std::vector<std::int64_t> places_;  ///< in the file, of this rank's bytes
  std::vector<unsigned char> data_;
  Refusal refused_;  ///< at the next call
};

void find_engine(Program& program) {
  engine.code = collio::test::find_engine();
  engine.libc = collio::test::find_code("/libc.so");
  program.that(engine.code.begin != 0, "the engine is there");
}

/// In the first call of a file, in whose middle its subfiles are opened.
void refuse_first_call(Program& program, const HintList& hints, int stride) {
  for (int rank = 0; rank < program.size; ++rank)
    for (int number = 1;; number += stride) {
      Drill drill(program, hints, {});
      find_engine(program);
      const bool refused = drill.refuse(true, {rank, number, true});
      program.that(refused || number > 1, "memory was refused");
      if (!refused) break;
    }
}

/// A rank has a few large buffers, and no more, in the first calls of a file: those of earlier ones are not
/// there to be used again.
void refuse_buffers(Program& program, const HintList& hints, const Access& access) {
  for (int rank = 0; rank < program.size; ++rank) {
    for (int first = 1; first <= 12; ++first) {
      const std::string drill = std::to_string(rank) + ":" + std::to_string(first) + ":1000000";
      setenv("COLLIO_DRILL_MEMORY", drill.c_str(), 1);
      Drill short_of_buffers(program, hints, access);
      unsetenv("COLLIO_DRILL_MEMORY");
      short_of_buffers.attempt(true, "write with the drill " + drill);
      Drill again(program, hints, access);
      program.that(!again.attempt(true, "a write"), "a write with memory");
      short_of_buffers.attempt(false, "read with the drill " + drill);
    }
  }
}

}  // namespace

/// Pieces so many that their descriptions are more than what is set aside for small things.
void refuse_descriptions(Program& program, HintList hints, int stride) {
  hints["cb_buffer_size"] = "4194304";
  hints["collio_window"] = "1048576";
  for (const bool scattered : {false, true}) {
    Drill drill(program, hints, {4000000, 1, 2, scattered});
    for (const bool write : {true, false})
      for (const int rank : {0, program.size - 1})
        for (int first = 1; first <= 61; first += stride > 3 ? 30 : 20)
          drill.refuse(write, {rank, first, true});
  }
}

/// Arguments: hints, as key=value. stride=N: every N-th allocation, of tiny pieces' every 20th, or 30th.
/// form=nonblocking or split: of the calls. few: fewer drills, and no tiny pieces.
int main(int argc, char** argv) {
  Program program(argc, argv, 90);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  say_where_aborted();
  HintList hints{{"cb_nodes", std::to_string(program.size)},
                 {"cb_config_list", "*:*"},
                 {"cb_buffer_size", "65536"},
                 {"collio_window", "16384"}};
  int stride = 1;
  bool few = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto equals = word.find('=');
    if (word == "few")
      few = true;
    else if (word.starts_with("stride="))
      stride = std::atoi(word.c_str() + equals + 1);
    else
      hints[word.substr(0, equals)] = word.substr(equals + 1);
  }
  if (hints.contains("collio_subfiles")) {
    refuse_first_call(program, hints, stride);
    return program.finish();
  }
  for (const bool scattered : {false, true}) {
    Access access;
    access.scattered = scattered;
    if (!few || scattered) refuse_buffers(program, hints, access);
    Drill drill(program, hints, access);
    find_engine(program);  // which is loaded at the first open
    for (const bool all_after : {true, false})
      for (const bool write : {true, false}) drill.refuse_each(write, all_after, stride);
  }
  if (!few) refuse_descriptions(program, hints, stride);
  return program.finish();
}
