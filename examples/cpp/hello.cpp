// Each rank has every size-th element of an array, and writes them at once: hello FILE
#include <collio/collio.hpp>
#include <fstream>
#include <iostream>
#include <vector>

namespace {

void write_numbers(const std::string& path) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<std::int64_t> map;
  std::vector<double> data;
  for (std::int64_t i = rank; i < 5 * size; i += size) {
    map.push_back(i);
    data.push_back(0.5 * static_cast<double>(i));
  }

  collio::File file(MPI_COMM_WORLD, path, collio::write | collio::create | collio::truncate);
  auto numbers = file.define<double>(collio::Decomposition::map({5 * size}, map));
  numbers.put(0, data);
  file.commit();
  file.close();
}

int wrong_numbers(const std::string& path) {
  int size = 0, wrong = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::ifstream file(path, std::ios::binary);
  for (int i = 0; i < 5 * size; ++i) {
    double number = -1;
    file.read(reinterpret_cast<char*>(&number), sizeof number);
    wrong += number != 0.5 * i;
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string path = argc > 1 ? argv[1] : "hello.raw";
  MPI_Init(&argc, &argv);
  write_numbers(path);
  const int wrong = wrong_numbers(path);
  std::cout << "hello: " + std::to_string(wrong) + " numbers are wrong\n";
  MPI_Finalize();
  return wrong != 0;
} catch (const collio::error& error) {
  std::cerr << "hello: " << error.what() << '\n';
  MPI_Abort(MPI_COMM_WORLD, error.code());
}
