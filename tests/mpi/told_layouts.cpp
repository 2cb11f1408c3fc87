// Files whose file system tells a layout: whatever bytes it tells, all ranks open the file and agree on them.
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "check.hpp"

using namespace collio::test;
using namespace std::string_literals;

extern "C" {
extern const char* collio_test_layout;
extern std::size_t collio_test_layout_bytes;
}

namespace {

/// Writes and reads a file that lies like this; rank 0's report of it. Collective.
std::string report_of(Program& program, const std::string& layout, const char* name) {
  const std::string report = program.temporary("report");
  setenv("COLLIO_REPORT", report.c_str(), 1);
  collio_test_layout = layout.data();
  collio_test_layout_bytes = layout.size();
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary(name).c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                             MPI_INFO_NULL, &file),
               name);
  const auto data = values(program.rank, 300);
  std::vector<int> found(300);
  const MPI_Offset offset = MPI_Offset{1200} * program.rank;
  program.good(MPI_File_write_at_all(file, offset, data.data(), 300, MPI_INT, MPI_STATUS_IGNORE), name);
  program.good(MPI_File_read_at_all(file, offset, found.data(), 300, MPI_INT, MPI_STATUS_IGNORE), name);
  program.that(found == data, name);
  program.good(MPI_File_close(&file), name);
  collio_test_layout = nullptr;
  std::stringstream lines;
  if (program.rank == 0) {
    lines << std::ifstream(report).rdbuf();
    std::ofstream(report, std::ios::trunc);
  }
  return lines.str();
}

void expect(Program& program, const std::string& report, const std::string& text) {
  if (program.rank == 0)
    program.that(report.find(text) != std::string::npos, ("no " + text + " in " + report).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  expect(program, report_of(program, "stripe_unit=65536 stripe_count=2 object_size=65536 pool=a", "sound"),
         R"("unit_bytes":65536,"count":2)");
  expect(
      program,
      report_of(program, "stripe_unit=1\0unit\0 99999999999999999999 stripe_count=\0count\0x\0\0\n"s, "nul"),
      R"(not a layout: 'stripe_unit=1?unit? 99999999999999999999 stripe_count=?count?x???')");
  expect(program,
         report_of(program, "stripe_unit=65536 stripe_count=2 object_size=65536 pool=\0\0-7\0"s, "pool"),
         R"("count":2)");
  expect(program,
         report_of(program, "stripe_unit=2147483648 stripe_count=2 object_size=2147483648", "long stripes"),
         "stripes of 2147483648 bytes; collio uses those of up to 1073741824");
  return program.finish();
}
