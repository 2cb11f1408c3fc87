// See proposal.hpp.
#include "engine/file/proposal.hpp"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "engine/file/kept_memories.hpp"
#include "engine/file/subfiles.hpp"
#include "engine/open/choose_folders.hpp"
#include "engine/open/job_here.hpp"
#include "policy/domains/by_layout.hpp"
#include "storage/layouts/layouts.hpp"

namespace collio::engine {

namespace {

using Pairs = std::map<std::string, std::string>;

policy::Hints hints_of(const Pairs& settings, const Pairs& hints) {
  Pairs all = settings;
  all.insert(hints.begin(), hints.end());
  return policy::parse_hints(all);
}

/// The layout that rank 0 finds.
machine::Layout layout_of(const std::string& path, const policy::Hints& hints) {
  if (hints.enabled && hints.layout) return storage::find_layout(path);
  machine::Layout ignored;
  ignored.source = "ignored: collio_layout=disable";
  return ignored;
}

/// Where the bytes of the file are, or will be: its file system is the one that counts.
std::string bytes_path(const FileRequest& request, const std::string& path, const policy::Hints& hints) {
  if (request.found.set && request.found.error.ok()) return request.found.set->subfile_path(0);
  const bool elsewhere =
      request.writes && request.found.empty && hints.subfiles > 0 && !hints.subfile_folders.empty();
  return elsewhere ? absolute_path(hints.subfile_folders.front()) : path;
}

bool makes_subfiles(const FileRequest& request, const policy::Hints& hints) {
  const storage::FoundFile& found = request.found;
  return hints.enabled && hints.subfiles > 0 && request.writes && found.error.ok() && !found.set &&
         found.empty;
}

/// Where hints ask for it: which folders the subfiles of a new file go to.
void probe_folders(Proposal& mine, const FileRequest& request, policy::Hints& hints) {
  if (!hints.probes || !makes_subfiles(request, hints)) return;
  if (hints.subfile_folders.empty()) {
    mine.warnings.emplace_back("collio_probe=enable: collio_subfile_dirs names no folders to choose among");
    return;
  }
  std::vector<std::string> folders;
  for (const std::string& folder : hints.subfile_folders) folders.push_back(absolute_path(folder));
  FolderChoice choice = choose_folders(folders);
  mine.probe = std::move(choice.said);
  if (!choice.error.ok()) {
    mine.word.found = words_of(storage::FoundFile{.error = choice.error});
    return;
  }
  mine.word.found["folders"] = choice.chosen;
  hints = with_folders(std::move(hints), choice.chosen);
}

/// What rank 0 says of a file, after it has laid a new one out.
void find_word(Proposal& mine, const FileRequest& request) {
  FirstWord& word = mine.word;
  word = {request.hints, request.settings, words_of(request.found), {}};
  policy::Hints hints = hints_of(request.settings, request.hints);
  probe_folders(mine, request, hints);
  const std::string bytes_at = bytes_path(request, mine.path, hints);
  finish_layout(mine.new_layout, mine.path);
  word.storage = policy::with_layout(model_for_job(bytes_at), layout_of(bytes_at, hints));
  mine.network = find_network();
  if (mine.network) word.network = mine.network->key;
  word.ticket = mine.offer.ticket();
  word.memory_token = new_token();
  word.writer_mark = request.writer_mark;
}

}  // namespace

std::string absolute_path(const std::string& path) {
  if (path.empty() || path[0] == '/') return path;
  char* folder = ::getcwd(nullptr, 0);
  if (!folder) return path;
  const std::string whole = std::string(folder) + "/" + path;
  std::free(folder);
  return whole;
}

std::unique_ptr<Proposal> propose(const FileRequest& request) {
  auto mine = std::make_unique<Proposal>(request.comm);
  MPI_Comm_rank(request.comm, &mine->rank);
  MPI_Comm_size(request.comm, &mine->size);
  mine->path = absolute_path(request.path);
  mine->new_layout = request.new_layout;
  if (mine->rank != 0) return mine;
  find_word(*mine, request);
  mine->text = text_of(mine->word);
  return mine;
}

policy::Hints hints_of(const FirstWord& first) {
  policy::Hints hints = hints_of(first.settings, first.hints);
  if (const auto chosen = first.found.find("folders"); chosen != first.found.end())
    hints = with_folders(std::move(hints), chosen->second);
  // Stripes of array subfiles are longer than these: no write may fill the holes between them.
  if (first.found.contains("arrays")) hints.write_holes = policy::Holes::piecewise;
  return hints;
}

}  // namespace collio::engine
