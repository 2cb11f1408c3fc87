// See file.hpp.
#include "capi/file.hpp"

#include <cstdio>
#include <limits>
#include <optional>
#include <string_view>

#include "capi/create_file.hpp"
#include "capi/error.hpp"
#include "core/content_hash.hpp"
#include "engine/file/same_call.hpp"
#include "engine/report/say.hpp"
#include "engine/session/other_settings.hpp"
#include "policy/hints/hints.hpp"
#include "storage/subfiles/leaving.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::capi {

namespace {

using core::Error;
using core::ErrorClass;

struct OpenCall {
  MPI_Comm comm;
  const char* path;
  int mode;
  const char* hints;
  collio_file** file;
};

MPI_Comm comm_of(int fortran_comm) {
#ifdef MPI_ABI_VERSION  // no MPI_Fint in C
  return MPI_Comm_fromint(fortran_comm);
#else
  return MPI_Comm_f2c(fortran_comm);
#endif
}

/// What the Python library opens the master of array subfiles with: an ArrayLayout's text, no hint for
/// programs.
constexpr const char* array_subfiles = "collio_array_subfiles";

Error read_array_layout(const OpenCall& call, std::optional<storage::ArrayLayout>& layout) {
  std::vector<std::string> warnings;  // of hints that request_of() reads
  const engine::Pairs hints = call.hints ? policy::split_hints(call.hints, warnings) : engine::Pairs{};
  const auto found = hints.find(array_subfiles);
  if (found == hints.end()) return {};
  layout = storage::parse_array_layout(found->second);
  if (layout) return {};
  return {ErrorClass::argument,
          std::string(call.path) + ": " + array_subfiles + " is \"" + found->second +
              "\"; allowed: the text of a layout, as \"3 4096\" for 3 subfiles and units of 4096 bytes"};
}

/// This rank's arguments.
Error check(const OpenCall& call, std::optional<storage::ArrayLayout>& arrays) {
  if (!call.path || !*call.path) return {ErrorClass::argument, "the path is empty"};
  if (!call.file) return {ErrorClass::argument, "the place for the file is null"};
  if (Error error = check_modes(call.mode); !error.ok()) return error;
  Error error = read_array_layout(call, arrays);
  if (error.ok() && arrays && (call.mode & COLLIO_WHOLE) != 0)
    error = {ErrorClass::argument, std::string(call.path) + ": " + array_subfiles +
                                       " is given with COLLIO_WHOLE; allowed: one of them"};
  return error;
}

/// 31 bits of a path's hash.
int sum_of(const char* path) {
  return path ? static_cast<int>(core::text_hash(path) & std::numeric_limits<int>::max()) : 0;
}

/// The worst of the ranks' errors, or one where they gave different modes. Collective.
Error agreed(const OpenCall& call, Error mine) {
  const int sum = sum_of(call.path);
  int words[] = {static_cast<int>(mine.kind), call.mode, -call.mode, sum, -sum};
  transport::reduce_to_all(words, 5, MPI_INT, MPI_MAX, call.comm);
  const auto worst = static_cast<ErrorClass>(words[0]);
  if (worst == ErrorClass::none && words[1] != -words[2])
    return {ErrorClass::not_same, std::string(call.path) + ": ranks open it with different modes"};
  if (worst == ErrorClass::none && words[3] != -words[4])
    return {ErrorClass::not_same, std::string(call.path) + ": ranks open files with different paths"};
  if (worst == mine.kind) return mine;
  return {worst, "another rank gave a wrong path, mode or hint"};
}

/// The first rank makes the file, or empties it: its error and the file's inode, on all. Collective.
Error create_on_first(const OpenCall& call, int rank, std::uint64_t& inode) {
  Error mine = rank == 0 ? create_file(call.path, call.mode, inode) : Error{};
  std::uint64_t words[] = {static_cast<std::uint64_t>(mine.kind), inode};
  transport::broadcast(words, sizeof words, MPI_BYTE, 0, call.comm);
  inode = words[1];
  if (words[0] == COLLIO_OK) return {};
  transport::broadcast_text(mine.message, 0, call.comm);
  return {static_cast<ErrorClass>(words[0]), mine.message};
}

/// `origins`: of hints from other layers' settings, on the first rank.
engine::FileRequest request_of(const OpenCall& call, int rank, std::string& origins) {
  engine::EnvironmentHints environment = engine::environment_hints(call.path);
  engine::FileRequest request{
      call.comm,         call.path, (call.mode & COLLIO_READ) != 0, (call.mode & COLLIO_WRITE) != 0,
      environment.pairs, {},        std::move(environment.warnings)};
  engine::Pairs own;
  if (call.hints) own = policy::split_hints(call.hints, request.warnings);
  own.erase(array_subfiles);
  request.hints.insert(own.begin(), own.end());
  if ((call.mode & COLLIO_WHOLE) != 0) request.hints["collio_subfiles"] = "disable";
  if (rank != 0) return request;
  auto other = engine::other_settings({own, environment.pairs, call.path, call.path, {}});
  request.settings = std::move(other.pairs);
  request.warnings.insert(request.warnings.end(), other.warnings.begin(), other.warnings.end());
  origins = std::move(other.origins);
  return request;
}

Error open_here(const OpenCall& call, std::unique_ptr<collio_file>& made) {
  std::optional<storage::ArrayLayout> arrays;
  if (Error error = agreed(call, check(call, arrays)); !error.ok()) return error;
  int rank = 0;
  MPI_Comm_rank(call.comm, &rank);
  std::string origins;
  engine::FileRequest request = request_of(call, rank, origins);
  if (rank == 0 && (call.mode & COLLIO_CREATE) != 0)
    request.new_layout =
        engine::lay_out_new_file(call.path, request.hints, (call.mode & COLLIO_EXCLUSIVE) != 0);
  if (Error error = create_on_first(call, rank, made->inode); !error.ok()) {
    engine::undo_layout(request.new_layout);
    return error;
  }
  if (rank == 0 && arrays)
    request.found.set = storage::SubfileSet::of_arrays(engine::absolute_path(call.path), std::move(*arrays));
  else if (rank == 0)
    request.found = storage::look_for_subfiles(engine::absolute_path(call.path));
  if (rank == 0 && request.writes)
    made->writer_mark = storage::WriterMark::put(engine::absolute_path(call.path));
  if (made->writer_mark) request.writer_mark = made->writer_mark->number();
  for (const std::string& warning : request.warnings) engine::say_once(call.comm, warning);
  auto opened = engine::File::open(request);
  if (!opened) return opened.error();
  if (!opened.value())
    return {ErrorClass::other, std::string(call.path) + ": collio is disabled by a hint (collio_enable)"};
  made->open = std::make_shared<engine::Session>(std::move(opened.value()));
  made->open->announce(call.comm, origins);
  return {};
}

Error open_as(const OpenCall& call) {
  auto made = std::make_unique<collio_file>();
  Error error = open_here(call, made);
  if (error.ok()) *call.file = made.release();
  return error;
}

Error left_over(const collio_file& file) {
  if (file.writes.none() && file.reads.none()) return {};
  return {ErrorClass::argument,
          file.open->engine->path + (file.writes.none() ? ": data was asked for without a fetch behind it"
                                                        : ": data was put without a commit behind it")};
}

}  // namespace

