// The shared file pointer of an open file where the MPI library cannot keep it: it does not have the
// program's view, or not the file's bytes. The pointer is a number in a small file (storage/counter_file.hpp)
// beside the data, as ROMIO's are.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "engine/file/file.hpp"
#include "storage/counter_file.hpp"

namespace collio::mpiio {

class SharedPointer {
 public:
  /// The program has set a view: the pointer is at 0, and kept here or by the MPI library. On all ranks
  /// alike. Inside a visit. Collective.
  void begin_view(const engine::Ranks& ranks, bool kept_here);
  /// Whether every rank may move it. Else only rank 0: locks of one node do not reach others.
  [[nodiscard]] bool for_all_ranks() const noexcept { return for_all_ranks_; }
  [[nodiscard]] bool kept_here() const noexcept { return kept_here_; }
  /// Moves on by `etypes`. Where it was. Not collective. Thread-safe.
  [[nodiscard]] core::Result<std::int64_t> take(const engine::File& file, std::int64_t etypes);
  /// Not collective. Thread-safe.
  [[nodiscard]] core::Error set(const engine::File& file, std::int64_t etype);
  /// This rank is done with it. Before any rank removes it.
  void close();
  /// On rank 0, when all ranks have closed it.
  void remove(const engine::File& file) const;

 private:
  [[nodiscard]] std::string path(const engine::File& file) const;
  storage::CounterFile& counter(const engine::File& file);

  bool kept_here_ = false, was_kept_here_ = false, for_all_ranks_ = true;
  /// how many views there were
  std::int64_t view_ = 0;
  std::mutex opening_;
  /// null: not used yet
  std::unique_ptr<storage::CounterFile> counter_;
};

}  // namespace collio::mpiio
