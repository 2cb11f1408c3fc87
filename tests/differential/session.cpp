#include "session.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <sstream>

#include "in_subfiles.hpp"
#include "posted.hpp"
#include "rehearsal.hpp"

namespace collio::differential {
namespace {

std::atomic<const char*> current_stage{"start"};

/// Whether the job's own environment says which ranks are on one node: then no case does.
const bool job_places_ranks = std::getenv("COLLIO_RANKS_PER_NODE") != nullptr;

class Runner {
 public:
  Runner(const Session& session, const Case& subject, FileModel& model)
      : session_(session), case_(subject), model_(model) {
    MPI_Comm_rank(session.comm, &rank_);
  }

  std::vector<Finding> run() {
    if (session_.prepare) prepare_file();
    MPI_Barrier(session_.comm);
    if (open()) {
      for (std::size_t i = 0; i < case_.phases.size(); ++i) run_phase(case_.phases[i], i);
      check_size();
      set_stage("close");
      check(MPI_File_close(&file_), "MPI_File_close");
    }
    MPI_Barrier(session_.comm);
    if (rank_ == 0) compare_file();
    return std::move(findings_);
  }

 private:
  void add(const char* kind, std::string detail) { findings_.push_back({kind, where_ + std::move(detail)}); }

  bool check(int code, const char* call) {
    if (code == MPI_SUCCESS) return true;
    char message[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, message, &length);
    add("error", std::string(call) + " returned " + message);
    return false;
  }

