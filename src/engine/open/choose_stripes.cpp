// See choose_stripes.hpp.
#include "engine/open/choose_stripes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "core/index.hpp"
#include "engine/open/choose_folders.hpp"
#include "storage/layouts/layouts.hpp"
#include "storage/probe/choose.hpp"
#include "storage/storage.hpp"

namespace collio::engine {

namespace {

namespace probe = storage::probe;

/// file systems give as many as they have
constexpr int all_targets = 65535;

/// A name beside the file, whose file is gone when this is.
class Beside {
 public:
  explicit Beside(const std::string& folder) : path_(folder + probe::temporary_name()) {}
  ~Beside() { ::unlink(path_.c_str()); }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Makes it; an error: why it cannot be, or cannot have the layout.
  [[nodiscard]] core::Error make(const machine::LayoutWish& wish) const {
    const storage::LayoutOutcome outcome = storage::create_with_layout(path_, wish);
    if (outcome.set) return {};
    return {core::ErrorClass::other, outcome.why_not.empty()
                                         ? "the file system takes no list of targets, or the folder no files"
                                         : outcome.why_not};
  }

 private:
  std::string path_;
};

core::Result<std::vector<int>> targets_in(const std::string& folder) {
  const Beside file(folder);
  if (core::Error error = file.make({0, all_targets, {}}); !error.ok()) return error;
  machine::Layout layout = storage::find_layout(file.path());
  if (layout.targets.empty())
    return core::Error{core::ErrorClass::other, layout.source + " lists no targets"};
  std::ranges::sort(layout.targets);
  return std::move(layout.targets);
}

core::Result<probe::OwnedFile> file_on(const std::string& folder, int target) {
  const Beside file(folder);
  if (core::Error error = file.make({0, 1, {target}}); !error.ok()) return error;
  const int fd = ::open(file.path().c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return core::Error{storage::class_of_errno(errno),
                       std::string("a file on it cannot be opened: ") + std::strerror(errno)};
  return probe::OwnedFile(fd);
}

/// Numbers of the chosen targets, `most` of them: the fastest first where some are left out.
std::vector<int> taken(const probe::Choice& choice, std::size_t most) {
  if (most == 0 || choice.chosen.size() <= most) return choice.chosen;
  std::vector<int> fastest;
  for (const int i : choice.decision.order)
    if (fastest.size() < most && std::ranges::binary_search(choice.chosen, i)) fastest.push_back(i);
  for (const int i : choice.chosen)  // without a measurement
    if (fastest.size() < most && std::ranges::find(fastest, i) == fastest.end()) fastest.push_back(i);
  std::ranges::sort(fastest);
  return fastest;
}

}  // namespace

StripeChoice choose_stripes(const std::string& path, machine::LayoutWish wish) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "./" : path.substr(0, slash + 1);
  StripeChoice made{std::move(wish), {}, {}};
  const auto numbers = targets_in(folder);
  if (!numbers) {
    made.why_not = numbers.error().message;
    return made;
  }
  std::vector<probe::Target> targets;
  for (const int number : numbers.value())
    targets.push_back(
        {"target " + std::to_string(number), folder, [folder, number] { return file_on(folder, number); }});
  const probe::Choice choice = probe::choose(targets, {});
  made.said = said_of(targets, choice);
  made.why_not = choice.error.message;
  if (!choice.error.ok()) return made;
  for (const int i : taken(choice, static_cast<std::size_t>(made.wish.count)))
    made.wish.targets.push_back(numbers.value()[core::at(i)]);
  made.wish.count = static_cast<int>(made.wish.targets.size());
  return made;
}

}  // namespace collio::engine
