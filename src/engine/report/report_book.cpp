// See report_book.hpp.
#include "engine/report/report_book.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "observe/path_pattern.hpp"

namespace collio::engine {

namespace {

void append(const std::string& line) {
  const char* path = ::secure_getenv("COLLIO_REPORT");
  if (!path || !*path) return;
  const int fd = ::open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  const bool written = fd >= 0 && ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (!written) std::fprintf(stderr, "collio: the report cannot be written to %s\n", path);
  if (fd >= 0) ::close(fd);
}

/// Differs between the processes that write into one report.
std::string process_name() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return std::string(host.data()) + ":" + std::to_string(::getpid());
}

}  // namespace

ReportBook& ReportBook::of_process() {
  static auto* book = [] {
    std::atexit([] { of_process().write_what_is_left(); });
    return new ReportBook;  // never destroyed: programs may close files from exit handlers
  }();
  return *book;
}

std::string ReportBook::new_id() { return process_name() + ":" + std::to_string(next_id_++); }

ReportLine ReportBook::opened(const FileSums& sums) {
  const std::lock_guard lock(mutex_);
  std::string kind = sums.kind;
  const bool known = own_lines_.contains(kind);
  if (!known && own_lines_.size() >= most_kinds) kind = "";
  int& own = own_lines_[kind];
  if (own < most_of_a_kind && lines_ < most_lines) {
    ++own;
    ++lines_;
    const std::string id = new_id();
    append(line_of(sums, {id, 1, 1}));
    return {id, kind};
  }
  FileKind& of = kinds_[kind];
  if (of.id.empty()) {
    of.id = new_id();
    of.sums.line.file = sums.line.file;
    of.sums.line.about = sums.line.about;
  }
  if (of.sums.line.file != sums.line.file)
    of.sums.line.file = kind.empty() ? "(further files)" : observe::path_pattern(sums.line.file);
  ++of.opened;
  renew(of);
  return {"", kind};
}

void ReportBook::write_open(const FileSums& sums, const ReportLine& line) {
  append(line_of(sums, {line.id, 1, 1}));
}

void ReportBook::closed(const FileSums& sums, const ReportLine& line) {
  const std::lock_guard lock(mutex_);
  if (!line.id.empty()) return append(line_of(sums, {line.id, 1, 0}));
  FileKind& of = kinds_[line.kind];
  of.sums.add(sums);
  ++of.closed;
  renew(of);
}

bool ReportBook::takes_pictures(const ReportLine& line) {
  const std::lock_guard lock(mutex_);
  if (line.id.empty() || pictures_ >= most_pictures) return false;
  int& of_kind = pictures_of_[line.kind];
  if (of_kind >= most_pictures_of_a_kind) return false;
  ++of_kind;
  ++pictures_;
  return true;
}

void ReportBook::has_no_pictures(const ReportLine& line) {
  const std::lock_guard lock(mutex_);
  --pictures_of_[line.kind];
  --pictures_;
}

void ReportBook::renew(FileKind& kind) {
  kind.written = false;
  if (kind.renewal.due(kind.opened + kind.closed, observe::now_s())) write(kind);
}

void ReportBook::write(FileKind& kind) {
  append(line_of(kind.sums, {kind.id, kind.opened, kind.opened - kind.closed}));
  kind.written = true;
}

void ReportBook::write_what_is_left() {
  const std::lock_guard lock(mutex_);
  for (auto& [name, kind] : kinds_)
    if (!kind.written) write(kind);
}

}  // namespace collio::engine
