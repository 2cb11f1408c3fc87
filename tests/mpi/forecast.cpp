// What the simulator says that calls take beside the bytes, against the calls: as many collective operations
// of MPI in an open, a first and a later call of a pattern, and a close, and as many messages. For several
// nodes of two ranks.
#include <cstdlib>

#include "in_front.hpp"
#include "pieces.hpp"
#include "simulate/charges.hpp"
#include "simulate/two_layer_run.hpp"
#include "simulate/two_phase_run.hpp"

using namespace collio::test;
namespace simulate = collio::simulate;
namespace policy = collio::policy;

namespace {

constexpr int ranks_per_node = 2, piece_bytes = 1024, pieces = 128, calls = 3;

/// Of the engine, on more than one rank.
int collectives = 0;

void count(MPI_Comm comm, const void* caller) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  if (size > 1 && from_engine(caller)) ++collectives;
}

}  // namespace

extern "C" {
int PMPI_Iallreduce(const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                    MPI_Request* request) {
  count(comm, __builtin_return_address(0));
  return COLLIO_BEHIND(PMPI_Iallreduce)(in, out, n, type, op, comm, request);
}
int PMPI_Ireduce(const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                 MPI_Request* request) {
  count(comm, __builtin_return_address(0));
  return COLLIO_BEHIND(PMPI_Ireduce)(in, out, n, type, op, root, comm, request);
}
int PMPI_Ibcast(void* data, int n, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  count(comm, __builtin_return_address(0));
  return COLLIO_BEHIND(PMPI_Ibcast)(data, n, type, root, comm, request);
}
int PMPI_Iallgather(const void* in, int n, MPI_Datatype type, void* out, int m, MPI_Datatype out_type,
                    MPI_Comm comm, MPI_Request* request) {
  count(comm, __builtin_return_address(0));
  return COLLIO_BEHIND(PMPI_Iallgather)(in, n, type, out, m, out_type, comm, request);
}
int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm* copy, MPI_Request* request) {
  count(comm, __builtin_return_address(0));
  return COLLIO_BEHIND(PMPI_Comm_idup)(comm, copy, request);
}
int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* part) {
  count(comm, __builtin_return_address(0));
  return COLLIO_BEHIND(PMPI_Comm_split)(comm, color, key, part);
}
int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* part) {
  count(comm, __builtin_return_address(0));
  return COLLIO_BEHIND(PMPI_Comm_split_type)(comm, type, key, info, part);
}
int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
  count(comm, __builtin_return_address(0));
  return COLLIO_BEHIND(PMPI_Comm_create_group)(comm, group, tag, made);
}
}

namespace {

class Forecast {
 public:
  Forecast(int ranks, const HintList& hints, policy::Path path)
      : topology_(collio::machine::SingleSwitch{ranks / ranks_per_node, {1e9, 1e-6}}),
        job_{ranks,
             ranks_per_node,
             {0, std::int64_t{ranks} * pieces * piece_bytes},
             [=](int rank) {
               return std::vector{collio::core::Pattern::contiguous(rank * piece_bytes, piece_bytes)
                                      .repeated({pieces, std::int64_t{ranks} * piece_bytes})};
             }},
        setting_{topology_, job_, {}, {}, policy::parse_hints(hints), false} {
    setting_.model.storage.file_system = simulate::FileSystem::local;
    setting_.model.storage.stripe_bytes = 4096;
    for (int node = 0; node < job_.nodes(); ++node) setting_.nodes.push_back(node);
    const simulate::PlannedCall call = simulate::plan_call(setting_, simulate::digest_of(job_), path);
    calls_ = simulate::charged_calls(setting_, call);
    const simulate::Outcome done = path == policy::Path::two_layer ? simulate::run_two_layer(setting_, call)
                                                                   : simulate::run_two_phase(setting_, call);
    messages = done.messages;
  }
  [[nodiscard]] std::int64_t collectives_of(const std::string& call) const {
    return std::ranges::find(calls_, call, &simulate::ChargedCall::name)->sum().collectives;
  }
  /// of one call
  std::int64_t messages = 0;

