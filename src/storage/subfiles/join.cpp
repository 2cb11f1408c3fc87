// See join.hpp.
#include "storage/subfiles/join.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "storage/subfiles/files.hpp"

namespace collio::storage {

namespace {

constexpr std::int64_t memory_bytes = 1 << 20;
/// of a process
constexpr std::int64_t most_threads = 8;

std::int64_t head_bytes(const SubfileSet& set) {
  return static_cast<std::int64_t>(set.placeholder().head().size());
}

/// One copy: from a subfile to the file.
struct Copy {
  int from = -1, to = -1;
  off_t from_offset = 0, to_offset = 0;
  std::int64_t bytes = 0;
};

/// errno of copy_file_range() where this pair of files has none.
bool no_kernel_copy(int error) {
  return error == EXDEV || error == EINVAL || error == ENOSYS || error == EOPNOTSUPP || error == EPERM;
}

/// errno or 0; `c` moves on by what was copied.
int copy_by_kernel(Copy& c, JoinTally& tally) {
  while (c.bytes > 0) {
    const ssize_t n =
        ::copy_file_range(c.from, &c.from_offset, c.to, &c.to_offset,
                          static_cast<std::size_t>(std::min<std::int64_t>(c.bytes, 1 << 30)), 0);
    if (n < 0 && errno != EINTR) return errno;
    if (n == 0) return EIO;
    if (n < 0) continue;
    c.bytes -= n;
    tally.by_kernel += n;
  }
  return 0;
}

int copy_through_memory(Copy& c, JoinTally& tally, std::string& buffer) {
  while (c.bytes > 0) {
    buffer.resize(static_cast<std::size_t>(std::min(c.bytes, memory_bytes)));
    const std::size_t wanted = buffer.size();
    if (const int error = read_all_at(c.from, buffer, c.from_offset); error != 0) return error;
    if (buffer.size() < wanted) return EIO;
    if (const int error = write_all_at(c.to, buffer, c.to_offset); error != 0) return error;
    const auto n = static_cast<std::int64_t>(buffer.size());
    c.from_offset += n;
    c.to_offset += n;
    c.bytes -= n;
    tally.through_memory += n;
  }
  return 0;
}

/// Some stripes of one subfile.
struct Stripes {
  std::int64_t subfile = 0, first = 0, end = 0;
};

/// Piece `piece` of `pieces`. Each subfile has its pieces dealt evenly: a target that holds one is never left
/// idle.
Stripes stripes_of(const SubfileLayout& layout, std::int64_t file_bytes, std::int64_t piece,
                   std::int64_t pieces) {
  Stripes s{piece % layout.count, 0, 0};
  const std::int64_t all = (layout.shares(file_bytes)(s.subfile) + layout.unit_bytes - 1) / layout.unit_bytes;
  const std::int64_t part = piece / layout.count,
                     parts = (pieces - s.subfile + layout.count - 1) / layout.count;
  s.first = all * part / parts;
  s.end = all * (part + 1) / parts;
  return s;
}

/// Bytes of the file that this subfile has from `inside` on, at most `bytes`: behind its end nobody wrote.
/// errno in `error`.
std::int64_t bytes_there(int fd, std::int64_t inside, std::int64_t bytes, int& error) {
  struct stat about {};
  error = ::fstat(fd, &about) != 0 ? errno : 0;
  return std::clamp<std::int64_t>(about.st_size - inside, 0, bytes);
}

core::Error copy_stripes(const SubfileSet& set, std::int64_t file_bytes, const Stripes& stripes, int to,
                         JoinTally& tally) {
  const std::string path = set.subfile_path(stripes.subfile);
  const OpenedFile from(path, O_RDONLY);
  if (from.error() != 0) return errno_error("open subfile", path, from.error());
  const SubfileLayout& layout = set.layout();
  const std::int64_t unit = layout.unit_bytes, head = head_bytes(set);
  bool by_kernel = true;
  std::string buffer;
  for (std::int64_t s = stripes.first; s < stripes.end; ++s) {
    const std::int64_t stripe_low = layout.stripe_at(stripes.subfile, s) * unit;
    const std::int64_t low = std::max(stripe_low, head), high = std::min(stripe_low + unit, file_bytes);
    if (low >= high) continue;
    int error = 0;
    const std::int64_t inside = s * unit + (low - stripe_low);
    Copy copy{from.fd(), to, inside, low, bytes_there(from.fd(), inside, high - low, error)};
    if (error == 0) error = by_kernel ? copy_by_kernel(copy, tally) : EXDEV;
    by_kernel = by_kernel && !no_kernel_copy(error);
    if (!by_kernel) error = copy_through_memory(copy, tally, buffer);
    if (error != 0)
      return errno_error(
          "copy bytes at " + std::to_string(copy.from_offset) + " to " + set.path() + " of subfile", path,
          error);
  }
  return {};
}

/// The file that the subfiles become, if it is still their placeholder: its name may be another file's by
/// now.
class Target {
 public:
  explicit Target(const SubfileSet& set) : file_(set.path(), O_RDWR) {
    std::string head(set.placeholder().head().size(), '\0');
    int failed = file_.error();
    if (failed == 0) failed = read_all_at(file_.fd(), head, 0);
    if (failed != 0)
      error_ = errno_error("open", set.path(), failed);
    else if (head != set.placeholder().head())
      error_ = {core::ErrorClass::bad_file,
                set.path() + " is not the placeholder of the subfiles in " + set.folder() + " any more"};
  }
  [[nodiscard]] int fd() const noexcept { return file_.fd(); }
  [[nodiscard]] const core::Error& error() const noexcept { return error_; }

