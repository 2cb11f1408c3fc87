// See counter_file.hpp.
#include "storage/counter_file.hpp"

#include <fcntl.h>

#include <cstring>
#include <utility>

#include "storage/range_lock.hpp"

namespace collio::storage {

namespace {

struct Content {
  std::int64_t generation = 0, number = 0;
};
constexpr std::int64_t content_bytes = sizeof(Content);

}  // namespace

CounterFile::CounterFile(std::string path) : path_(std::move(path)), file_(path_, O_RDWR | O_CREAT, 0666) {}

template <class Change>
core::Result<std::int64_t> CounterFile::change(std::int64_t generation, Change&& change) {
  if (file_.error() != 0) return errno_error("open", path_, file_.error());
  const std::lock_guard threads(threads_);
  const RangeLock lock(file_.fd(), {0, content_bytes}, RangeUse::write);
  if (lock.error() != 0) return errno_error("lock", path_, lock.error());
  std::string text(content_bytes, '\0');
  if (const int error = read_all_at(file_.fd(), text, 0); error != 0)
    return errno_error("read", path_, error);
  Content content;
  if (text.size() == content_bytes) std::memcpy(&content, text.data(), text.size());
  if (content.generation != generation) content = {generation, 0};
  const std::int64_t before = std::exchange(content.number, change(content.number));
  text.assign(reinterpret_cast<const char*>(&content), content_bytes);
  if (const int error = write_all_at(file_.fd(), text, 0); error != 0)
    return errno_error("write", path_, error);
  return before;
}

core::Result<std::int64_t> CounterFile::add(std::int64_t generation, std::int64_t more) {
  return change(generation, [more](std::int64_t number) { return number + more; });
}

core::Error CounterFile::set(std::int64_t generation, std::int64_t number) {
  auto before = change(generation, [number](std::int64_t) { return number; });
  return before ? core::Error{} : before.error();
}

}  // namespace collio::storage
