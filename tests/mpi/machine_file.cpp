// COLLIO_MACHINE: a file that knows this host makes the network known; any other leaves it unknown, says why,
// and the program's file works all the same. Only rank 0 of a communicator reads it. With --hosts each rank
// is on a host of its own.
#include <malloc.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "pieces.hpp"

using namespace collio::test;

namespace {

class Tests {
 public:
  explicit Tests(Program& program)
      : program_(program), reports_(program), machine_(program.temporary("machine")) {
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length = 0;
    MPI_Get_processor_name(name, &length);
    host_ = name;
  }

  void known() {
    for (const std::string& name :
         {host_, host_.substr(0, host_.find('.')), host_.substr(0, host_.find('.')) + ".elsewhere.org"}) {
      write_machine(machine_of(name));
      const std::string report = report_of("known");
      says(report,
           "\"network\":{\"name\":\"a pair\",\"nodes\":2,\"hops\":{\"min\":0,\"max\":0},\"hosts\":[\"" +
               host_ + "\"]}");
      says_not(report, "COLLIO_MACHINE=");
    }
  }

  void unknown() {
    const auto unknown_because = [this](const std::string& text, const std::string& why) {
      write_machine(text);
      says(report_of("unknown"), "\"unknown\":\"COLLIO_MACHINE=" + machine_ + ": " + why);
    };
    unknown_because("", "not JSON: line 1, column 1");
    unknown_because(machine_of(host_).substr(0, 100), "not JSON: line ");
    unknown_because(machine_of("some-other-host"),
                    "host '" + host_ + "' is not among the nodes of 'a pair' (some-other-host, spare)");
    std::string text = machine_of(host_);
    unknown_because(text.replace(text.find("\"b\": 2"), 6, "\"b\": 9"),
                    "links[0].b is 9, there are 3 vertices");
    if (program_.rank == 0) unlink(machine_.c_str());
    says(report_of("unknown"), "\"unknown\":\"COLLIO_MACHINE=" + machine_ + ": No such file or directory\"");
    if (program_.rank == 0) mkdir(machine_.c_str(), 0755);
    says(report_of("unknown"), "\"unknown\":\"COLLIO_MACHINE=" + machine_ + ": it is no ordinary file\"");
    if (program_.rank == 0) rmdir(machine_.c_str());
  }

  /// Ranks know different texts already, or none: rank 0 had files of its own. A changed file is read again.
  void files_of_some_ranks() {
    write_machine(machine_of(host_));
    if (program_.rank == 0) {
      says(report_of("alone", MPI_COMM_SELF), "\"name\":\"a pair\"");
      std::string text = machine_of(host_);
      write_text(text.replace(text.find("a pair"), 6, "again"));
      says(report_of("alone", MPI_COMM_SELF), "\"name\":\"again\"");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    says(report_of("all"), "\"name\":\"again\"");
    write_machine(machine_of(host_));
    says(report_of("all"), "\"name\":\"a pair\"");
  }

  /// The variable is set on rank 0 of the world alone, which is not the first here.
  void first_rank_decides() {
    if (program_.size == 1) return;
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, program_.size - program_.rank, &reversed);
    const std::string report = report_of("reversed", reversed);
    MPI_Comm_free(&reversed);
    if (program_.rank == program_.size - 1)
      program_.that(report.find("\"network\"") == std::string::npos, ("no network in " + report).c_str());
  }

  /// Of a large machine only rank 0 reads and parses the file, and a node's ranks share its routes.
  void routes_are_in_a_node_once(bool hosts) {
    constexpr int nodes = 600;
    constexpr std::size_t table_bytes = sizeof(std::int32_t) * nodes * (nodes + 1);
    static_cast<void>(report_of("before"));  // its buffers are kept
    write_machine(star_of(nodes));
    const auto allocated = [] {
      const auto counted = mallinfo2();
      return counted.uordblks + counted.hblkhd;
    };
    const std::size_t before = allocated();
    const std::string report = report_of("routes");
    says(report, "\"network\":{\"name\":\"a star\",\"nodes\":600,");
    if (hosts && program_.size > 1) {
      says(report, "\"hops\":{\"min\":2,\"max\":2},\"hosts\":[\"host0\",\"host1\"");
      says(report, "\"busiest\":{");
    }
    const std::size_t after = allocated();
    if (program_.rank > 0)
      program_.that(after < before + table_bytes / 2,
                    (std::to_string(after - before) + " bytes on a rank").c_str());
  }

  /// Ranks that had the machine alone, each with routes of its own, share them once they open a file
  /// together.
  void routes_of_single_ranks_are_shared() {
    if (!program_.no_room_for_windows().empty()) return;
    write_machine(star_of(700));
    const bool set = std::getenv("COLLIO_MACHINE") != nullptr;
    setenv("COLLIO_MACHINE", machine_.c_str(), 1);
    static_cast<void>(report_of("alone" + std::to_string(program_.rank), MPI_COMM_SELF));
    MPI_Barrier(MPI_COMM_WORLD);
    static_cast<void>(report_of("together"));
    program_.that(have_in_common(sizeof(std::int32_t) * 700 * 701), "ranks share the routes");
    if (!set) unsetenv("COLLIO_MACHINE");
  }

