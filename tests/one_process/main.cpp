// Tests of modules that need MPI's types, files or communicators: one process that starts MPI itself, without
// a launcher.
#include <gtest/gtest.h>
#include <mpi.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int threads = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
  const int failed = RUN_ALL_TESTS();
  MPI_Finalize();
  return failed;
}
