// What a rank notes of its calls on a file for the report's pictures: where in the file, when, and on which
// targets. Bounded, whatever the number of calls. Without a report there is none.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include "observe/buckets.hpp"
#include "observe/steps.hpp"

namespace collio::observe {

/// Spans of time, at most 64: when there are more, those nearest each other become one. In the order of their
/// ends.
class Lane {
 public:
  static constexpr std::size_t most = 64;
  struct Span {
    double begin_s = 0, end_s = 0;
  };
  void add(const Span& span) noexcept;
  void clear() noexcept { size_ = 0, gap_s_ = 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const Span& operator[](std::size_t i) const noexcept { return spans_[i]; }

 private:
  /// Joins the last span with one that begins at most `gap_s_` after it.
  bool joined(const Span& span) noexcept;

  std::array<Span, most> spans_;
  std::size_t size_ = 0;
  /// shorter gaps are not kept
  double gap_s_ = 0;
};

/// What a rank does in one call.
struct CallLanes {
  enum Which { fill, send, file, count_ };
  std::array<Lane, count_> lanes;
};

/// Thread-safe.
class Pictures {
 public:
  static constexpr std::int64_t most_targets = 64;
  struct Targets {
    /// of a stripe; 0: not known
    std::int64_t unit_bytes = 0;
    std::int64_t count = 0;
  };
  struct Noted {
    Buckets asked{first_bytes}, accessed{first_bytes};
    /// in nanoseconds
    Buckets in_calls{first_ns};
    Targets targets;
    std::vector<std::int64_t> target_bytes;
    std::vector<double> target_ns;
    /// of the last collective call, and when its ranks agreed on what they access
    CallLanes last;
    double last_s = 0;
  };

  /// Before the first transfer. More targets than most_targets are not noted.
  void deal(const Targets& targets);
  /// The program asks for bytes: note(buckets) puts them there.
  template <class Note>
  void ask(Note&& note) {
    const std::lock_guard lock(mutex_);
    note(noted_.asked);
  }
  /// A transfer between memory and file. Without times only its bytes are noted.
  struct Transfer {
    std::int64_t offset = 0, bytes = 0;
    Lane::Span time;
  };
  void transfer(const Transfer& transfer) noexcept;
  /// One of pieces, `bytes` in all: for_each(note) calls note(offset, bytes) for each.
  template <class ForEach>
  void pieces(std::int64_t bytes, const Lane::Span& time, ForEach&& for_each) noexcept {
    const std::lock_guard lock(mutex_);
    const double ns_a_byte = 1e9 * (time.end_s - time.begin_s) / static_cast<double>(bytes);
    for_each([&](std::int64_t offset, std::int64_t length) {
      noted_.accessed.add(offset, offset + length);
      share(offset, length, ns_a_byte);
    });
    transfers_.add(time);
  }
  /// A call of the program, from entry to return.
  void call(const Lane::Span& time) noexcept;
  /// A collective call begins to move bytes.
  void begin_moving() noexcept;
  /// It is over: `lanes` has all but its transfers.
  void end_moving(const CallLanes& lanes, double agreed_s) noexcept;
  /// Once nothing is under way.
  [[nodiscard]] const Noted& noted() const noexcept { return noted_; }

 private:
  static constexpr std::int64_t first_bytes = 1 << 10, first_ns = 1 << 20;
  void share(std::int64_t offset, std::int64_t bytes, double ns_a_byte) noexcept;

  std::mutex mutex_;
  Noted noted_;
  /// since the last begin_moving()
  Lane transfers_;
  const double opened_s_ = now_s();
};

}  // namespace collio::observe
