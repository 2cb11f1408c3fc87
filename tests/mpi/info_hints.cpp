// Hints on their way to the MPI library and back: values that are legal for it reach it, none is too long for
// an info, what nobody asked for does not come back as asked for, and some hints hold for some files.
#include <set>

#include "check.hpp"
#include "in_front.hpp"

using namespace collio::test;

namespace {

std::set<std::string> deleted;  ///< keys that were taken out of infos

using Hints = std::vector<std::pair<std::string, std::string>>;

std::string value_of(MPI_Info info, const char* key) {
  std::string value(MPI_MAX_INFO_VAL + 1, '\0');
  int found = 0;
  MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value.data(), &found);
  return found ? value.c_str() : "(absent)";
}

class Tests {
 public:
  explicit Tests(Program& program) : program_(program) {}

  void legal_values_reach_the_library() {
    deleted.clear();
    MPI_Info info = opened("legal", {{"romio_cb_write", "ENABLE"},
                                     {"romio_ds_write", "DISABLE"},
                                     {"cb_buffer_size", "2000000000"},
                                     {"striping_factor", "-1"},
                                     {"striping_unit", "0"},
                                     {"nc_num_aggrs_per_node", "0"}});
    for (const std::string& key : deleted)
      program_.that(false, (key + " was kept from the MPI library").c_str());
    program_.that(value_of(info, "romio_cb_write") == "enable", "romio_cb_write in force");
    program_.that(value_of(info, "cb_buffer_size") == "1073741824", "cb_buffer_size in force");
    MPI_Info_free(&info);
    info = opened("illegal", {{"cb_nodes", "-3"}, {"cb_buffer_size", "lots"}});
    MPI_Info_free(&info);
    program_.that(deleted.contains("cb_nodes") && deleted.contains("cb_buffer_size"),
                  "values that libraries fail on are kept from them");
  }

  void long_values_end_no_job() {
    const std::string all = "n" + std::string(3000, '1') + ":2,*:*";
    std::string faults = "4000:read:EIO";
    for (int i = 0; i < 300; ++i) faults += "/4000:read:EIO";
    setenv("COLLIO_HINTS",
           ("cb_config_list=" + all + ";" + std::string(400, 'k') + "=1;collio_faults=" + faults).c_str(), 1);
    MPI_Info info = opened("long", {});
    unsetenv("COLLIO_HINTS");
    program_.that(value_of(info, "collio_enable") == "enable", "the file is collio's");
    MPI_Info_free(&info);
  }

  void what_is_automatic_stays_so() {
    MPI_Info first = opened("automatic", {{"romio_ds_write", "disable"}});
    const std::string nodes = value_of(first, "cb_nodes");
    for (int again = 0; again < 2; ++again) {
      MPI_Info next = opened_with("automatic", first);
      program_.that(value_of(next, "cb_nodes") == nodes, "cb_nodes is the same again");
      program_.that(value_of(next, "collio_automatic").find("cb_nodes=" + nodes) != std::string::npos,
                    "cb_nodes is still automatic");
      program_.that(value_of(next, "romio_ds_write") == "disable", "what was asked for is in force");
      MPI_Info_free(&first);
      first = next;
    }
    MPI_Info_set(first, "cb_nodes", nodes == "1" ? "2" : "1");
    MPI_Info set = opened_with("automatic", first);
    program_.that(value_of(set, "collio_automatic").find("cb_nodes") == std::string::npos,
                  "a changed cb_nodes is asked for");
    MPI_Info_free(&first);
    MPI_Info_free(&set);
  }

  void by_path() {
    setenv("COLLIO_HINTS", "collio_path=two_layer;collio_window=65536", 1);
    setenv("COLLIO_SET_FOR",
           "*.nc: collio_path=two_phase, cb_config_list=nowhere:1,*:2; /dev/null/*: collio_window=4096; "
           "*/collio_test.*.h?: collio_path=independent",
           1);
    const auto in_force = [&](const char* name, const char* key) {
      MPI_Info info = opened(name, {{"collio_path", "auto"}});
      const std::string value = value_of(info, key);
      MPI_Info_free(&info);
      return value;
    };
    program_.that(in_force("set.nc", "collio_path") == "two_phase", "a rule for *.nc");
    program_.that(in_force("set.nc", "cb_config_list") == "nowhere:1,*:2", "a value with a comma");
    program_.that(in_force("set.h5", "collio_path") == "independent", "a rule for a whole path");
    program_.that(in_force("set.dat", "collio_path") == "two_layer", "the hints of every file");
    program_.that(in_force("set.nc", "collio_window") == "65536",
                  "the hints of every file beside those of some");
    MPI_Info info = opened("other.nc", {});
    MPI_Info other = opened_with("set.dat", info);
    program_.that(value_of(other, "collio_path") == "two_layer",
                  "a rule does not go on to files that it is not for");
    MPI_Info_free(&info);
    MPI_Info_free(&other);
    unsetenv("COLLIO_HINTS");
    unsetenv("COLLIO_SET_FOR");
  }

 private:
  /// What is in force for a file that was opened with `info`. Collective.
  MPI_Info opened_with(const char* name, MPI_Info info) {
    MPI_File file = MPI_FILE_NULL;
    MPI_Info in_force = MPI_INFO_NULL;
    program_.good(MPI_File_open(MPI_COMM_WORLD, program_.temporary(name).c_str(),
                                MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file),
                  "MPI_File_open");
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

/// Stands before the MPI library's, for collio too.
extern "C" int PMPI_Info_delete(MPI_Info info, const char* key) {
  deleted.insert(key);
  return COLLIO_BEHIND(PMPI_Info_delete)(info, key);
}

int main(int argc, char** argv) {
  Program program(argc, argv);
  Tests tests(program);
  tests.legal_values_reach_the_library();
  tests.long_values_end_no_job();
  tests.what_is_automatic_stays_so();
  tests.by_path();
  return program.finish();
}