 private:
  collio::machine::Topology topology_;
  simulate::Job job_;
  simulate::CallSetting setting_;
  std::vector<simulate::ChargedCall> calls_;
};

class Tests {
 public:
  explicit Tests(Program& program) : program_(program), reports_(program) {}

  void run(policy::Path path) {
    HintList hints{
        {"collio_path", std::string(policy::name_of(path))}, {"cb_nodes", "3"}, {"collio_window", "65536"}};
    const Forecast forecast(program_.size, hints, path);
    const std::string name = program_.temporary("forecast." + hints["collio_path"]);
    MPI_Comm comm = MPI_COMM_NULL;  // that nobody has opened a file on, of ranks in another order each time
    MPI_Comm_split(MPI_COMM_WORLD, 0, path == policy::Path::two_layer ? 0 : 1, &comm);
    MPI_File file = open(comm, name, hints);
    if (path == policy::Path::two_layer)  // nodes that are emulated take one communicator more
      expect(forecast.collectives_of("first open") + 1, "first open");
    MPI_Datatype mine = MPI_DATATYPE_NULL;
    MPI_Type_vector(pieces, piece_bytes, piece_bytes * program_.size, MPI_BYTE, &mine);
    MPI_Type_commit(&mine);
    program_.good(MPI_File_set_view(file, MPI_Offset{program_.rank} * piece_bytes, MPI_BYTE, mine, "native",
                                    MPI_INFO_NULL),
                  "MPI_File_set_view");
    MPI_Type_free(&mine);
    const std::vector<char> data(std::size_t{pieces} * piece_bytes, 'x');
    for (int i = 0; i < calls; ++i) {
      collectives = 0;
      program_.good(MPI_File_write_at_all(file, 0, data.data(), static_cast<int>(data.size()), MPI_BYTE,
                                          MPI_STATUS_IGNORE),
                    "MPI_File_write_at_all");
      const std::string call = i == 0 ? "first call" : "later call";
      expect(forecast.collectives_of(call), call + " by " + hints["collio_path"]);
    }
    MPI_File_close(&file);
    if (program_.rank == 0) {
      const std::string report = reports_.of(name);
      const long long messages = sum_of("\"messages\":", report);
      program_.that(messages == calls * forecast.messages,
                    (hints["collio_path"] + ": " + std::to_string(messages) + " messages, forecast " +
                     std::to_string(calls * forecast.messages))
                        .c_str());
    }
    reopen(comm, name, hints, forecast);
    MPI_Comm_free(&comm);
  }

 private:
  MPI_File open(MPI_Comm comm, const std::string& name, const HintList& hints) {
    MPI_Info info = make_info(hints);
    MPI_File file = MPI_FILE_NULL;
    collectives = 0;
    program_.good(MPI_File_open(comm, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file),
                  "MPI_File_open");
    MPI_Info_free(&info);
    return file;
  }

  /// A third open, and its close. A second one looks whether all ranks are on one node.
  void reopen(MPI_Comm comm, const std::string& name, const HintList& hints, const Forecast& forecast) {
    const std::string report = std::getenv("COLLIO_REPORT");
    unsetenv("COLLIO_REPORT");
    for (const bool second : {true, false}) {
      MPI_File file = open(comm, name, hints);
      if (!second) expect(forecast.collectives_of("later open"), "later open");
      collectives = 0;
      MPI_File_close(&file);
      expect(forecast.collectives_of("close"), "close");
    }
    setenv("COLLIO_REPORT", report.c_str(), 1);
  }

  /// On rank 0, which takes part in most.
  void expect(std::int64_t forecast, const std::string& what) {
    if (program_.rank != 0) return;
    program_.that(collectives == forecast, (what + ": " + std::to_string(collectives) +
                                            " collective operations, forecast " + std::to_string(forecast))
                                               .c_str());
  }

  Program& program_;
  Reports reports_;
};

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  if (const std::string why = program.no_room_for_windows(program.size / ranks_per_node); !why.empty())
    return program.skip(why);
  Tests tests(program);
  tests.run(policy::Path::two_layer);
  tests.run(policy::Path::two_phase);
  return program.finish();
}
