// Drives a fuzz target where the compiler has no libFuzzer: random changes of the seeds given, for so many
// seconds.
//
//   fuzz_TARGET --seconds S [--seed N] FILE...
//
// A crash leaves the input in fuzz_crash.bin and says so; run the program on that file alone (--seconds 0) to
// see it again.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::string input;

void on_crash(int number) {
  if (std::FILE* file = std::fopen("fuzz_crash.bin", "wb")) {
    std::fwrite(input.data(), 1, input.size(), file);
    std::fclose(file);
  }
  std::fprintf(stderr, "signal %d; the input is in fuzz_crash.bin\n", number);
  std::_Exit(1);
}

void run() { LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size()); }

void change(std::string& text, const std::vector<std::string>& seeds, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  static const char* const words[] = {
      "0", "-1",  "9223372036854775807", "1e308", "\"", "{", "}", "[", "]", ":", ",", ";", "=", "null",
      "/", "\0\0"};
  const std::size_t at = below(text.size() + 1);
  switch (below(6)) {
    case 0:
      text.insert(at, words[below(std::size(words))]);
      break;
    case 1:
      text.erase(at, below(8));
      break;
    case 2:
      if (at < text.size()) text[at] = static_cast<char>(random());
      break;
    case 3:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
      break;
    case 4:
      text.insert(at, text.substr(below(text.size()), below(40)));
      break;
    default: {
      const std::string& other = seeds[below(seeds.size())];
      text = text.substr(0, at) + other.substr(below(other.size()));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 1;
  std::uint64_t seed = std::random_device{}();
  std::vector<std::string> seeds;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
      seconds = std::atof(argv[++i]);
    else if (std::strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
      seed = std::strtoull(argv[++i], nullptr, 10);
    else {
      std::ifstream in(argv[i], std::ios::binary);
      seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
  }
  for (const int number : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS}) std::signal(number, on_crash);
  std::printf("seed %llu, %zu inputs\n", static_cast<unsigned long long>(seed), seeds.size());
  for (const std::string& one : seeds) input = one, run();
  std::mt19937_64 random(seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  long runs = 0;
  for (; !seeds.empty() && std::chrono::steady_clock::now() < end; ++runs) {
    input = seeds[random() % seeds.size()];
    for (std::uint64_t changes = 1 + random() % 8; changes > 0; --changes) change(input, seeds, random);
    run();
  }
  std::printf("%ld changed inputs\n", runs);
  return 0;
}
