// See other_settings.hpp.
#include "engine/session/other_settings.hpp"

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "policy/hints/hints.hpp"
#include "policy/hints/other_settings.hpp"

namespace collio::engine {

namespace {

/// ROMIO's, where no other can be read
constexpr const char* site_file = "/etc/romio-hints";
constexpr std::size_t most_bytes = 1 << 20;

/// The text of a regular file; none, with errno: it cannot be read.
std::optional<std::string> text_of(const char* path) {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return {};
  struct stat about {};
  std::string text;
  ssize_t length = ::fstat(file, &about) == 0 && S_ISREG(about.st_mode) ? 1 : -1;
  if (length < 0) errno = S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
  char buffer[4096];
  while (length > 0 && text.size() < most_bytes && (length = ::read(file, buffer, sizeof buffer)) > 0)
    text.append(buffer, static_cast<std::size_t>(length));
  const int error = errno;
  ::close(file);
  errno = error;
  return length < 0 ? std::nullopt : std::optional(std::move(text));
}

policy::Settings read_romio_file(const std::string& named) {
  std::string warning;
  if (!named.empty()) {
    if (const auto text = text_of(named.c_str()))
      return policy::parse_romio_file(*text, "ROMIO_HINTS=" + named);
    warning = "ROMIO_HINTS=" + named + ": cannot be read (" + std::strerror(errno) + "); it is ignored";
  }
  policy::Settings found = policy::parse_romio_file(text_of(site_file).value_or(""), site_file);
  if (!warning.empty()) found.warnings.push_back(warning);
  return found;
}

/// Of the file that ROMIO_HINTS names, read once in a process, as ROMIO does.
const policy::Settings& romio_settings() {
  static std::mutex mutex;
  static auto* read = new std::map<std::string, policy::Settings>;
  const char* named = ::secure_getenv("ROMIO_HINTS");
  const std::string name = named ? named : "";
  const std::lock_guard lock(mutex);
  const auto known = read->find(name);
  return known != read->end() ? known->second : read->emplace(name, read_romio_file(name)).first->second;
}

policy::Settings cray_settings(const std::string& path, const std::string& plain) {
  const char* text = ::secure_getenv("MPICH_MPIIO_HINTS");
  return policy::parse_cray_hints(text ? text : "", [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), path.c_str(), 0) == 0 ||
           ::fnmatch(pattern.c_str(), plain.c_str(), 0) == 0;
  });
}

/// Puts together what several sources say, the last one that speaks of a key first.
class LayeredPairs {
 public:
  void put(const Pairs& pairs, const char* origin) {
    for (const auto& [key, value] : pairs) {
      found_.pairs[key] = value;
      origins_[key] = origin;
    }
  }
  void drop(const Pairs& pairs) {
    for (const auto& [key, value] : pairs) {
      found_.pairs.erase(key);
      origins_.erase(key);
    }
  }
  void warn(const std::vector<std::string>& warnings) {
    found_.warnings.insert(found_.warnings.end(), warnings.begin(), warnings.end());
  }

  OtherSettings result() && {
    for (const auto& [key, value] : found_.pairs)
      found_.origins += (found_.origins.empty() ? "" : ", ") + key + "=" + value + " (" + origins_[key] + ")";
    return std::move(found_);
  }

 private:
  OtherSettings found_;
  std::map<std::string, const char*> origins_;
};

}  // namespace

OtherSettings other_settings(const GivenHints& given) {
  const policy::Settings open_mpi =
      policy::open_mpi_hints([](const char* variable) { return ::secure_getenv(variable); });
  const policy::Settings& romio = romio_settings();
  const policy::Settings cray = cray_settings(given.path, given.plain);
  LayeredPairs layers;
  layers.put(given.striping, "the MPI library");
  layers.put(open_mpi.pairs, "OMPI_MCA");
  layers.put(romio.pairs, "ROMIO_HINTS");
  layers.drop(given.program);
  layers.put(cray.pairs, "MPICH_MPIIO_HINTS");
  layers.drop(given.environment);
  for (const policy::Settings* one : {&open_mpi, &romio, &cray}) layers.warn(one->warnings);
  return std::move(layers).result();
}

}  // namespace collio::engine
