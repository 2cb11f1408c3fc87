#include "operation.hpp"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

namespace collio::bench {
namespace {

[[nodiscard]] std::string mpi_error(const char* what, int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return std::string(what) + ": " + std::string(text, static_cast<std::size_t>(length));
}

/// Remembers the first error of a run of MPI calls.
class FirstError {
 public:
  bool good(const char* what, int code) {
    if (code != MPI_SUCCESS && text_.empty()) text_ = mpi_error(what, code);
    return code == MPI_SUCCESS;
  }
  void note(const std::string& text) {
    if (text_.empty()) text_ = text;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Count and datatype for contiguous bytes of any number: past 2 GiB a struct of a large and a small part.
struct Memory {
  explicit Memory(MPI_Datatype given) : count(1), type(given) {}
  explicit Memory(std::int64_t bytes) : count(static_cast<int>(bytes)), type(MPI_BYTE) {
    constexpr std::int64_t block = std::int64_t{1} << 20;
    if (bytes <= std::numeric_limits<int>::max()) return;
    MPI_Datatype large = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(static_cast<int>(block), MPI_BYTE, &large);
    const int lengths[2] = {static_cast<int>(bytes / block), static_cast<int>(bytes % block)};
    const MPI_Aint places[2] = {0, static_cast<MPI_Aint>(bytes / block * block)};
    const MPI_Datatype parts[2] = {large, MPI_BYTE};
    MPI_Datatype whole = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(2, lengths, places, parts, &whole);
    MPI_Type_free(&large);
    owned = Datatype(whole);
    type = owned.get();
    count = 1;
  }
  int count;
  MPI_Datatype type;
  Datatype owned;
};

/// One data call. `offset`: of an explicit-offset call, or `at_pointer`.
struct Move {
  static constexpr std::int64_t at_pointer = -1;
  Direction direction;
  std::int64_t offset;
  unsigned char* buffer;
  const Memory& memory;
};

/// Posts the call; *request is null for a split one.
[[nodiscard]] int begin_call(MPI_File file, const Move& move, MPI_Request* request) {
  const Memory& memory = move.memory;
  const bool here = move.offset == Move::at_pointer, write = move.direction == Direction::write;
  unsigned char* b = move.buffer;
  const int n = memory.count;
  const MPI_Datatype t = memory.type;
  if (request && write)
    return here ? MPI_File_iwrite_all(file, b, n, t, request)
                : MPI_File_iwrite_at_all(file, move.offset, b, n, t, request);
  if (request)
    return here ? MPI_File_iread_all(file, b, n, t, request)
                : MPI_File_iread_at_all(file, move.offset, b, n, t, request);
  if (write)
    return here ? MPI_File_write_all_begin(file, b, n, t)
                : MPI_File_write_at_all_begin(file, move.offset, b, n, t);
  return here ? MPI_File_read_all_begin(file, b, n, t)
              : MPI_File_read_at_all_begin(file, move.offset, b, n, t);
}

[[nodiscard]] int end_split_call(MPI_File file, const Move& move, MPI_Status* status) {
  const bool here = move.offset == Move::at_pointer;
  if (move.direction == Direction::write)
    return here ? MPI_File_write_all_end(file, move.buffer, status)
                : MPI_File_write_at_all_end(file, move.buffer, status);
  return here ? MPI_File_read_all_end(file, move.buffer, status)
              : MPI_File_read_at_all_end(file, move.buffer, status);
}

[[nodiscard]] int blocking_call(MPI_File file, const Move& move, MPI_Status* status) {
  const Memory& memory = move.memory;
  const bool here = move.offset == Move::at_pointer;
  if (move.direction == Direction::write)
    return here ? MPI_File_write_all(file, move.buffer, memory.count, memory.type, status)
                : MPI_File_write_at_all(file, move.offset, move.buffer, memory.count, memory.type, status);
  return here ? MPI_File_read_all(file, move.buffer, memory.count, memory.type, status)
              : MPI_File_read_at_all(file, move.offset, move.buffer, memory.count, memory.type, status);
}

[[nodiscard]] int independent_call(MPI_File file, const Move& move, MPI_Status* status) {
  const Memory& memory = move.memory;
  const bool here = move.offset == Move::at_pointer;
  if (move.direction == Direction::write)
    return here ? MPI_File_write(file, move.buffer, memory.count, memory.type, status)
                : MPI_File_write_at(file, move.offset, move.buffer, memory.count, memory.type, status);
  return here ? MPI_File_read(file, move.buffer, memory.count, memory.type, status)
              : MPI_File_read_at(file, move.offset, move.buffer, memory.count, memory.type, status);
}

/// The call, and the computation: while it is under way, unless it is blocking.
[[nodiscard]] int data_call(MPI_File file, const Move& move, const Work& work, MPI_Status* status) {
  const double share_s = work.compute_s / static_cast<double>(work.calls.size());
  const bool alone = work.collective == Collective::independent;
  if (alone || work.collective == Collective::blocking) {
    const int code = alone ? independent_call(file, move, status) : blocking_call(file, move, status);
    compute(share_s);
    return code;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  const bool split = work.collective == Collective::split;
  const int posted = begin_call(file, move, split ? nullptr : &request);
  compute(share_s);
  if (posted != MPI_SUCCESS) return posted;
  return split ? end_split_call(file, move, status) : MPI_Wait(&request, status);
}

/// Where the data call of a step goes: a view that is set anew brings the file pointer to its start.
[[nodiscard]] std::int64_t offset_of(const Call& call, int step, std::int64_t step_bytes) {
  if (call.filetype == MPI_DATATYPE_NULL) return call.displacement + step * step_bytes;
  return call.tiled ? step * call.bytes : Move::at_pointer;
}

/// The calls of one step, timed, from a barrier.
[[nodiscard]] StepSeconds run_step(Direction direction, MPI_File file, const Work& work, int step,
                                   FirstError& first) {
  StepSeconds seconds;
  MPI_Barrier(MPI_COMM_WORLD);
  seconds.begin = now_s();
  unsigned char* at = work.buffer.data();
  for (const Call& call : work.calls) {
    double mark = now_s();
    const MPI_Offset shift = call.tiled ? 0 : step * work.step_bytes;
    if (call.filetype != MPI_DATATYPE_NULL && (step == 0 || !call.tiled))
      first.good("MPI_File_set_view", MPI_File_set_view(file, call.displacement + shift, MPI_BYTE,
                                                        call.filetype, "native", MPI_INFO_NULL));
    seconds.set_view += now_s() - mark;
    mark = now_s();
    MPI_Status status;
    const bool contiguous = call.memory == MPI_DATATYPE_NULL;
    const Memory memory = contiguous ? Memory(call.bytes) : Memory(call.memory);
    const Move move{direction, offset_of(call, step, work.step_bytes), contiguous ? at : work.buffer.data(),
                    memory};
    const bool good =
        first.good(direction == Direction::write ? "write" : "read", data_call(file, move, work, &status));
    seconds.data += now_s() - mark;
    MPI_Count done = 0;
    if (good && MPI_Get_elements_x(&status, MPI_BYTE, &done) == MPI_SUCCESS && done != call.bytes)
      first.note("the status says " + std::to_string(done) + " bytes, the call was for " +
                 std::to_string(call.bytes));
    if (contiguous) at += call.bytes;
  }
  seconds.end = now_s();
  rest_until_all_are_here();
  return seconds;
}

[[nodiscard]] MPI_Info make_info(const std::map<std::string, std::string>& hints) {
  MPI_Info info = MPI_INFO_NULL;
  if (hints.empty()) return info;
  MPI_Info_create(&info);
  for (const auto& [key, value] : hints) MPI_Info_set(info, key.c_str(), value.c_str());
  return info;
}

[[nodiscard]] std::string posix_error(const char* what, const std::string& path) {
  return std::string(what) + " " + path + ": " + std::strerror(errno);
}

/// Move the whole buffer to or from `offset`; returns an error text or nothing.
[[nodiscard]] std::string move_share(Direction direction, int fd, std::int64_t offset,
                                     std::span<unsigned char> buffer) {
  constexpr std::size_t piece = std::size_t{4} << 20;
  for (std::size_t at = 0; at < buffer.size();) {
    const std::size_t size = std::min(piece, buffer.size() - at);
    const auto place = static_cast<off_t>(offset + static_cast<std::int64_t>(at));
    const ssize_t done = direction == Direction::write ? pwrite(fd, buffer.data() + at, size, place)
                                                       : pread(fd, buffer.data() + at, size, place);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return direction == Direction::write ? posix_error("pwrite", "") : posix_error("pread", "");
    if (done == 0) return "pread: the file ends at " + std::to_string(place);
    at += static_cast<std::size_t>(done);
  }
  return {};
}

}  // namespace

double now_s() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void compute(double seconds) {
  volatile double value = 1;
  for (const double until = now_s() + seconds; now_s() < until;)
    for (int i = 0; i < 1000; ++i) value = value * 1.0000001 + 1e-9;
}

void rest_until_all_are_here() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  constexpr timespec nap{0, 100'000};
  for (int done = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done;)
    nanosleep(&nap, nullptr);
}

Outcome run_mpiio(Direction direction, const Target& target, const Work& work) {
  Outcome outcome;
  Seconds& seconds = outcome.seconds;
  seconds.steps.resize(static_cast<std::size_t>(work.steps));
  MPI_Info info = make_info(target.hints);
  const int mode = direction == Direction::write ? MPI_MODE_CREATE | MPI_MODE_RDWR : MPI_MODE_RDONLY;
  MPI_File file = MPI_FILE_NULL;
  MPI_Barrier(MPI_COMM_WORLD);
  double mark = now_s();
  const int opened = MPI_File_open(MPI_COMM_WORLD, target.path.c_str(), mode, info, &file);
  seconds.open = now_s() - mark;
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  if (opened != MPI_SUCCESS) {
    outcome.error = mpi_error("MPI_File_open", opened);
    return outcome;
  }
  FirstError first;
  for (int step = 0; step < work.steps; ++step) {
    work.before(step);
    seconds.steps[static_cast<std::size_t>(step)] = run_step(direction, file, work, step, first);
    work.after(step);
  }
  mark = now_s();
  if (direction == Direction::write && target.sync) first.good("MPI_File_sync", MPI_File_sync(file));
  seconds.sync = now_s() - mark;
  mark = now_s();
  first.good("MPI_File_close", MPI_File_close(&file));
  seconds.close = now_s() - mark;
  outcome.error = first.text();
  return outcome;
}

Outcome run_floor(Direction direction, const Target& target, const Work& work, std::int64_t offset) {
  Outcome outcome;
  Seconds& seconds = outcome.seconds;
  seconds.steps.resize(static_cast<std::size_t>(work.steps));
  MPI_Barrier(MPI_COMM_WORLD);
  double mark = now_s();
  const int fd =
      open(target.path.c_str(),
           direction == Direction::write ? O_CREAT | O_RDWR | O_CLOEXEC : O_RDONLY | O_CLOEXEC, 0644);
  seconds.open = now_s() - mark;
  if (fd < 0) outcome.error = posix_error("open", target.path);
  for (int step = 0; step < work.steps; ++step) {
    work.before(step);
    MPI_Barrier(MPI_COMM_WORLD);
    StepSeconds& spent = seconds.steps[static_cast<std::size_t>(step)];
    spent.begin = now_s();
    if (outcome.error.empty())
      outcome.error = move_share(direction, fd, offset + step * work.step_bytes, work.buffer);
    compute(work.compute_s);
    spent.end = now_s();
    spent.data = spent.end - spent.begin;
    rest_until_all_are_here();
    work.after(step);
  }
  mark = now_s();
  if (fd >= 0 && direction == Direction::write && target.sync && fsync(fd) != 0 && outcome.error.empty())
    outcome.error = posix_error("fsync", target.path);
  seconds.sync = now_s() - mark;
  mark = now_s();
  if (fd >= 0 && close(fd) != 0 && outcome.error.empty()) outcome.error = posix_error("close", target.path);
  seconds.close = now_s() - mark;
  return outcome;
}

}  // namespace collio::bench
