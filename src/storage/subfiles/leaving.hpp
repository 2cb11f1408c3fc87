// Names that are deleted or replaced, and the subfiles that go with the last name of a file.
#pragma once

#include <optional>
#include <string>

#include "core/result.hpp"
#include "storage/subfiles/look.hpp"

namespace collio::storage {

/// A name that is about to lead nowhere, or to another file. While this is there no program opens the set.
class LeavingName {
 public:
  explicit LeavingName(std::string path);

  /// Why the name must stay.
  [[nodiscard]] const core::Error& error() const noexcept { return error_; }
  /// It leads to subfiles that nothing lists: why. They stay when the name goes.
  [[nodiscard]] const core::Error& damage() const noexcept { return damage_; }
  /// Why the name cannot be deleted with its subfiles, and what helps.
  [[nodiscard]] core::Error refusal_to_delete() const;
  /// When the name has gone: a loss of power does not bring it back when its subfiles are gone.
  [[nodiscard]] core::Error remove_set() const;

  /// The set that was found goes with the name, if nobody has it open. False: since that look the name has
  /// become another file's, or the file another set's.
  [[nodiscard]] bool hold(FoundFile found);

 private:
  int take_alone();
  void refuse(const char* why);

  std::string path_;
  /// that goes with the name
  std::optional<SubfileSet> set_;
  std::optional<SetUse> alone_;
  core::Error error_, damage_;
};

/// Deletes a name, and with the last one of a placeholder its set. An error where a program has the set open,
/// where it is unknown whether there is one, and where it is damaged: all stays as it is then. Not
/// collective.
[[nodiscard]] core::Error delete_file(const std::string& path);
/// Gives the flushed file `by`, of the same folder, the name `path` at once, whatever happens to the machine;
/// then deletes what had the name. A damaged set stays: the remark says so. Not collective.
[[nodiscard]] core::Result<std::string> replace_file(const std::string& path, const std::string& by);

}  // namespace collio::storage
