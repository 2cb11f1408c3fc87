// What probes found, kept for minutes and shared by the jobs of a user: a file per user, one JSON document.
//
// Readers take no lock: a writer makes a new file and renames it. Writers, and jobs that are about to probe,
// take turns by a lock file: two probes at the same time would halve each other's rates. Whatever is wrong
// with the file, it is only a cache: it is ignored, and the remark says so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/probe/measure.hpp"

namespace collio::storage::probe {

/// How a measurement was made.
struct Terms {
  /// O_DIRECT was wanted
  bool direct = true;
  /// that were wanted
  int samples = 0;
  std::int64_t sample_bytes = 0;
};

struct CacheEntry {
  /// of the target (identity_of)
  std::string identity;
  /// seconds since 1970
  double measured_at_s = 0;
  Terms terms;
  /// one that is measured; its age is not kept
  Measurement measurement;
};

struct CacheContent {
  std::vector<CacheEntry> entries;
  /// why there are none, if the file is there; empty: nothing is wrong
  std::string remark;
};

/// $XDG_CACHE_HOME/collio, else ~/.cache/collio; empty: neither is known.
[[nodiscard]] std::string cache_folder();
[[nodiscard]] double seconds_since_1970();

[[nodiscard]] CacheContent read_cache(const std::string& folder);
/// Adds entries, in place of older ones with their identities, and drops what is older than an hour. The
/// caller has the lock. Empty, or why it did not work.
[[nodiscard]] std::string add_to_cache(const std::string& folder, const std::vector<CacheEntry>& entries);

/// The right to probe and to write the cache; given back with this object, or with the process.
class CacheLock {
 public:
  /// Waits so long at most. Makes the folder.
  CacheLock(const std::string& folder, double most_s);
  ~CacheLock();
  CacheLock(const CacheLock&) = delete;
  CacheLock& operator=(const CacheLock&) = delete;
  /// Empty: it is ours. Else why not.
  [[nodiscard]] const std::string& remark() const noexcept { return remark_; }

 private:
  int fd_ = -1;
  std::string remark_;
};

}  // namespace collio::storage::probe
