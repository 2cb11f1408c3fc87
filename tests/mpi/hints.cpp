// Hints: what is in force comes back from MPI_File_get_info; a bad value falls back to a good one and the
// file works.
#include "check.hpp"

using namespace collio::test;

namespace {

std::string hint(MPI_File file, const char* key) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_File_get_info(file, &info);
  char value[MPI_MAX_INFO_VAL + 1] = "";
  int found = 0;
  MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
  MPI_Info_free(&info);
  return found ? value : "(absent)";
}

struct Hint {
  const char* key;
  const char* value;
};

MPI_File open_with(Program& program, const char* name, std::initializer_list<Hint> hints) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  for (const Hint& one : hints) MPI_Info_set(info, one.key, one.value);
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary(name).c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                             info, &file),
               "MPI_File_open");
  MPI_Info_free(&info);
  return file;
}

/// The file works whatever the hints were.
void use_and_close(Program& program, MPI_File file) {
  MPI_Datatype type = dealt_ints(program.rank, program.size, 3);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
  const auto data = values(program.rank, 300);
  std::vector<int> found(300);
  MPI_Status status;
  program.good(MPI_File_write_all(file, data.data(), 300, MPI_INT, &status), "MPI_File_write_all");
  program.good(MPI_File_read_at_all(file, 0, found.data(), 300, MPI_INT, &status), "MPI_File_read_at_all");
  program.that(found == data, "data written and read");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

void in_force(Program& program) {
  MPI_File file = open_with(program, "hints",
                            {{"cb_nodes", "1"},
                             {"cb_buffer_size", "8192"},
                             {"romio_cb_write", "enable"},
                             {"collio_path", "two_phase"},
                             {"collio_holes", "piecewise"},
                             {"collio_local_aggregators", "2"},
                             {"nc_num_aggrs_per_node", "3"}});
  if (collio_is_on()) {
    program.that(hint(file, "cb_nodes") == "1", "cb_nodes in force");
    program.that(hint(file, "cb_buffer_size") == "8192", "cb_buffer_size in force");
    program.that(hint(file, "collio_path") == "two_phase", "collio_path in force");
    program.that(hint(file, "collio_holes") == "piecewise", "collio_holes in force");
    program.that(hint(file, "collio_enable") == "enable", "collio_enable in force");
    program.that(hint(file, "collio_local_aggregators") == "2", "collio_local_aggregators in force");
    program.that(hint(file, "nc_num_aggrs_per_node") == "3", "nc_num_aggrs_per_node in force");
  }
  use_and_close(program, file);
  for (const char* path : {"two_layer", "two_phase", "independent"}) {
    file = open_with(program, path, {{"collio_path", path}});
    if (collio_is_on()) program.that(hint(file, "collio_path") == path, "collio_path in force");
    use_and_close(program, file);
  }
}

void defaults(Program& program) {
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary("defaults").c_str(),
                             MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
               "MPI_File_open");
  if (collio_is_on()) {
    program.that(hint(file, "collio_path") == "auto", "collio_path by default");
    program.that(hint(file, "collio_holes") == "auto", "collio_holes by default");
    program.that(std::atoll(hint(file, "cb_buffer_size").c_str()) > 0, "cb_buffer_size by default");
    program.that(std::atoll(hint(file, "cb_nodes").c_str()) > 0, "cb_nodes by default");
  }
  use_and_close(program, file);
}

/// MPI libraries left alone with such values crash (MPICH 4.0) or make the file unusable (Open MPI 4.1).
void bad_values(Program& program) {
  MPI_File file = open_with(program, "bad",
                            {{"cb_nodes", "-3"},
                             {"cb_buffer_size", "lots"},
                             {"collio_path", "three_phase"},
                             {"collio_holes", "ignore"},
                             {"collio_local_aggregators", "0"},
                             {"collio_unheard_of", "1"}});
  program.that(hint(file, "collio_path") == "auto", "collio_path after a bad value");
  program.that(hint(file, "collio_holes") == "auto", "collio_holes after a bad value");
  program.that(hint(file, "collio_local_aggregators") == "auto",
               "collio_local_aggregators after a bad value");
  program.that(std::atoll(hint(file, "cb_buffer_size").c_str()) > 0, "cb_buffer_size after a bad value");
  program.that(std::atoll(hint(file, "cb_nodes").c_str()) > 0, "cb_nodes after a bad value");
  use_and_close(program, file);
}

void passed_through(Program& program) {
  MPI_File file = open_with(program, "through", {{"collio_enable", "disable"}});
  if (collio_is_on())
    program.that(hint(file, "collio_path") == "(absent)",
                 "no hint of collio's is in force on a file it leaves alone");
  use_and_close(program, file);
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  in_force(program);
  defaults(program);
  if (collio_is_on()) bad_values(program);
  passed_through(program);
  return program.finish();
}