 private:
  OpenedFile file_;
  core::Error error_;
};

/// errno or 0.
int make_placeholder(int fd, const SubfileSet& set) {
  const std::string text = set.placeholder().text();
  int error = write_all_at(fd, text, 0);
  if (error == 0) error = ::ftruncate(fd, static_cast<off_t>(text.size())) != 0 ? errno : 0;
  return error == 0 ? flush(fd) : error;
}

/// The first bytes of the file, from the subfiles.
core::Result<std::string> begin_of(const SubfileSet& set, std::int64_t bytes) {
  std::string begin;
  core::Error error;
  storage::for_each_part(set.layout(), {0, bytes}, [&](const SubfilePart& part, std::int64_t) {
    if (!error.ok()) return;
    const std::string path = set.subfile_path(part.subfile);
    const OpenedFile from(path, O_RDONLY);
    const auto wanted = static_cast<std::size_t>(part.extent.length);
    std::string text(wanted, '\0');
    int failed = from.error();
    if (failed == 0) failed = read_all_at(from.fd(), text, part.extent.offset);
    if (failed != 0) error = errno_error("read subfile", path, failed);
    text.resize(wanted, '\0');  // a hole behind its end
    begin += text;
  });
  if (!error.ok()) return error;
  return begin;
}

}  // namespace

core::Result<bool> has_placeholder(const SubfileSet& set) {
  const Target to(set);
  if (to.error().ok()) return true;
  if (to.error().kind == core::ErrorClass::bad_file || to.error().kind == core::ErrorClass::no_such_file)
    return false;
  return to.error();
}

core::Error begin_join(const SubfileSet& set, std::int64_t file_bytes) {
  const Target to(set);
  if (!to.error().ok()) return to.error();
  // Of the text behind the first lines nothing may stay: where nobody wrote the file has zeros.
  const bool done = ::ftruncate(to.fd(), head_bytes(set)) == 0 &&
                    ::ftruncate(to.fd(), std::max(file_bytes, head_bytes(set))) == 0;
  return done ? core::Error{} : errno_error("set the length of", set.path(), errno);
}

namespace {

core::Error no_memory(const SubfileSet& set) {
  return {core::ErrorClass::no_memory, "no memory to join the subfiles of " + set.path()};
}

/// What one thread copies.
struct Work {
  std::vector<Stripes> stripes;
  JoinTally tally;
  core::Error error;

