// Settings of ROMIO, Cray MPICH and Open MPI, and the layout that the MPI library tells of: which of them are
// in force, on all ranks.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "check.hpp"

using namespace collio::test;

extern "C" {
extern const char* collio_test_striping_unit;
extern const char* collio_test_striping_factor;
}

namespace {

using Hints = std::vector<std::pair<std::string, std::string>>;

/// A variable of the environment, for as long as this is there.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

class Tests {
 public:
  explicit Tests(Program& program) : program_(program) {}

  /// Rank 0 reads the file; the others' environment names another, or none.
  void romio_file() {
    const std::string hints = program_.temporary("romio_hints");
    if (program_.rank == 0)
      std::ofstream(hints) << "# a comment\ncb_nodes 1\nromio_ds_write disable\ncb_buffer_size 65536\n";
    const Variable here("ROMIO_HINTS", program_.rank == 0 ? hints : "/nowhere/at/all");
    expect(opened("romio", {}),
           {{"cb_nodes", "1"}, {"romio_ds_write", "disable"}, {"cb_buffer_size", "65536"}}, "a hints file");
    expect(opened("romio", {{"cb_buffer_size", "8192"}}),
           {{"cb_buffer_size", "8192"}, {"romio_ds_write", "disable"}}, "the info wins over a hints file");
    const Variable hints_of_collio("COLLIO_HINTS", "cb_buffer_size=4096");
    expect(opened("romio", {}), {{"cb_buffer_size", "4096"}, {"romio_ds_write", "disable"}},
           "COLLIO_HINTS wins over a hints file");
  }

  /// The info of such a file is no wish of the program for the next.
  void they_do_not_go_on_to_other_files() {
    const Variable here("MPICH_MPIIO_HINTS", "*first:romio_ds_write=disable");
    MPI_Info first = opened_with("first", MPI_INFO_NULL);
    expect(opened_with("next", first), {{"romio_ds_write", "automatic"}}, "the next file");
    expect(first, {{"romio_ds_write", "disable"}}, "the first file");
  }

  /// As under Cray MPICH, they win over the info.
  void cray() {
    const std::string text =
        "/nowhere*:cb_nodes=2,*cray_a:cb_buffer_size=16384:cb_config_list=#*:1,*:2#,*cray_?:romio_cb_write="
        "enable";
    const Variable here("MPICH_MPIIO_HINTS", program_.rank == 0 ? text : "*:cb_buffer_size=1");
    expect(opened("cray_a", {{"cb_buffer_size", "8192"}}),
           {{"cb_buffer_size", "16384"}, {"cb_config_list", "*:1,*:2"}, {"romio_cb_write", "automatic"}},
           "the first pattern");
    expect(opened("cray_b", {}), {{"romio_cb_write", "enable"}, {"cb_buffer_size", "16777216"}},
           "the second pattern");
    expect(opened("other", {}), {{"romio_cb_write", "automatic"}}, "no pattern");
    const Variable hints_of_collio("COLLIO_HINTS", "cb_buffer_size=4096");
    expect(opened("cray_a", {}), {{"cb_buffer_size", "4096"}, {"cb_config_list", "*:1,*:2"}},
           "COLLIO_HINTS wins over MPICH_MPIIO_HINTS");
  }

  void open_mpi() {
    const Variable nodes("OMPI_MCA_io_ompio_num_aggregators", "1"),
        bytes("OMPI_MCA_io_ompio_bytes_per_agg", "1M"), fcoll("OMPI_MCA_fcoll", "individual");
    expect(opened("ompio", {}),
           {{"cb_nodes", "1"},
            {"cb_buffer_size", "1048576"},
            {"romio_cb_write", "disable"},
            {"romio_cb_read", "disable"}},
           "Open MPI's parameters");
    expect(opened("ompio", {{"cb_buffer_size", "8192"}}), {{"cb_buffer_size", "8192"}},
           "the info wins over Open MPI's parameters");
  }

  void striping_that_the_library_tells() {
    collio_test_striping_unit = "65536";
    collio_test_striping_factor = "4";
    MPI_Info info = opened_with("striped", MPI_INFO_NULL);
    program_.that(value_of(info, "collio_automatic").find("striping_unit=65536") != std::string::npos,
                  "striping is nobody's wish");
    MPI_Info_free(&info);
    reported({"65536", "4"}, {}, "the library's word");
    reported({"4096", "4"}, {{"striping_unit", "4096"}}, "the info wins over the library's word");
    collio_test_striping_unit = "0";
    collio_test_striping_factor = "-1";
    reported({"auto", "auto"}, {}, "a file that is not striped");
    collio_test_striping_unit = collio_test_striping_factor = nullptr;
  }

