// See writer_mark.hpp.
#include "storage/writer_mark.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <map>
#include <tuple>

#include "core/content_hash.hpp"
#include "storage/high_descriptor.hpp"
#include "storage/mapped_write.hpp"

namespace collio::storage {

namespace {

/// byte of those who write one; marks have the other bytes
constexpr std::uint32_t whole_window = 0;
constexpr std::uint32_t all_marks = ~std::uint32_t{0};

/// No folder is as long. Files of equal hash see each other's marks, which costs speed alone.
std::int64_t base_of(std::uint64_t inode) noexcept {
  constexpr std::uint64_t files = (std::uint64_t{1} << 30) - 1;
  return std::int64_t{1} << 62 | static_cast<std::int64_t>((core::mixed(inode) & files) << 32);
}

/// Empty: there is no such file.
std::string without_links(const std::string& path) {
  char* const real = ::realpath(path.c_str(), nullptr);
  std::string name = real ? real : "";
  std::free(real);
  return name;
}

/// Of a path from the root.
std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return path.substr(0, slash == 0 ? 1 : slash);
}

std::uint32_t random_number() noexcept {
  std::uint32_t number = 0;
  while (number == whole_window || number == all_marks)
    if (::getrandom(&number, sizeof number, 0) != sizeof number) return 0;
  return number;
}

void nap() noexcept {
  const timespec briefly{0, 50'000};
  ::nanosleep(&briefly, nullptr);
}

}  // namespace

FolderDescriptor::~FolderDescriptor() { ::close(fd); }

std::shared_ptr<FolderDescriptor> FolderDescriptor::of(const std::string& folder, Use use) {
  using Key = std::tuple<dev_t, ino_t, Use>;
  static std::mutex mutex;
  static auto* const known =
      new std::map<Key, std::weak_ptr<FolderDescriptor>>;  // programs close files at exit
  struct stat about {};
  if (::stat(folder.c_str(), &about) != 0) return nullptr;
  const std::lock_guard lock(mutex);
  std::weak_ptr<FolderDescriptor>& one = (*known)[{about.st_dev, about.st_ino, use}];
  if (auto opened = one.lock()) return opened;
  const int fd = moved_high(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd < 0) return nullptr;
  auto opened = std::make_shared<FolderDescriptor>(fd);
  struct stat now {};
  if (::fstat(fd, &now) != 0 || now.st_dev != about.st_dev || now.st_ino != about.st_ino ||
      mapping_of(fd) == Mapping::none)
    return nullptr;
  one = opened;
  return opened;
}

std::unique_ptr<MarkedFolder> MarkedFolder::of(const std::string& path, FolderDescriptor::Use use) {
  std::unique_ptr<MarkedFolder> place(new MarkedFolder);
  place->path_ = without_links(path);
  if (place->path_.empty()) return nullptr;
  place->folder_ = FolderDescriptor::of(folder_of(place->path_), use);
  struct stat file {
  }, here{};
  if (!place->folder_ || ::fstat(place->folder_->fd, &here) != 0 ||
      ::lstat(place->path_.c_str(), &file) != 0 || file.st_dev != here.st_dev)
    return nullptr;
  place->device_ = file.st_dev;
  place->inode_ = file.st_ino;
  place->base_ = base_of(file.st_ino);
  return place;
}

bool MarkedFolder::is_of(int fd) const noexcept {
  struct stat file {};
  return ::fstat(fd, &file) == 0 && file.st_dev == device_ && file.st_ino == inode_;
}

bool MarkedFolder::has_file() const noexcept {
  struct stat file {};
  return ::lstat(path_.c_str(), &file) == 0 && S_ISREG(file.st_mode) && file.st_dev == device_ &&
         file.st_ino == inode_ && file.st_nlink == 1;
}

bool MarkedFolder::set(short type, std::uint32_t byte) const noexcept {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = base_ + byte;
  lock.l_len = 1;
  int outcome = -1;
  while ((outcome = ::fcntl(folder_->fd, F_OFD_SETLK, &lock)) != 0 && errno == EINTR) {}
  return outcome == 0;
}

bool MarkedFolder::hold(std::uint32_t byte) const noexcept { return set(F_RDLCK, byte); }

void MarkedFolder::let_go(std::uint32_t byte) const noexcept { static_cast<void>(set(F_UNLCK, byte)); }

bool MarkedFolder::held_by_others(std::uint32_t first, std::uint32_t end) const noexcept {
  if (first >= end) return false;
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = base_ + first;
  lock.l_len = end - first;
  return ::fcntl(folder_->fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

namespace {

thread_local WriterMark::OneForAll* one_for_all = nullptr;

}  // namespace

WriterMark::OneForAll::OneForAll() noexcept { one_for_all = this; }
WriterMark::OneForAll::~OneForAll() { one_for_all = nullptr; }

std::shared_ptr<WriterMark> WriterMark::put(const std::string& path) {
  std::unique_ptr<MarkedFolder> folder = MarkedFolder::of(path, FolderDescriptor::Use::marks);
  if (folder && one_for_all && one_for_all->mark_ && folder->is_same(*one_for_all->mark_->folder_))
    return one_for_all->mark_;
  const std::uint32_t number = folder && folder->has_file() ? random_number() : 0;
  if (number == 0 || !folder->hold(number)) return nullptr;
  while (folder->held_by_others(whole_window, whole_window + 1)) nap();
  std::shared_ptr<WriterMark> mark(new WriterMark(std::move(folder), number));
  if (one_for_all) one_for_all->mark_ = mark;
  return mark;
}

OtherWriters::Absence::Absence(OtherWriters& others, int fd) {
  std::call_once(others.looked_,
                 [&] { others.folder_ = MarkedFolder::of(others.path_, FolderDescriptor::Use::asks); });
  folder_ = others.folder_.get();
  if (!folder_) return;
  threads_ = std::unique_lock(folder_->threads());
  if (!folder_->hold(whole_window)) return;
  const std::uint32_t mine = others.number_;
  sure_ = folder_->is_of(fd) && folder_->has_file() && !folder_->held_by_others(whole_window + 1, mine) &&
          !folder_->held_by_others(mine + 1, all_marks);
  if (!sure_) folder_->let_go(whole_window);
}

OtherWriters::Absence::~Absence() {
  if (sure_) folder_->let_go(whole_window);
}

}  // namespace collio::storage
