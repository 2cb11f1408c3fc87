// See cache.hpp.
#include "storage/probe/cache.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <system_error>
#include <thread>

#include "core/content_hash.hpp"

namespace collio::storage::probe {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view format = "collio-probe/2";
constexpr double forgotten_after_s = 3600;
constexpr std::size_t most_samples = 1000;

std::string file_in(const std::string& folder) { return folder + "/probe.json"; }

std::string sum_of(const Json& targets) {
  const std::string text = targets.dump(-1, ' ', false, Json::error_handler_t::replace);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  char sum[17];
  std::snprintf(sum, sizeof sum, "%016llx",
                static_cast<unsigned long long>(core::content_hash({bytes, text.size()})));
  return sum;
}

Json json_of(const CacheEntry& entry) {
  const Measurement& one = entry.measurement;
  return {{"identity", entry.identity},
          {"measured_at_s", entry.measured_at_s},
          {"samples", one.samples},
          {"bytes", one.bytes},
          {"way", word_of(one.way)},
          {"ended_early", one.ended_early},
          {"wants_direct", entry.terms.direct},
          {"wanted_samples", entry.terms.samples},
          {"sample_bytes", entry.terms.sample_bytes},
          {"no_direct", one.no_direct}};
}

/// Throws what nlohmann-json throws of a member that is missing or of another type.
CacheEntry entry_of(const Json& json) {
  CacheEntry entry;
  Measurement& one = entry.measurement;
  json.at("identity").get_to(entry.identity);
  json.at("measured_at_s").get_to(entry.measured_at_s);
  json.at("wants_direct").get_to(entry.terms.direct);
  json.at("wanted_samples").get_to(entry.terms.samples);
  json.at("sample_bytes").get_to(entry.terms.sample_bytes);
  json.at("samples").get_to(one.samples);
  json.at("bytes").get_to(one.bytes);
  json.at("ended_early").get_to(one.ended_early);
  json.at("no_direct").get_to(one.no_direct);
  one.way = json.at("way").get<std::string>() == word_of(Way::direct) ? Way::direct : Way::synced;
  one.state = State::measured;
  one.cached = true;
  summarise(one);
  return entry;
}

bool is_sound(const CacheEntry& entry) {
  const auto& samples = entry.measurement.samples;
  return !samples.empty() && samples.size() <= most_samples && std::isfinite(entry.measured_at_s) &&
         std::ranges::all_of(samples, [](double rate) { return std::isfinite(rate) && rate > 0; });
}

}  // namespace

std::string cache_folder() {
  if (const char* cache = ::secure_getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return std::string(cache) + "/collio";
  const char* home = ::secure_getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.cache/collio" : "";
}

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

CacheContent read_cache(const std::string& folder) {
  CacheContent content;
  std::ifstream file(file_in(folder), std::ios::binary);
  if (!file) return content;
  const std::string ignored = file_in(folder) + " is ignored: ";
  const std::string text(std::istreambuf_iterator<char>(file), {});
  try {
    const Json document = Json::parse(text);
    const auto written = document.at("format").get<std::string>();
    if (written != format) {
      content.remark = ignored + "its format is " + written + ", not " + std::string(format);
      return content;
    }
    const Json& targets = document.at("targets");
    if (document.at("sum").get<std::string>() != sum_of(targets)) {
      content.remark = ignored + "it is damaged";
      return content;
    }
    for (const Json& target : targets)
      if (CacheEntry entry = entry_of(target); is_sound(entry)) content.entries.push_back(std::move(entry));
  } catch (const Json::exception&) {
    content = {{}, ignored + "it is damaged"};
  }
  return content;
}

std::string add_to_cache(const std::string& folder, const std::vector<CacheEntry>& entries) {
  std::set<std::string_view> renewed;
  for (const CacheEntry& entry : entries) renewed.insert(entry.identity);
  const double oldest_s = seconds_since_1970() - forgotten_after_s;
  Json targets = Json::array();
  const CacheContent before = read_cache(folder);
  for (const CacheEntry& entry : before.entries)
    if (entry.measured_at_s >= oldest_s && !renewed.contains(entry.identity))
      targets.push_back(json_of(entry));
  for (const CacheEntry& entry : entries) targets.push_back(json_of(entry));
  // The sum is of the text as a reader will have it, whose numbers and bytes may have been rounded or
  // replaced.
  const std::string text = targets.dump(-1, ' ', false, Json::error_handler_t::replace);
  const Json document{{"format", format}, {"sum", sum_of(Json::parse(text))}, {"targets", Json::parse(text)}};
  const std::string path = file_in(folder), made = path + "." + std::to_string(::getpid());
  std::ofstream file(made, std::ios::binary | std::ios::trunc);
  file << document.dump(1) << '\n';
  file.close();
  if (file && std::rename(made.c_str(), path.c_str()) == 0) return {};
  const int error = errno;
  std::remove(made.c_str());
  return path + " cannot be written: " + std::strerror(error) + "; the next job probes again";
}

CacheLock::CacheLock(const std::string& folder, double most_s) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(most_s);
  const std::string path = folder + "/probe.lock";
  std::error_code made;
  std::filesystem::create_directories(folder, made);
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  int error = fd_ < 0 ? errno : 0;
  while (error == 0 && ::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    const bool wait = errno == EINTR || (errno == EWOULDBLOCK && Clock::now() < end);
    if (!wait) error = errno;
    if (wait) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (error == EWOULDBLOCK)
    remark_ = path + " is held by another probe; what is found is not kept";
  else if (error != 0)
    remark_ = path + " cannot be locked: " + std::strerror(error) + "; what is found is not kept";
}

CacheLock::~CacheLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace collio::storage::probe