 private:
  /// Whether all ranks have mapped the same shared memory of so many bytes.
  static bool have_in_common(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    std::vector<long long> inodes;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      std::size_t begin = 0, end = 0;
      long long inode = 0;
      if (std::sscanf(line.c_str(), "%zx-%zx rw-s %*s %*s %lld", &begin, &end, &inode) != 3) continue;
      if (end - begin == (bytes + page - 1) / page * page) inodes.push_back(inode);
    }
    std::array<long long, 8> of_first{};
    std::copy_n(inodes.begin(), std::min(inodes.size(), of_first.size()), of_first.begin());
    MPI_Bcast(of_first.data(), static_cast<int>(of_first.size()), MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    std::array<int, of_first.size()> here{};
    for (std::size_t i = 0; i < here.size(); ++i) here[i] = std::ranges::count(inodes, of_first[i]) > 0;
    MPI_Allreduce(MPI_IN_PLACE, here.data(), static_cast<int>(here.size()), MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return std::ranges::count(here, 1) > 0;
  }
  /// This host and others at one switch.
  [[nodiscard]] std::string star_of(int nodes) const {
    std::string names, links, next, of_switch;
    for (int node = 0; node < nodes; ++node) {
      const std::string comma = node > 0 ? ", " : "", number = std::to_string(node);
      names += comma + R"({"name": ")" + (node == 0 ? host_ : "host" + number) + R"("})";
      links += comma + R"({"a": )" + number + R"(, "b": )" + std::to_string(nodes) +
               R"(, "rate_bytes_per_s": 1e9})";
      std::string row;
      for (int to = 0; to < nodes; ++to) row += (to > 0 ? ", " : "") + (to == node ? "-1" : number);
      next += comma + "[" + row + "]";
      of_switch += comma + number;
    }
    return R"({"format": "collio-machine-graph/1", "name": "a star", "nodes": [)" + names +
           R"(], "switches": ["switch"], "links": [)" + links + R"(], "next": [)" + next + ", [" + of_switch +
           "]]}";
  }
  [[nodiscard]] static std::string machine_of(const std::string& host) {
    return R"({"format": "collio-machine-graph/1", "name": "a pair", "nodes": [{"name": ")" + host +
           R"(", "ranks": 8}, {"name": "spare", "ranks": 1}], "switches": ["switch"],
               "links": [{"a": 0, "b": 2, "rate_bytes_per_s": 1e9, "latency_s": 0}, {"a": 1, "b": 2, "rate_bytes_per_s": 1e9, "latency_s": 0}],
               "next": [[-1, 0], [1, -1], [0, 1]]})";
  }
  void write_text(const std::string& text) const { std::ofstream(machine_, std::ios::trunc) << text; }
  void write_machine(const std::string& text) {
    if (program_.rank == 0) {
      write_text(text);
      setenv("COLLIO_MACHINE", machine_.c_str(), 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  /// The report of a file that was written and read; on the communicator's first rank. Collective over it.
  std::string report_of(const std::string& name, MPI_Comm comm = MPI_COMM_WORLD) {
    PieceFile file(program_, comm, program_.temporary(name), {});
    Dice dice(3);
    const Cut cut{file.size(), 0, 50000, 1, 100, 0};
    file.write(deal_out(dice, cut));
    file.read(deal_out(dice, cut));
    file.check();
    file.close();
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const std::string report = rank == 0 ? reports_.of(file.path()) : "";
    MPI_Barrier(comm);
    return report;
  }
  void says(const std::string& report, const std::string& what) {
    if (program_.rank == 0)
      program_.that(report.find(what) != std::string::npos, (what + " in " + report).c_str());
  }
  void says_not(const std::string& report, const std::string& what) {
    if (program_.rank == 0)
      program_.that(report.find(what) == std::string::npos, ("no " + what + " in " + report).c_str());
  }

  Program& program_;
  Reports reports_;
  std::string machine_, host_;
};

/// Before MPI looks. False: that needs rights.
bool take_own_host() {
  for (const char* name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK"})
    if (const char* rank = std::getenv(name)) {
      const std::string host = std::string("host") + rank;
      return unshare(CLONE_NEWUTS) == 0 && sethostname(host.data(), host.size()) == 0;
    }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const bool hosts = argc > 1 && std::string(argv[1]) == "--hosts", own = hosts && take_own_host();
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  if (hosts && !own) return program.skip("no rank may have a host of its own here");
  Tests tests(program);
  if (hosts) {
    tests.routes_are_in_a_node_once(hosts);
    return program.finish();
  }
  tests.known();
  tests.unknown();
  tests.files_of_some_ranks();
  tests.first_rank_decides();
  tests.routes_are_in_a_node_once(hosts);
  tests.routes_of_single_ranks_are_shared();
  return program.finish();
}
