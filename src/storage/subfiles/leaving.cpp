// See leaving.hpp.
#include "storage/subfiles/leaving.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>

#include "storage/subfiles/files.hpp"

namespace collio::storage {

namespace {

bool same_inode(const std::string& a, const std::string& b) {
  struct stat of_a {
  }, of_b{};
  return ::stat(a.c_str(), &of_a) == 0 && ::stat(b.c_str(), &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
         of_a.st_ino == of_b.st_ino;
}

/// A placeholder whose own text or manifest is damaged, or whose manifest is gone.
bool is_damage(const core::Error& of_look) {
  return of_look.kind == core::ErrorClass::bad_file || of_look.kind == core::ErrorClass::no_such_file;
}

std::string search_for(const std::string& path) { return "collio fsck --orphans " + parent_folder(path); }

}  // namespace

LeavingName::LeavingName(std::string path) : path_(std::move(path)) {
  while (!is_link(path_) && !hold(look_for_subfiles(path_))) {}  // the file of a link stays
}

bool LeavingName::hold(FoundFile found) {
  found.use.reset();
  if (is_damage(found.error)) {
    damage_ = std::move(found.error);
    if (SetUse::is_held(path_)) refuse(" is open in a program");
    return true;
  }
  error_ = found.former && found.error.ok() ? remove_former(*found.former) : std::move(found.error);
  if (!error_.ok() || !found.set || found.links > 1 || !may_change(found.standing)) return true;
  const int lock = take_alone();
  if (!is_led_to_by(*found.set, found.mark)) return false;
  set_ = std::move(found.set);
  if (lock == EAGAIN) {
    refuse(" is open in a program");
  } else if (lock != 0 && !set_->manifest().complete) {
    refuse(" cannot be locked, and may be open in a program. If it is not: collio rm");
  }
  return true;
}

/// errno; EAGAIN: a program has it open. Others that look, as ranks that all delete a file, hold the lock for
/// a moment.
int LeavingName::take_alone() {
  constexpr int most_tries = 20;
  for (int tries = 0; tries < most_tries; ++tries) {
    if (tries > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    alone_.emplace(path_, SetUse::By::one);
    const int error = alone_->error();
    if (error != EAGAIN && error != EACCES) return error;
    if (error == EACCES && !SetUse::is_held(path_)) return 0;  // who may not write a file may delete it
  }
  return EAGAIN;
}

void LeavingName::refuse(const char* why) { error_ = {core::ErrorClass::in_use, path_ + why}; }

core::Error LeavingName::refusal_to_delete() const {
  if (damage_.ok() || !error_.ok()) return error_;
  return {core::ErrorClass::bad_file, path_ + " stays, as its subfiles are unknown: " + damage_.message +
                                          ". rm " + path_ + " removes this name alone; " + search_for(path_) +
                                          " then lists what is left"};
}

core::Error LeavingName::remove_set() const {
  if (!set_) return {};
  const core::Error failed = flush_folder(parent_folder(path_));
  return failed.ok() ? remove_with_last(*set_) : failed;
}

core::Error delete_file(const std::string& path) {
  const LeavingName name(path);
  if (core::Error refusal = name.refusal_to_delete(); !refusal.ok()) return refusal;
  if (::unlink(path.c_str()) != 0) return errno_error("delete", path, errno);
  return name.remove_set();
}

core::Result<std::string> replace_file(const std::string& path, const std::string& by) {
  if (same_inode(path, by))
    return core::Error{core::ErrorClass::argument, by + " and " + path + " are one file"};
  if (!same_inode(parent_folder(path), parent_folder(by)))
    return core::Error{core::ErrorClass::argument, by + " lies in another folder than " + path};
  const LeavingName name(path);
  if (!name.error().ok()) return name.error();
  if (std::rename(by.c_str(), path.c_str()) != 0) return errno_error("replace", path, errno);
  core::Error failed = flush_folder(parent_folder(path));
  if (failed.ok()) failed = name.remove_set();
  if (!failed.ok()) return failed;
  return name.damage().ok()
             ? std::string()
             : path + " is replaced; subfiles of the file that had this name stay: " + name.damage().message +
                   ". " + search_for(path) + " lists them";
}

}  // namespace collio::storage