const char* refused(int fortran_comm, MPI_Comm& comm) {
  int initialized = 0, finalized = 0, inter = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (!initialized || finalized) return "MPI is not initialized, or finalized already";
  comm = comm_of(fortran_comm);
  if (comm == MPI_COMM_NULL) return "the communicator is MPI_COMM_NULL";
  MPI_Comm_test_inter(comm, &inter);
  return inter ? "the communicator is an intercommunicator" : nullptr;
}

core::Error check_mode(const collio_file& file, policy::Direction direction) {
  const bool write = direction == policy::Direction::write;
  if (write && !file.open->writes)
    return {ErrorClass::read_only, file.open->engine->path + " was opened without COLLIO_WRITE"};
  if (!write && !file.open->reads)
    return {ErrorClass::access, file.open->engine->path + " was opened without COLLIO_READ"};
  return {};
}

int open_file(int fortran_comm, const char* path, int mode, const char* hints, collio_file** file) {
  return guarded_collectively(path ? path : "", [&]() -> Error {
    OpenCall call{MPI_COMM_NULL, path, mode, hints, file};
    if (const char* why = refused(fortran_comm, call.comm)) return {ErrorClass::argument, why};
    return open_as(call);
  });
}

int open_file_on(MPI_Comm comm, const char* path, int mode, const char* hints, collio_file** file) {
  return guarded_collectively(path, [&] { return open_as({comm, path, mode, hints, file}); });
}