  /// Ranks need not have the same environment for rank 0's settings to hold.
  void check_mode_is_content() {
    const Variable here("MPICH_MPIIO_HINTS", program_.rank == 0 ? "*:cb_buffer_size=16384" : "");
    expect(opened("checked", {{"collio_check", "enable"}}),
           {{"cb_buffer_size", "16384"}, {"collio_check", "enable"}}, "check mode");
  }

  void bad_settings_end_no_job() {
    const std::string hints = program_.temporary("bad_hints");
    if (program_.rank == 0)
      std::ofstream(hints) << "cb_nodes\ncb_nodes = 4\ncb_buffer_size lots\nromio_ds_write disable\n"
                           << std::string(100000, 'x');
    const Variable romio("ROMIO_HINTS", hints), cray("MPICH_MPIIO_HINTS", ":::,,,=,*:=,*:a=:b"),
        bytes("OMPI_MCA_io_ompio_bytes_per_agg", "many");
    expect(opened("bad", {}), {{"romio_ds_write", "disable"}, {"cb_buffer_size", "16777216"}},
           "what is a hint");
    const Variable folder("ROMIO_HINTS", "/tmp");
    expect(opened("bad", {}), {{"romio_ds_write", "automatic"}}, "a folder as the hints file");
  }

 private:
  struct Striping {
    std::string unit, factor;
  };

  /// What the report says is in force: MPI_File_get_info has the library's word in any case. Collective.
  void reported(const Striping& striping, const Hints& hints, const std::string& what) {
    const std::string report = program_.temporary("report");
    const Variable here("COLLIO_REPORT", report);
    MPI_Info info = opened("striped", hints);
    MPI_Info_free(&info);
    if (program_.rank != 0) return;
    std::stringstream lines;
    lines << std::ifstream(report).rdbuf();
    std::ofstream(report, std::ios::trunc);
    for (const std::string& pair :
         {"\"striping_unit\":\"" + striping.unit + "\"", "\"striping_factor\":\"" + striping.factor + "\""})
      program_.that(lines.str().find(pair) != std::string::npos, (what + ": no " + pair).c_str());
  }

  /// Frees the info.
  void expect(MPI_Info info, const Hints& hints, const std::string& what) {
    for (const auto& [key, value] : hints)
      program_.that(value_of(info, key.c_str()) == value,
                    (what + ": " + key + " is " + value_of(info, key.c_str()) + ", not " + value).c_str());
    MPI_Info_free(&info);
  }

  static std::string value_of(MPI_Info info, const char* key) {
    std::string value(MPI_MAX_INFO_VAL + 1, '\0');
    int found = 0;
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value.data(), &found);
    return found ? value.c_str() : "(absent)";
  }

  /// What is in force for a file that was opened with `info`, and works. Collective.
  MPI_Info opened_with(const char* name, MPI_Info info) {
    MPI_File file = MPI_FILE_NULL;
    MPI_Info in_force = MPI_INFO_NULL;
    program_.good(MPI_File_open(MPI_COMM_WORLD, program_.temporary(name).c_str(),
                                MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file),
                  "MPI_File_open");
    const auto data = values(program_.rank, 300);
    std::vector<int> found(300);
    const MPI_Offset offset = MPI_Offset{1200} * program_.rank;
    program_.good(MPI_File_write_at_all(file, offset, data.data(), 300, MPI_INT, MPI_STATUS_IGNORE),
                  "MPI_File_write_at_all");
    program_.good(MPI_File_read_at_all(file, offset, found.data(), 300, MPI_INT, MPI_STATUS_IGNORE),
                  "MPI_File_read_at_all");
    program_.that(found == data, "data written and read");
    program_.good(MPI_File_get_info(file, &in_force), "MPI_File_get_info");
    program_.good(MPI_File_close(&file), "MPI_File_close");
    return in_force;
  }

  MPI_Info opened(const char* name, const Hints& hints) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    for (const auto& [key, value] : hints) MPI_Info_set(info, key.c_str(), value.c_str());
    MPI_Info in_force = opened_with(name, info);
    MPI_Info_free(&info);
    return in_force;
  }

  Program& program_;
};

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  Tests tests(program);
  tests.romio_file();
  tests.they_do_not_go_on_to_other_files();
  tests.cray();
  tests.open_mpi();
  tests.striping_that_the_library_tells();
  tests.check_mode_is_content();
  tests.bad_settings_end_no_job();
  return program.finish();
}