  void run(const SubfileSet& set, std::int64_t file_bytes, int to) noexcept {
    try {
      for (const Stripes& one : stripes)
        if (error.ok()) error = copy_stripes(set, file_bytes, one, to, tally);
    } catch (const std::bad_alloc&) {
      error = no_memory(set);
    }
  }
};

/// Each on a thread of its own, the first on this one, as are those for which the system has no thread.
void run_all(std::vector<Work>& works, const SubfileSet& set, std::int64_t file_bytes, int to) {
  std::vector<std::jthread> threads;
  std::size_t next = 1;
  try {
    for (; next < works.size(); ++next)
      threads.emplace_back([&, work = &works[next]] { work->run(set, file_bytes, to); });
  } catch (const std::system_error&) {}
  works.front().run(set, file_bytes, to);
  for (; next < works.size(); ++next) works[next].run(set, file_bytes, to);
}

}  // namespace

core::Error join_part(const SubfileSet& set, std::int64_t file_bytes, const SubfileShare& share,
                      JoinTally& tally) try {
  const std::int64_t pieces = std::max(set.layout().count, share.step);
  std::vector<Work> works;
  for (std::int64_t piece = share.first; piece < pieces; piece += share.step) {
    const Stripes stripes = stripes_of(set.layout(), file_bytes, piece, pieces);
    if (stripes.first == stripes.end) continue;
    const std::int64_t thread = piece / share.step % most_threads;
    if (static_cast<std::int64_t>(works.size()) < most_threads) works.emplace_back();
    works[std::min(static_cast<std::size_t>(thread), works.size() - 1)].stripes.push_back(stripes);
  }
  if (works.empty()) return {};
  const Target to(set);
  if (!to.error().ok()) return to.error();
  run_all(works, set, file_bytes, to.fd());
  core::Error error;
  for (Work& work : works) {
    core::keep_worst(error, std::move(work.error));
    tally.by_kernel += work.tally.by_kernel;
    tally.through_memory += work.tally.through_memory;
  }
  if (!error.ok()) return error;
  const int failed = flush(to.fd());
  return failed == 0 ? core::Error{} : errno_error("flush", set.path(), failed);
} catch (const std::bad_alloc&) {
  return no_memory(set);
}

core::Error end_join(const SubfileSet& set, std::int64_t file_bytes) {
  const Target to(set);
  if (!to.error().ok()) return to.error();
  struct stat about {};
  const std::int64_t head = head_bytes(set), expected = std::max(file_bytes, head);
  if (::fstat(to.fd(), &about) != 0) return errno_error("find", set.path(), errno);
  if (about.st_size != expected)
    return {core::ErrorClass::io, set.path() + " has " + std::to_string(about.st_size) +
                                      " bytes after the copy; expected " + std::to_string(expected)};
  auto begin = begin_of(set, std::min(head, file_bytes));
  if (!begin) return begin.error();
  int error = 0;
  // A part of a placeholder is found to be damaged, whatever ends the job here. Data and the rest of a
  // placeholder would pass for a file.
  if (file_bytes < head) error = ::ftruncate(to.fd(), file_bytes) != 0 ? errno : flush(to.fd());
  if (error == 0) error = write_all_at(to.fd(), begin.value(), 0);
  if (error == 0) error = flush(to.fd());
  if (error == 0) return {};
  static_cast<void>(make_placeholder(to.fd(), set));
  return errno_error("write", set.path(), error);
}

void abandon_join(const SubfileSet& set, core::Error& why) {
  const Target to(set);
  if (to.error().kind == core::ErrorClass::bad_file) return;  // another file has the name
  int error = !to.error().ok() ? 0 : ::ftruncate(to.fd(), head_bytes(set)) != 0 ? errno : 0;
  if (error == 0 && to.error().ok()) error = make_placeholder(to.fd(), set);
  const core::Error left = error != 0 ? errno_error("shorten", set.path(), error) : to.error();
  if (!left.ok()) why.message += "; what was copied stays: " + left.message;
}

}  // namespace collio::storage
