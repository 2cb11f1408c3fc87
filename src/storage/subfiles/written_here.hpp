// Which sets of subfiles this process has open for writing: a second handle of a program is no news to it,
// nor one of another rank that opens the file with it.
#pragma once

#include <compare>
#include <cstdint>

namespace collio::storage {

/// While it lives, the set counts as written by this process. Any thread.
class WrittenHere {
 public:
  /// Of a set: a copy of a folder has sets of the same identities, and placeholders that are other files. The
  /// same for every path to the file, and on every node, where devices have other numbers.
  struct Key {
    std::uint64_t identity = 0, inode = 0;
    /// of the placeholder, as the inode
    std::int64_t born = 0;
    auto operator<=>(const Key&) const = default;
  };

  explicit WrittenHere(const Key& key);
  ~WrittenHere();
  WrittenHere(const WrittenHere&) = delete;
  WrittenHere& operator=(const WrittenHere&) = delete;

  [[nodiscard]] const Key& key() const noexcept { return key_; }
  [[nodiscard]] static bool is(const Key& key);

 private:
  Key key_;
};

}  // namespace collio::storage
