#include "verify.hpp"

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "content.hpp"

namespace collio::bench {
namespace {

constexpr std::int64_t chunk_bytes = Scratch::chunk_bytes;

/// An open file that closes itself.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : fd_(open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

/// Read up to size bytes; fewer only at the end of the file. -1 with errno on failure.
[[nodiscard]] std::int64_t read_fully(int fd, unsigned char* out, std::int64_t size, std::int64_t offset) {
  std::int64_t done = 0;
  while (done < size) {
    const ssize_t now =
        pread(fd, out + done, static_cast<std::size_t>(size - done), static_cast<off_t>(offset + done));
    if (now < 0 && errno != EINTR) return -1;
    if (now == 0) break;
    done += std::max<ssize_t>(now, 0);
  }
  return done;
}

constexpr std::string_view placeholder_mark = "collio placeholder ";

/// A file to read: by POSIX calls, or by MPI if collio keeps it in subfiles.
class Source {
 public:
  explicit Source(const std::string& path) : file_(path, O_RDONLY) {
    if (!is_in_subfiles(path)) return;
    if (MPI_File_open(MPI_COMM_SELF, path.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &whole_) != MPI_SUCCESS)
      whole_ = MPI_FILE_NULL;
    in_subfiles_ = true;
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  ~Source() {
    if (whole_ != MPI_FILE_NULL) MPI_File_close(&whole_);
  }

  /// Up to `size` bytes; fewer only at the end of the file. -1 with errno on failure.
  [[nodiscard]] std::int64_t read(unsigned char* out, std::int64_t size, std::int64_t offset) const {
    if (!in_subfiles_) return file_.get() < 0 ? -1 : read_fully(file_.get(), out, size, offset);
    MPI_Status status;
    int got = 0;
    errno = EIO;
    if (whole_ == MPI_FILE_NULL ||
        MPI_File_read_at(whole_, offset, out, static_cast<int>(size), MPI_BYTE, &status) != MPI_SUCCESS ||
        MPI_Get_count(&status, MPI_BYTE, &got) != MPI_SUCCESS)
      return -1;
    return got;
  }

 private:
  Descriptor file_;
  bool in_subfiles_ = false;
  MPI_File whole_ = MPI_FILE_NULL;
};

/// What the step must hold from its byte `begin` on: content in covered bytes, zero elsewhere. `next`: first
/// extent that may matter.
void expected_bytes(std::int64_t begin, std::span<unsigned char> out, StepImage image, std::size_t& next) {
  const std::span<const Extent> covered = image.covered;
  const std::int64_t end = begin + static_cast<std::int64_t>(out.size());
  std::int64_t at = begin;
  while (next < covered.size() && covered[next].offset < end) {
    const std::int64_t from = std::max(covered[next].offset, begin);
    const std::int64_t to = std::min(covered[next].offset + covered[next].length, end);
    if (from > at) std::memset(out.data() + (at - begin), 0, static_cast<std::size_t>(from - at));
    if (to > from)
      fill_content(image.shift + from, out.data() + (from - begin), static_cast<std::size_t>(to - from));
    at = std::max(at, to);
    if (covered[next].offset + covered[next].length > end) break;
    ++next;
  }
  if (at < end) std::memset(out.data() + (at - begin), 0, static_cast<std::size_t>(end - at));
}

[[nodiscard]] std::size_t first_extent(std::span<const Extent> covered, std::int64_t offset) {
  const auto found = std::partition_point(covered.begin(), covered.end(),
                                          [&](const Extent& e) { return e.offset + e.length <= offset; });
  return static_cast<std::size_t>(found - covered.begin());
}

struct Chunk {
  std::int64_t begin;
  std::span<const unsigned char> seen;
  std::span<const unsigned char> wanted;
};

/// Add a chunk's wrong bytes. The content is never zero, so a wanted zero is a hole.
void note_differences(const Chunk& chunk, Findings& findings) {
  for (std::size_t i = 0; i < chunk.seen.size(); ++i) {
    if (chunk.seen[i] == chunk.wanted[i]) continue;
    const bool hole = chunk.wanted[i] == 0;
    ++(hole ? findings.wrong_hole_bytes : findings.wrong_bytes);
    if (findings.text.empty())
      findings.text = "byte " + std::to_string(chunk.begin + static_cast<std::int64_t>(i)) +
                      " of the file is " + std::to_string(chunk.seen[i]) + ", expected " +
                      std::to_string(chunk.wanted[i]) + (hole ? ", as nobody wrote it" : "");
  }
}

}  // namespace

std::vector<Extent> joined_extents(const Pattern& pattern) {
  std::vector<Extent> joined;
  pattern.all_extents([&](Extent extent) {
    if (!joined.empty() && joined.back().offset + joined.back().length == extent.offset)
      joined.back().length += extent.length;
    else
      joined.push_back(extent);
  });
  return joined;
}

std::int64_t covered_bytes(std::span<const Extent> covered) {
  std::int64_t bytes = 0;
  for (const Extent& extent : covered) bytes += extent.length;
  return bytes;
}

void fill_buffer(const Pattern& pattern, std::int64_t shift, std::span<unsigned char> buffer) {
  if (pattern.data_bytes() != pattern.buffer_bytes()) std::ranges::fill(buffer, blank_byte);
  pattern.own_pieces([&](const Piece& piece) {
    fill_content(shift + piece.extent.offset, buffer.data() + piece.place,
                 static_cast<std::size_t>(piece.extent.length));
  });
}

std::int64_t wrong_in_buffer(const Pattern& pattern, std::int64_t shift,
                             std::span<const unsigned char> buffer) {
  std::size_t wrong = 0;
  pattern.own_pieces([&](const Piece& piece) {
    wrong += count_wrong(shift + piece.extent.offset, buffer.data() + piece.place,
                         static_cast<std::size_t>(piece.extent.length));
  });
  const std::int64_t gaps = pattern.buffer_bytes() - pattern.data_bytes();
  if (wrong > 0 || gaps == 0) return static_cast<std::int64_t>(wrong);
  return gaps - std::ranges::count(buffer, blank_byte);  // what is right is no blank
}

bool is_in_subfiles(const std::string& path) {
  const Descriptor file(path, O_RDONLY);
  unsigned char begin[placeholder_mark.size()];
  const auto bytes = static_cast<std::int64_t>(sizeof begin);
  return file.get() >= 0 && read_fully(file.get(), begin, bytes, 0) == bytes &&
         std::memcmp(begin, placeholder_mark.data(), sizeof begin) == 0;
}

Findings check_file(const std::string& path, StepImage image, Share share, Scratch& scratch) {
  Findings findings;
  const Source file(path);
  auto& [seen, wanted] = scratch;
  std::size_t next = first_extent(image.covered, share.begin);
  for (std::int64_t at = share.begin; at < share.end; at += chunk_bytes) {
    const auto size = static_cast<std::size_t>(std::min(chunk_bytes, share.end - at));
    const std::int64_t place = image.shift + at;
    const std::int64_t got = file.read(seen.data(), static_cast<std::int64_t>(size), place);
    if (got < static_cast<std::int64_t>(size)) {
      findings.wrong_bytes += share.end - at - std::max<std::int64_t>(got, 0);
      findings.text = got < 0 ? "reading " + path + ": " + std::strerror(errno)
                              : "the file ends at byte " + std::to_string(place + got) + ", expected " +
                                    std::to_string(image.shift + share.end) + " or more";
      return findings;
    }
    expected_bytes(at, std::span(wanted).first(size), image, next);
    if (std::memcmp(seen.data(), wanted.data(), size) != 0)
      note_differences({place, std::span<const unsigned char>(seen).first(size),
                        std::span<const unsigned char>(wanted).first(size)},
                       findings);
  }
  return findings;
}

std::string prepare_file(const std::string& path, StepImage image, Share share, Scratch& scratch) {
  const Descriptor file(path, O_CREAT | O_RDWR);
  if (file.get() < 0) return "open " + path + ": " + std::strerror(errno);
  std::vector<unsigned char>& bytes = scratch.wanted;
  std::size_t next = first_extent(image.covered, share.begin);
  for (std::int64_t at = share.begin; at < share.end; at += chunk_bytes) {
    const auto size = static_cast<std::size_t>(std::min(chunk_bytes, share.end - at));
    expected_bytes(at, std::span(bytes).first(size), image, next);
    for (std::size_t done = 0; done < size;) {
      const ssize_t now = pwrite(file.get(), bytes.data() + done, size - done,
                                 static_cast<off_t>(image.shift + at) + static_cast<off_t>(done));
      if (now < 0 && errno != EINTR) return "pwrite " + path + ": " + std::strerror(errno);
      done += static_cast<std::size_t>(std::max<ssize_t>(now, 0));
    }
  }
  return {};
}

}  // namespace collio::bench
