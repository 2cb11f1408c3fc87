// Where the ranks of a file are: the note that each rank keeps for the others of its node, and conclusions
// from it.
//
// A rank notes in the node's shared memory which collective call of the file it is in, how far it has come,
// and when it was last alive. Others read the note without the rank's cooperation: a rank that never came has
// an old call number; a rank that was killed or stopped has no fresh sign of life.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "observe/steps.hpp"
#include "transport/liveness/above.hpp"

namespace collio::transport {

/// How far a call has come.
enum class Stage : std::int32_t { arriving, planning, moving, ending };

/// One rank's note. Lies in shared memory; all zero at first. Written by that rank alone.
struct alignas(64) Note {
  /// collective calls on the file it has come to
  std::atomic<std::int64_t> call;
  std::atomic<Stage> stage;
  /// it is in the last of them
  std::atomic<bool> inside;
  /// while bytes move
  std::atomic<std::int64_t> round;
  /// 0: it does not wait, or not for long
  std::atomic<double> waits_since_s;
  /// what it does, and its last sign of life
  observe::Shown shown;
  std::atomic<std::int32_t> process, rank;
  /// the name space of its process number
  std::atomic<std::uint64_t> processes;
  /// of that call; changes only between calls
  char name[32];
  /// where its process is meanwhile
  Above above;
};

/// A rank the others wait for, or may.
struct Absent {
  enum Why : std::int32_t {
    /// it has not come to the call
    not_come,
    /// it is in another call instead
    elsewhere,
    /// it is in the call and gives no sign of life
    silent,
  };
  std::int32_t rank = 0;
  Why why = not_come;
  /// the last it came to
  std::int64_t call = 0;
  std::int64_t round = 0;
  Stage stage = Stage::arriving;
  /// observe::Step
  std::int32_t step = 0;
  /// since its last sign of life
  double silent_s = 0;
  /// X: it has ended, T: it is stopped, D: it waits in the kernel, ?: none of these, or not known
  char process = '?';
  /// of the last call it came to
  char name[32] = "";
  /// of HDF5 and the like, in which it is; empty: none
  char above[sizeof(Above::Said::name)] = "";
  double above_s = 0;
};

/// What a node's notes say, as the rank that reads them sees it.
struct Presence {
  std::vector<Absent> absent;
  /// some rank does something else than wait
  bool moving = false;
  /// ranks that were in this call and left it
  std::vector<int> left;
  /// no lower rank of the node waits for as long, and is alive
  bool lowest = true;
};

/// From whose point of view: its note, the time, and how old a sign of life may be.
struct Viewpoint {
  const Note* mine = nullptr;
  double now_s = 0;
  double patience_s = 60;
};

/// Looks at all notes of a node. Not collective. O(notes), and a look into /proc for each that is absent.
[[nodiscard]] Presence look_at(std::span<const Note> notes, const Viewpoint& from);

/// A name for the space that process numbers of this process are from.
[[nodiscard]] std::uint64_t process_space();

/// The absent ranks in words, those of whom the same is to be said together: "ranks 1-3, 7 have not come to
/// it". `here`: the number of the call that is waited for.
[[nodiscard]] std::string text_of(std::vector<Absent> absent, std::int64_t here);
/// "1-3, 7"
[[nodiscard]] std::string text_of_ranks(std::vector<int> ranks);
[[nodiscard]] std::string text_of(Stage stage, std::int64_t round);

}  // namespace collio::transport
