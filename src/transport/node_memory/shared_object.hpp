// A file in /dev/shm that processes of a node share.
//
// It has no name: its maker holds it open, and the others open it as /proc/PID/fd/N of the maker. So a job
// leaves nothing behind, at whatever moment it is killed. Processes that do not see each other there, as
// ranks in containers of their own, need a name in /dev/shm. The maker locks such a file until it has removed
// the name. The kernel ends the lock with the process: a name without a lock is a killed job's, and the next
// job of the same user removes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace collio::transport {

/// Identifies an object among all of a node, and says where other processes find it.
struct ObjectName {
  /// random; 0: there is no object
  std::uint64_t key = 0;
  std::uint64_t device = 0, inode = 0;
  /// the maker
  std::int64_t process = 0;
  std::int32_t descriptor = -1;
  /// 1: it has a name in /dev/shm
  std::int32_t in_folder = 0;

  friend bool operator==(const ObjectName&, const ObjectName&) = default;
};

/// Where others find the object: they can until the maker closes its door.
enum class FoundBy { descriptor, name };

/// A maker's hold on its object. Not collective.
class ObjectDoor {
 public:
  ObjectDoor() = default;
  ~ObjectDoor() { close(); }
  ObjectDoor(ObjectDoor&& other) noexcept;
  ObjectDoor& operator=(ObjectDoor&& other) noexcept;

  /// A new object of no bytes, for this user alone. False: errno says why.
  [[nodiscard]] bool open(FoundBy by);
  /// No further process finds the object. Those that have mapped it keep it.
  void close() noexcept;

  [[nodiscard]] const ObjectName& name() const noexcept { return name_; }
  [[nodiscard]] int descriptor() const noexcept { return name_.descriptor; }

 private:
  ObjectName name_;
};

/// A descriptor of another process's object; -1: `why` says what failed. Not collective.
[[nodiscard]] int find_object(const ObjectName& name, std::string& why);

/// Whether this process may make files of so many bytes: where it may not, an attempt is SIGXFSZ, which ends
/// a program. Not collective.
[[nodiscard]] bool file_may_have(std::size_t bytes, std::string& why);

}  // namespace collio::transport
