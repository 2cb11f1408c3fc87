// See presence.hpp.
#include "transport/liveness/presence.hpp"

#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <tuple>

namespace collio::transport {

namespace {

/// From the letter in /proc/PID/stat, behind the name in brackets.
char state_of_process(std::int32_t process) {
  if (::kill(process, 0) != 0 && errno == ESRCH) return 'X';
  char path[64], line[256] = "";
  std::snprintf(path, sizeof path, "/proc/%d/stat", process);
  std::FILE* file = std::fopen(path, "re");
  if (!file) return '?';
  const bool read = std::fgets(line, sizeof line, file) != nullptr;
  std::fclose(file);
  const char* end = read ? std::strrchr(line, ')') : nullptr;
  if (!end || end[1] != ' ') return '?';
  if (end[2] == 'Z') return 'X';
  if (end[2] == 't') return 'T';
  return end[2] == 'T' || end[2] == 'D' ? end[2] : '?';
}

Absent describe(const Note& note, Absent::Why why, double now_s) {
  Absent a;
  a.rank = note.rank;
  a.why = why;
  a.call = note.call;
  a.round = note.round;
  a.stage = note.stage;
  a.step = static_cast<std::int32_t>(note.shown.step.load());
  a.silent_s = std::max(0.0, now_s - note.shown.alive_s);
  if (note.processes == process_space()) a.process = state_of_process(note.process);
  std::memcpy(a.name, note.name, sizeof a.name - 1);
  const Above::Said above = note.above.said();
  std::memcpy(a.above, above.name, sizeof a.above);
  if (*a.above) a.above_s = std::max(0.0, now_s - above.since_s);
  return a;
}

std::string process_text(const Absent& a) {
  if (a.process == 'X') return ", its process has ended";
  if (a.process == 'T') return ", its process is stopped";
  return a.process == 'D' ? ", its process waits in the kernel" : "";
}

std::string seconds(double s) {
  char text[32];
  std::snprintf(text, sizeof text, s < 10 ? "%.1f s" : "%.0f s", s);
  return text;
}

std::string above_text(const Absent& a, bool several) {
  return *a.above ? (several ? ", they are in " : ", it is in ") + std::string(a.above) + ", for " +
                        seconds(a.above_s)
                  : "";
}

std::string what_of(const Absent& a, std::int64_t here, bool several) {
  const std::string have = several ? "have" : "has",
                    last = a.call == 0 ? "none before"
                                       : "the last was number " + std::to_string(a.call) + ", " + a.name;
  if (a.why == Absent::not_come)
    return have + " not come to it (" + last + above_text(a, several) + process_text(a) + ")";
  const std::string are = several ? "are" : "is";
  if (a.why == Absent::elsewhere)
    return are + " in " + (a.call == here ? "" : "number " + std::to_string(a.call) + ", ") + a.name +
           ", instead";
  const auto step = static_cast<observe::Step>(a.step);
  const char* access = step == observe::Step::write  ? ", in a write to the file"
                       : step == observe::Step::read ? ", in a read of the file"
                                                     : "";
  return have + " given no sign of life for " + seconds(a.silent_s) + " (" + text_of(a.stage, a.round) +
         access + process_text(a) + ")";
}

/// Ranks with the same key are named together: only how long they are silent may differ.
auto sort_key(const Absent& a) {
  const bool silent = a.why == Absent::silent;
  return std::tuple(a.why, a.call, silent ? a.stage : Stage::arriving, silent ? a.round : 0,
                    silent ? a.step : 0, a.process, std::string(a.name), std::string(a.above), a.rank);
}
auto group_key(const Absent& a) {
  auto key = sort_key(a);
  std::get<8>(key) = 0;
  return key;
}

}  // namespace

std::uint64_t process_space() {
  static const std::uint64_t name = [] {
    struct stat about {};
    return ::stat("/proc/self/ns/pid", &about) == 0 ? static_cast<std::uint64_t>(about.st_ino) : 0;
  }();
  return name;
}

Presence look_at(std::span<const Note> notes, const Viewpoint& from) {
  Presence p;
  const double oldest = from.now_s - from.patience_s / 2;
  for (const Note& note : notes) {
    if (&note == from.mine) continue;
    const std::int64_t call = note.call;
    const bool inside = note.inside;
    const bool alive = note.shown.alive_s > oldest;
    const bool same = std::strncmp(note.name, from.mine->name, sizeof note.name) == 0;
    if (call > from.mine->call || (call == from.mine->call && !inside)) p.left.push_back(note.rank);
    if (call < from.mine->call && !inside) {
      p.absent.push_back(describe(note, Absent::not_come, from.now_s));
    } else if (inside && (call < from.mine->call || (call == from.mine->call && !same))) {
      p.absent.push_back(describe(note, Absent::elsewhere, from.now_s));
    } else if (inside && call == from.mine->call) {
      const double since = note.waits_since_s;
      const bool waits = since > 0 && since <= oldest;
      if (!alive) p.absent.push_back(describe(note, Absent::silent, from.now_s));
      if (alive && !waits) p.moving = true;
      if (alive && waits && &note < from.mine) p.lowest = false;
    }
  }
  return p;
}

std::string text_of(Stage stage, std::int64_t round) {
  switch (stage) {
    case Stage::arriving:
      return "as ranks come to the call";
    case Stage::planning:
      return "as the call is planned";
    case Stage::moving:
      return "as bytes move, round " + std::to_string(round + 1);
    case Stage::ending:
      return "at the end of the call";
  }
  return "?";
}

std::string text_of_ranks(std::vector<int> ranks) {
  std::ranges::sort(ranks);
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] <= ranks[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(ranks[i]);
    if (ranks[last] > ranks[i])
      text += (ranks[last] == ranks[i] + 1 ? ", " : "-") + std::to_string(ranks[last]);
    i = last + 1;
  }
  return text;
}

std::string text_of(std::vector<Absent> absent, std::int64_t here) {
  std::ranges::sort(absent, {}, sort_key);
  std::string text;
  for (std::size_t i = 0; i < absent.size();) {
    Absent said = absent[i];
    std::vector<int> ranks;
    std::size_t end = i;
    for (; end < absent.size() && group_key(absent[end]) == group_key(said); ++end) {
      ranks.push_back(absent[end].rank);
      said.silent_s = std::max(said.silent_s, absent[end].silent_s);
      said.above_s = std::max(said.above_s, absent[end].above_s);
    }
    const bool several = ranks.size() > 1;
    text += std::string(text.empty() ? "" : "; ") + (several ? "ranks " : "rank ") +
            text_of_ranks(std::move(ranks)) + " " + what_of(said, here, several);
    i = end;
  }
  return text;
}

}  // namespace collio::transport
