// A file that is kept in subfiles (storage/subfiles): which set it has, and what the ranks do to it together.
//
// Every call serves such a file through collio: the MPI library has only the placeholder open. The file's
// length follows from the subfiles' lengths, so no rank has to keep one; work on many subfiles is dealt to
// the ranks.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "engine/file/redeal.hpp"
#include "storage/subfiles/join.hpp"
#include "storage/subfiles/layout_in_force.hpp"
#include "storage/subfiles/look.hpp"
#include "storage/subfiles/set.hpp"
#include "storage/subfiles/written_here.hpp"

namespace collio::engine {

class File;
class Ranks;

/// What rank 0 found, in words that can be shared, and back on every rank. Pure. `on_first`: what rank 0
/// alone has besides: the lock, warnings, the former set; empty on other ranks.
[[nodiscard]] std::map<std::string, std::string> words_of(const storage::FoundFile& found);
[[nodiscard]] storage::FoundFile found_from(std::map<std::string, std::string> words, const std::string& path,
                                            storage::FoundFile on_first = {});

/// Whether the words are of a placeholder, or of a file that may be one. Pure.
[[nodiscard]] bool is_in_subfiles(const std::map<std::string, std::string>& words);
/// Whether the words are of an empty file. Pure.
[[nodiscard]] bool is_empty(const std::map<std::string, std::string>& words);

/// The file's own path, where the program has that of a symbolic link; else empty. Pure.
[[nodiscard]] std::string path_behind_link(const std::map<std::string, std::string>& words);

/// The subfiles of an open file.
struct SubfileUse {
  /// as it was when the file was opened
  storage::SubfileSet set;
  /// and notes it in the manifest
  bool writes = false;
  /// where it writes
  std::shared_ptr<const storage::WrittenHere> written_here = {};
  bool joined = false;
  /// of this rank; once joined, of all
  storage::JoinTally tally = {};
  /// on rank 0, until it is closed
  std::shared_ptr<storage::SetUse> use = {};
  /// of the file that was opened, to the set
  storage::Standing standing = {};
  bool names_flushed = false;
  /// in the background
  bool joining = false;
  /// where stripes may be dealt anew; else null
  std::shared_ptr<storage::LayoutInForce> in_force = {};
  /// the same
  std::optional<TargetWatch> watch = {};
  /// on rank 0, where targets are watched: of the manifest as it left it
  storage::FileStamp stamp = {};
  /// on rank 0: others have changed it
  bool touched = false;
  /// of the file, by the manifest as rank 0 last knew it
  std::int64_t noted_bytes = 0;
};

/// Takes up the subfiles that were found, or makes those that the hints ask for, if the file is empty; then
/// the file has them. Error: of a set that is there and cannot be used, or cannot be made. Collective.
[[nodiscard]] core::Error take_up_subfiles(const Ranks& ranks, storage::FoundFile found, bool writes);

/// The set with the layout in force: that in `use` stays as it was when the file was opened, so that any
/// thread may look at it. Waits while stripes are dealt anew.
[[nodiscard]] storage::SubfileSet settled_set(const SubfileUse& use);

/// Rank 0's manifest, changed by `change` on what is there now: other opens of the file may have changed it.
using ManifestChange = std::function<void(storage::Manifest&)>;
[[nodiscard]] core::Error change_manifest(SubfileUse& use, const ManifestChange& change);
/// The same for who has the SetLock.
[[nodiscard]] core::Error change_locked_manifest(SubfileUse& use, const ManifestChange& change);
/// Whether the manifest is not as this open left it. On rank 0, where targets are watched.
[[nodiscard]] bool changed_by_others(SubfileUse& use);

/// Bytes of the file. O(subfiles). Not collective.
[[nodiscard]] core::Result<std::int64_t> length_of(const File& file);
/// The same, of all ranks' knowledge. Collective.
[[nodiscard]] core::Error agreed_length(const Ranks& ranks, std::int64_t& bytes);
/// By a set with another layout than the one in force. Collective.
[[nodiscard]] core::Error agreed_length(const Ranks& ranks, const storage::SubfileSet& set,
                                        std::int64_t& bytes);
/// Gives the file `bytes` bytes, or room for them. Collective.
[[nodiscard]] core::Error resize(const Ranks& ranks, std::int64_t bytes, storage::Resize how);

/// All ranks have flushed their subfiles: writes down what is safe now. Collective.
[[nodiscard]] core::Error note_flushed(const Ranks& ranks);
enum class AtClose { keep, remove };
/// All ranks have closed their subfiles: writes down that they are complete, and joins them if the hints ask
/// for that, or begins to; or removes them, as their file is to be deleted. Collective.
[[nodiscard]] core::Error close_subfiles(const Ranks& ranks, AtClose how);

}  // namespace collio::engine