  void prepare_file() const {
    set_stage("prepare");
    if (rank_ != 0) return;
    if (!case_.file_exists) {
      MPI_File_delete(session_.path.c_str(), MPI_INFO_NULL);
      return;
    }
    const int descriptor = ::open(session_.path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    const auto& bytes = model_.bytes();
    if (in_subfiles()) {
      ::close(descriptor);
      return fill_subfiles(session_.path, case_.seed, model_.bytes());
    }
    if (::write(descriptor, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
    ::close(descriptor);
  }

  [[nodiscard]] bool in_subfiles() const {
    return session_.subfiles && session_.engine == Engine::preloaded && session_.prepare;
  }

  /// A hint, or what a user would set in the environment.
  static void set_hint(MPI_Info info, const std::string& key, const std::string& value) {
    if (!key.starts_with("COLLIO_"))
      MPI_Info_set(info, key.c_str(), value.c_str());
    else if (!job_places_ranks)
      setenv(key.c_str(), value.c_str(), 1);
  }

  bool open() {
    set_stage("open");
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    if (!job_places_ranks) unsetenv("COLLIO_RANKS_PER_NODE");
    if (session_.engine == Engine::native)
      MPI_Info_set(info, "collio_enable", "disable");
    else
      for (const auto& [key, value] : case_.hints) set_hint(info, key, value);
    if (in_subfiles()) ask_for_subfiles(info, case_.seed);
    if (!session_.rules.empty()) {
      set_faults(session_.comm, session_.rules, "none");
      MPI_Info_set(info, "collio_faults", ("@" + session_.rules).c_str());
    }
    constexpr int modes[] = {MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_MODE_WRONLY | MPI_MODE_CREATE,
                             MPI_MODE_RDONLY};
    const int code = MPI_File_open(session_.comm, session_.path.c_str(), modes[static_cast<int>(case_.mode)],
                                   info, &file_);
    MPI_Info_free(&info);
    return check(code, "MPI_File_open");
  }

  void run_phase(const Phase& phase, std::size_t index) {
    where_ = "phase " + std::to_string(index) + ": ";
    if (index > 0) {
      // What other ranks wrote through the previous view is visible from here on (MPI 4.0, section 14.6.1).
      set_stage("sync");
      if (case_.mode != Mode::read_only) check(MPI_File_sync(file_), "MPI_File_sync");
      MPI_Barrier(session_.comm);
      if (case_.mode != Mode::read_only) check(MPI_File_sync(file_), "MPI_File_sync");
    }
    if (phase.set_view && !set_view(phase)) return;
    if (phase.set_view) pointer_ = 0;
    for (std::size_t i = 0; i < phase.calls.size(); ++i) {
      where_ = "phase " + std::to_string(index) + " call " + std::to_string(i) + ": ";
      run_call(phase, phase.calls[i]);
    }
    where_.clear();
  }

  bool set_view(const Phase& phase) {
    set_stage("set_view");
    const RankView& view = phase.layout.views[static_cast<std::size_t>(rank_)];
    // Freed right after set_view, as programs may.
    const BuiltType etype(phase.layout.etype);
    const BuiltType filetype(view.filetype);
    for (const auto& text : {etype.disagreement(phase.layout.etype), filetype.disagreement(view.filetype)})
      if (!text.empty()) add("type", text);
    const int code = MPI_File_set_view(file_, view.displacement, etype.handle(), filetype.handle(), "native",
                                       MPI_INFO_NULL);
    // A library may refuse one rank's view: then no rank goes on.
    int good = check(code, "MPI_File_set_view") ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, session_.comm);
    return good != 0;
  }

  /// Brings the file pointer to where the call is meant to begin; a no-op when calls simply follow one
  /// another.
  void seek(const Call& call, const Access& access) {
    if (call.explicit_offset || pointer_ == access.offset) return;
    set_stage("seek");
    pointer_ = access.offset;
    check(MPI_File_seek(file_, pointer_, MPI_SEEK_SET), "MPI_File_seek");
  }

  void run_call(const Phase& phase, const Call& call) {
    const Access& access = call.access[static_cast<std::size_t>(rank_)];
    if (!session_.rules.empty()) rehearse(phase, call, access);
    seek(call, access);
    set_stage(call.write ? "collective write" : "collective read");
    Buffer buffer(access.memory);
    if (call.write) {
      buffer.fill_for_write(call, rank_);
      model_.apply(phase, call);
    }
    MPI_Status status;
    check(try_transfer(call, access, buffer, status), call.write ? "collective write" : "collective read");
    if (call.write) {
      if (const auto found = buffer.check_after_write(); !found.empty()) add("around the buffer", found);
      check_status(status, access.bytes(), access);
    } else {
      check_read(phase, access, buffer, status);
    }
    check_pointer(phase, call, access);
  }

  void check_read(const Phase& phase, const Access& access, const Buffer& buffer, const MPI_Status& status) {
    const FileModel::Delivery expected = model_.read(phase, access, rank_);
    const Buffer::Damage damage = buffer.check_after_read(expected);
    if (!damage.data.empty()) add("data", damage.data);
    if (!damage.from_holes.empty()) add("data from holes", damage.from_holes);
    if (!damage.past_end.empty()) add("data past the end", damage.past_end);
    if (!damage.around.empty()) add("around the buffer", damage.around);
    if (expected.prefix) check_status(status, expected.valid, access);
    short_read_ = short_read_ || expected.valid < access.bytes();
  }

  /// The call with faults: it fails on all ranks or on none, and what it says of the bytes is true.
  void rehearse(const Phase& phase, const Call& call, const Access& access) {
    seek(call, access);
    const std::string rules = random_faults(faults_, static_cast<int>(call.access.size()));
    where_ += "with faults " + rules + ": ";
    set_stage(call.write ? "write with faults" : "read with faults");
    set_faults(session_.comm, session_.rules, rules);
    Buffer buffer(access.memory);
    if (call.write) buffer.fill_for_write(call, rank_);
    MPI_Status status;
    const int code = try_transfer(call, access, buffer, status);
    set_faults(session_.comm, session_.rules, "none");
    int error_class = MPI_SUCCESS, counted = -1;
    MPI_Error_class(code, &error_class);
    MPI_Get_elements(&status, MPI_BYTE, &counted);
    if (const auto text = disagreement_of(session_.comm, error_class); !text.empty())
      add("error classes", text);
    const bool failed = error_class != MPI_SUCCESS;
    if (failed && session_.failed) ++*session_.failed;
    if (call.write)
      check_tried_write(phase, call, buffer, failed ? counted : access.bytes());
    else if (failed)
      check_failed_read(phase, access, buffer, counted);
    else
      check_read(phase, access, buffer, status);
    if (!failed && call.write) check_status(status, access.bytes(), access);
    MPI_Barrier(session_.comm);
    if (!call.explicit_offset) check(MPI_File_seek(file_, pointer_, MPI_SEEK_SET), "MPI_File_seek");
    where_.erase(where_.find("with faults "));
  }

  void check_tried_write(const Phase& phase, const Call& call, const Buffer& buffer, std::int64_t counted) {
    FileModel after = model_;
    after.apply(phase, call);
    const auto text = untruth_of(
        {session_.path, model_, after, phase, call.access[static_cast<std::size_t>(rank_)], rank_, counted});
    if (!text.empty()) add("untrue", text);
    if (const auto found = buffer.check_after_write(); !found.empty()) add("around the buffer", found);
  }

  void check_failed_read(const Phase& phase, const Access& access, const Buffer& buffer,
                         std::int64_t counted) {
    const FileModel::Delivery expected = model_.read(phase, access, rank_);
    if (counted < 0 || (expected.prefix && counted > expected.valid))
      add("status", "a failed read says " + std::to_string(counted) + " bytes came");
    if (const auto text = buffer.check_after_failed_read(expected, counted); !text.empty())
      add("untrue", text);
  }

  int try_transfer(const Call& call, const Access& access, Buffer& buffer, MPI_Status& status) const {
    void* address = buffer.origin();
    MemoryShape memory = access.memory;
    if (access.bottom) {
      // The buffer's absolute address goes into the type.
      MPI_Aint absolute = 0;
      MPI_Get_address(buffer.origin(), &absolute);
      memory = {hindexed({{access.memory.count}, {absolute}}, access.memory.type), 1};
      address = MPI_BOTTOM;
    }
    return transfer_as_asked(call, {address, memory}, access.offset, status);
  }

  struct Data {
    void* address;
    MemoryShape memory;
  };

  /// The type is freed as soon as a call that is not blocking was posted.
  int transfer_as_asked(const Call& call, const Data& data, std::int64_t offset, MPI_Status& status) const {
    MPI_Request request = MPI_REQUEST_NULL;
    const Form form = session_.engine == Engine::native ? Form::blocking : call.form;
    {
      const BuiltType type(data.memory.type);
      const PostedCall posted{
          call.write,   call.explicit_offset, offset, data.address, static_cast<int>(data.memory.count),
          type.handle()};
      if (session_.calls != Calls::collective)
        return transfer_alone(session_.comm, file_, posted, posts(form), status);
      if (form == Form::blocking)
        return call.large_count ? transfer_all_large(file_, posted, status)
                                : transfer_all(file_, posted, status);
      const int code = post(file_, posted, form == Form::nonblocking ? &request : nullptr);
      if (code != MPI_SUCCESS) return code;
    }
    if (form == Form::nonblocking) return MPI_Wait(&request, &status);
    return end_split(file_, {call.write, call.explicit_offset, offset, data.address, 0, MPI_DATATYPE_NULL},
                     status);
  }

  /// Of an independent call.
  [[nodiscard]] bool posts(Form form) const {
    return form != Form::blocking && session_.calls == Calls::independent;
  }

  void check_status(const MPI_Status& status, std::int64_t expected, const Access& access) {
    int bytes = -1;
    MPI_Get_elements(&status, MPI_BYTE, &bytes);
    const char* kind = access.bytes() == 0          ? "empty status"
                       : expected == access.bytes() ? "status"
                                                    : "short status";
    if (bytes != expected)
      add(kind, "status says " + std::to_string(bytes) + " bytes, expected " + std::to_string(expected));
  }

  void check_pointer(const Phase& phase, const Call& call, const Access& access) {
    MPI_Offset found = -1;
    check(MPI_File_get_position(file_, &found), "MPI_File_get_position");
    if (!call.explicit_offset) pointer_ = access.offset + access.bytes() / phase.layout.etype->shape.size;
    if (found != pointer_) {
      add(short_read_ ? "position after end of file" : "position",
          "file pointer is " + std::to_string(found) + ", expected " + std::to_string(pointer_));
      MPI_File_seek(file_, pointer_, MPI_SEEK_SET);
    }
  }

  void check_size() {
    set_stage("get_size");
    // Every rank's writes are complete before any rank asks.
    if (case_.mode != Mode::read_only) check(MPI_File_sync(file_), "MPI_File_sync");
    MPI_Barrier(session_.comm);
    MPI_Offset size = -1;
    check(MPI_File_get_size(file_, &size), "MPI_File_get_size");
    const auto expected = static_cast<MPI_Offset>(model_.bytes().size());
    if (size != expected)
      add("size",
          "MPI_File_get_size says " + std::to_string(size) + ", expected " + std::to_string(expected));
    MPI_Barrier(session_.comm);
  }

  void compare_file() {
    set_stage("compare");
    if (access(session_.path.c_str(), F_OK) != 0) {
      add("file", "the file is not there");
      return;
    }
    const std::string text = content_of(session_.path);
    const std::vector<unsigned char> found(text.begin(), text.end());
    const auto& expected = model_.bytes();
    if (found.size() != expected.size()) {
      add("size", "file holds " + std::to_string(found.size()) + " bytes, expected " +
                      std::to_string(expected.size()));
      return;
    }
    report_differences(found);
  }

  /// One finding for each kind of byte that differs: written ones, old ones nobody wrote, and new holes.
  void report_differences(const std::vector<unsigned char>& found) {
    constexpr const char* kinds[] = {"file old bytes", "file holes", "file"};
    const auto& expected = model_.bytes();
    std::size_t differing[3] = {}, first[3] = {};
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i] == expected[i]) continue;
      const auto origin = static_cast<std::size_t>(model_.origin(i));
      if (differing[origin]++ == 0) first[origin] = i;
    }
    for (std::size_t origin = 0; origin < 3; ++origin) {
      if (differing[origin] == 0) continue;
      std::ostringstream out;
      out << differing[origin] << " of " << found.size() << " file bytes differ, first at offset "
          << first[origin] << ": expected " << int{expected[first[origin]]} << ", found "
          << int{found[first[origin]]};
      add(kinds[origin], out.str());
    }
  }

  const Session& session_;
  const Case& case_;
  FileModel& model_;
  MPI_File file_ = MPI_FILE_NULL;
  int rank_ = 0;
  std::int64_t pointer_ = 0;
  bool short_read_ = false;
  std::string where_;
  Random faults_{mix(case_.seed, 0xfa17)};
  std::vector<Finding> findings_;
};

}  // namespace

void set_stage(const char* stage) noexcept { current_stage = stage; }
const char* stage() noexcept { return current_stage; }

std::vector<Finding> run_session(const Session& session, const Case& subject, FileModel& model) {
  return Runner(session, subject, model).run();
}

}  // namespace collio::differential