int close_file(collio_file** file) {
  return guarded_collectively(file ? *file : nullptr, [&]() -> Error {
    const std::unique_ptr<collio_file> closing(*file);
    *file = nullptr;
    const Error unfinished = end_epoch(*closing);
    Error mine = left_over(*closing);
    core::keep_worst(mine, unfinished);
    return closing->open->close(
        {.agree = true, .mine = mine, .what = "puts or gets without a commit or fetch"});
  });
}

int sync_file(collio_file* file) {
  return guarded_collectively(file, [&]() -> Error {
    engine::File& engine = *file->open->engine;
    const BetweenSteps between(*file);
    if (!between.error.ok()) return between.error;
    file->open->drain();
    const engine::Visit visit(engine, "sync");
    if (Error error = engine::check_same_call(visit, "sync"); !error.ok()) return error;
    return file->open->flush(visit, {});
  });
}

int delete_file(const char* path) {
  return guarded([&]() -> Error {
    if (!path || !*path) return {ErrorClass::argument, "the path is empty"};
    return storage::delete_file(path);
  });
}

int replace_file(const char* path, const char* by) {
  return guarded([&]() -> Error {
    if (!path || !*path || !by || !*by) return {ErrorClass::argument, "a path is empty"};
    const auto remark = storage::replace_file(path, by);
    if (remark && !remark.value().empty()) std::fprintf(stderr, "collio: %s\n", remark.value().c_str());
    return remark ? Error{} : remark.error();
  });
}

int size_of_file(collio_file* file, int64_t* bytes) {
  return guarded_on(file, [&]() -> Error {
    if (!bytes) return {ErrorClass::argument, "the place for the size is null"};
    if (const engine::File& engine = *file->open->engine; engine.stored.subfiles) {
      auto length = engine::length_of(engine);
      if (length) *bytes = length.value();
      return length ? Error{} : length.error();
    }
    return size_of({file->open->engine->path, file->inode}, *bytes);
  });
}

int set_size(collio_file* file, int64_t bytes) {
  return guarded_collectively(file, [&]() -> Error {
    engine::File& engine = *file->open->engine;
    const BetweenSteps between(*file);
    if (!between.error.ok()) return between.error;
    file->open->drain();
    const engine::Visit visit(engine, "set_size");
    if (Error error = engine::check_same_call(visit, "set_size"); !error.ok()) return error;
    Error mine = file->open->check_size(visit, bytes, check_mode(*file, policy::Direction::write));
    if (!mine.ok()) return mine;
    if (engine.stored.subfiles) return engine::resize(visit, bytes, storage::Resize::to);
    if (engine.rank == 0) mine = truncate_file({engine.path, file->inode}, bytes);
    return visit.agreement.worst(mine, "cannot set the size of " + engine.path);
  });
}

}  // namespace collio::capi
