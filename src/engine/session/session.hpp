// An open file of a front, which MPI_File_* or collio.h stand for: opened, flushed, resized and closed in one
// way.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "engine/background/work_queue.hpp"
#include "engine/file/file.hpp"
#include "engine/report/file_report.hpp"

namespace collio::engine {

class Session {
 public:
  /// Of a file that all ranks have just opened.
  explicit Session(std::unique_ptr<File> opened)
      : engine(std::move(opened)), reads(engine->settings.reads), writes(engine->settings.writes) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Says what is to say of the open, here and in the report. `origins`: of hints that come from other
  /// layers' settings. Not collective.
  void announce(MPI_Comm comm, const std::string& origins);

  /// The calls that the program does not wait for; made at first use. Not collective.
  [[nodiscard]] WorkQueue& queue();
  /// Null until there was such a call.
  [[nodiscard]] WorkQueue* queue_so_far() const noexcept { return queue_.get(); }
  /// Returns when none of them is under way. Collective, in effect.
  void drain();

  /// A data call is over: on the thread that made it. Not collective, as are the next two.
  void note_call();
  /// A data call was, or will be, one that collio has no record of.
  void note_independent();
  void note_by_library();

  /// Flushes what all ranks wrote, in a visit. `mine`: what failed on this rank before. The same error on all
  /// ranks. Collective.
  [[nodiscard]] core::Error flush(const Ranks& ranks, const core::Error& mine);

  /// An error where ranks ask for different sizes or for one below 0, or where `mode` is one: the file's mode
  /// forbids it. The same on all ranks. In a visit. Collective.
  [[nodiscard]] core::Error check_size(const Ranks& ranks, std::int64_t bytes, const core::Error& mode) const;

  /// What a front adds to a close.
  struct Closing {
    AtClose subfiles = AtClose::keep;
    /// ranks are to agree on `mine`; the same on all
    bool agree = false;
    /// found by this rank
    core::Error mine;
    /// it is about, for other ranks
    std::string what;
    /// done on rank 0 once nobody uses what the front keeps beside the file
    std::function<void()> alone;
  };
  /// Ends what is under way and closes the file; `engine` is null then. The worst error, on all ranks.
  /// Collective.
  [[nodiscard]] core::Error close(const Closing& closing);

  std::unique_ptr<File> engine;
  const bool reads, writes;

 private:
  [[nodiscard]] core::Error close_in_visit(const Visit& visit, const Closing& closing);

  /// of the file's, on stderr
  std::size_t warnings_said_ = 0;
  FileReport report_;
  /// last: its thread uses the rest
  std::unique_ptr<WorkQueue> queue_;
};

}  // namespace collio::engine
