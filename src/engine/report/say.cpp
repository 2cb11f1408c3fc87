// See say.hpp.
#include "engine/report/say.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

#include "access/mpi_life.hpp"
#include "engine/file/file.hpp"

namespace collio::engine {

namespace {

/// a program may open any number of files that each have something wrong
constexpr std::size_t most_texts = 100;

bool speaks(MPI_Comm comm) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (rank != 0 || size > 1 || !access::has_world() || verbose()) return rank == 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}

struct Said {
  std::mutex mutex;
  std::set<std::string> texts;
};

Said& said() {
  static auto* s = new Said;
  return *s;
}

}  // namespace

bool verbose() {
  const char* text = ::secure_getenv("COLLIO_VERBOSE");
  return text && *text && std::strcmp(text, "0") != 0;
}

void say_once(MPI_Comm comm, const std::string& text) {
  if (!speaks(comm)) return;
  Said& s = said();
  const std::lock_guard lock(s.mutex);
  if (s.texts.size() > most_texts || !s.texts.insert(text).second) return;
  if (s.texts.size() > most_texts)
    std::fprintf(stderr, "collio: further warnings are in the report (collio run --report FILE)\n");
  else
    std::fprintf(stderr, "collio: %s\n", text.c_str());
}

void say_rest(MPI_Comm comm, const std::vector<std::string>& warnings, std::size_t first) {
  for (std::size_t i = first; i < warnings.size(); ++i) say_once(comm, warnings[i]);
}

void say_opened(const File& file, MPI_Comm comm, const std::string& origins) {
  if (file.rank != 0) return;
  for (const std::string& warning : file.records.warnings) say_once(comm, warning);
  if (!verbose()) return;
  std::fprintf(stderr, "collio: %s: %d %s, collective buffers of at most %lld bytes, %s storage\n",
               file.path.c_str(), file.most_domains(),
               file.most_domains() == 1 ? "aggregator" : "aggregators",
               static_cast<long long>(file.settings.hints.buffer_bytes), file.machine.storage.name.c_str());
  if (!origins.empty())
    std::fprintf(stderr, "collio: %s: hints of other settings: %s\n", file.path.c_str(), origins.c_str());
}

}  // namespace collio::engine
