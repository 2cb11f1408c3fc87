// Computes the next step while the last one is written: overlap FILE
// Data that was put stays as it is until its commit is done, so that there are two fields for the steps in
// turn.
#include <collio/collio.hpp>
#include <iostream>

namespace {

constexpr int steps = 6, rows = 64, columns = 100;

/// A row of this rank at a time.
void compute(std::vector<float>& field, int step, int rank) {
  for (std::size_t i = 0; i < field.size(); ++i)
    field[i] = static_cast<float>(10000 * step + 100 * rank) + static_cast<float>(i % columns);
}

int run(const std::string& path) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  using collio::create, collio::read, collio::write;
  collio::File file(MPI_COMM_WORLD, path, read | write | create);
  const auto mine = collio::Decomposition::box({rows * size, columns}, {rows * rank, 0}, {rows, columns});
  auto variable = file.define<float>(mine, 0, std::int64_t{4} * rows * columns * size);

  std::vector<float> fields[2] = {std::vector<float>(rows * columns), std::vector<float>(rows * columns)};
  collio::Request last;
  for (int step = 0; step < steps; ++step) {
    auto& field = fields[step % 2];
    compute(field, step, rank);  // the step before is being written
    if (last) last.wait();
    variable.put(step, field);
    last = file.begin_commit();
  }
  last.wait();

  int wrong = 0;
  for (int step = 0; step < steps; ++step) {
    variable.get(step, fields[0]);
    file.fetch();
    compute(fields[1], step, rank);
    wrong += fields[0] != fields[1];
  }
  file.close();
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::cout << "overlap: " << wrong << " of " << steps << " steps are wrong\n";
  return wrong != 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "overlap.raw";
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);  // then the writing has a thread
  const int code = run(path);
  MPI_Finalize();
  return code;
}
