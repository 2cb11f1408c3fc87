// Two threads that describe one datatype at the same time, each for a file of its own (MPI_THREAD_MULTIPLE).
// The program stands in front of the functions that keep the description on the datatype, and holds each
// thread there until the other has come, or could not.
#include <atomic>
#include <chrono>
#include <thread>

#include "check.hpp"
#include "in_front.hpp"

using namespace collio::test;

namespace {

constexpr int threads = 2;
std::atomic<MPI_Datatype> watched{MPI_DATATYPE_NULL};
std::atomic<int> looked{0}, kept{0};

void wait_for_others(const std::atomic<int>& come) {
  for (int ms = 0; come < threads && ms < 50; ++ms) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

extern "C" {
int PMPI_Type_get_attr(MPI_Datatype type, int key, void* value, int* found) {
  const int code = COLLIO_BEHIND(PMPI_Type_get_attr)(type, key, value, found);
  if (type != watched) return code;
  ++looked;
  wait_for_others(*found ? kept : looked);  // what was found is used after the other thread has set its own
  return code;
}
int PMPI_Type_set_attr(MPI_Datatype type, int key, void* value) {
  const int code = COLLIO_BEHIND(PMPI_Type_set_attr)(type, key, value);
  if (type == watched) ++kept;
  return code;
}
}

namespace {

void write_and_read(Program& program, MPI_File file, MPI_Datatype type, int thread, std::atomic<int>& wrong) {
  std::vector<int> data = values(program.rank + thread, 4000), found(4000, -1);
  wrong += MPI_File_write_at_all(file, 0, data.data(), 1000, type, MPI_STATUS_IGNORE) != MPI_SUCCESS;
  wrong += MPI_File_read_at_all(file, 0, found.data(), 1000, type, MPI_STATUS_IGNORE) != MPI_SUCCESS;
  for (std::size_t i = 0; i < found.size(); ++i) wrong += found[i] != (i % 4 < 2 ? data[i] : -1);
}

/// Both threads begin with a datatype that nobody has described yet.
void describe_at_once(Program& program, std::vector<MPI_File>& files) {
  MPI_Datatype pairs = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pairs);
  MPI_Type_create_resized(pairs, 0, 4 * sizeof(int), &type);
  MPI_Type_commit(&type);
  watched = type;
  looked = kept = 0;
  std::atomic<int> wrong{0};
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] { write_and_read(program, files[static_cast<std::size_t>(t)], type, t, wrong); });
  for (std::thread& one : all) one.join();
  program.equal(wrong, 0, "what threads found wrong");
  program.that(looked >= threads, "threads look for the description on the datatype");
  program.equal(kept, 1,
                "descriptions kept on the datatype: the second one would free what the other thread uses");
  watched = MPI_DATATYPE_NULL;
  MPI_Type_free(&type);
  MPI_Type_free(&pairs);
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv, 100, nullptr, MPI_THREAD_MULTIPLE);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  if (provided != MPI_THREAD_MULTIPLE) return program.skip("the MPI library has no MPI_THREAD_MULTIPLE");
  std::vector<MPI_File> files(threads);
  MPI_Datatype view = dealt_ints(program.rank, program.size, 5);
  for (int t = 0; t < threads; ++t) {
    MPI_File& file = files[static_cast<std::size_t>(t)];
    program.good(
        MPI_File_open(
            MPI_COMM_SELF,
            program.temporary("type." + std::to_string(program.rank) + "." + std::to_string(t)).c_str(),
            MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
        "MPI_File_open");
    MPI_File_set_view(file, 0, MPI_INT, view, "native", MPI_INFO_NULL);
  }
  MPI_Type_free(&view);
  for (int round = 0; round < 5; ++round) describe_at_once(program, files);
  for (MPI_File& file : files) program.good(MPI_File_close(&file), "MPI_File_close");
  return program.finish();
}
