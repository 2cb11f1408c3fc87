// See choose_folders.hpp.
#include "engine/open/choose_folders.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace collio::engine {

FolderChoice choose_folders(const std::vector<std::string>& folders) {
  namespace probe = storage::probe;
  std::vector<probe::Target> targets;
  for (const std::string& folder : folders) targets.push_back({folder, folder, {}});
  const probe::Choice choice = probe::choose(targets, {});
  FolderChoice made{{}, choice.error, said_of(targets, choice)};
  for (const int i : choice.chosen) made.chosen += std::to_string(i) + ' ';
  return made;
}

observe::report::TargetProbe said_of(const std::vector<storage::probe::Target>& targets,
                                     const storage::probe::Choice& choice) {
  namespace probe = storage::probe;
  observe::report::TargetProbe said;
  said.why = choice.why;
  said.left_out = probe::left_out(targets, choice);
  said.remarks = choice.remarks;
  said.bytes = choice.bytes;
  said.seconds = choice.seconds;
  for (const probe::Measurement& one : choice.measurements)
    said.age_seconds = std::max(said.age_seconds, one.age_s);
  return said;
}

policy::Hints with_folders(policy::Hints hints, const std::string& chosen) {
  const std::vector<std::string> all = std::exchange(hints.subfile_folders, {});
  std::string& word = hints.in_force["collio_subfile_dirs"];
  word.clear();
  std::istringstream numbers(chosen);
  for (std::size_t i = 0; numbers >> i && i < all.size();) {
    hints.subfile_folders.push_back(all[i]);
    word += (word.empty() ? "" : ":") + all[i];
  }
  policy::settle_subfiles(hints);
  return hints;
}

}  // namespace collio::engine
