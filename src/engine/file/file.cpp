// See file.hpp.
#include "engine/file/file.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <utility>

#include "core/content_hash.hpp"
#include "engine/background/yielding_storage.hpp"
#include "engine/file/same_call.hpp"
#include "engine/open/choose_folders.hpp"
#include "engine/open/discover.hpp"
#include "engine/open/discover_network.hpp"
#include "engine/open/first_word.hpp"
#include "engine/open/job_here.hpp"
#include "policy/aggregators/select_aggregators.hpp"
#include "policy/domains/by_layout.hpp"
#include "storage/layouts/layouts.hpp"
#include "storage/subfiles/subfiled_storage.hpp"
#include "transport/waiting/collectives.hpp"
#include "transport/waiting/waiting.hpp"

namespace collio::engine {

namespace {

/// Who may aggregate. Elections choose among a rank of every node.
std::vector<policy::Seat> seats_of(const machine::Machine& machine, const policy::Hints& given) {
  const policy::Hints hints = policy::fitted_to_layout(machine, given);
  // Stripes that are dealt should have one writer each, or all writers as many.
  const int stripes = hints.servers == 0 && hints.layout ? machine.storage.layout.count : hints.servers;
  const bool by_stripes = stripes > 0 && hints.aggregators == 0 &&
                          (hints.cut == policy::Cut::static_cyclic || hints.cut == policy::Cut::group_cyclic);
  const policy::SelectionRequest request{
      machine, hints, by_stripes ? policy::Counting::stripes : policy::Counting::hint, stripes};
  if (const auto* selection = std::get_if<policy::Selection>(&hints.who))
    return policy::select_aggregators(*selection, request);
  return policy::select_aggregators(policy::Selection::one_per_node,
                                    {machine, hints, policy::Counting::automatic});
}

std::map<std::string, std::string> merged(const std::map<std::string, std::string>& settings,
                                          const std::map<std::string, std::string>& hints) {
  std::map<std::string, std::string> all = settings;
  all.insert(hints.begin(), hints.end());
  return all;
}

/// The layout that rank 0 finds.
machine::Layout layout_of(const std::string& path, const policy::Hints& hints) {
  if (hints.enabled && hints.layout) return storage::find_layout(path);
  machine::Layout ignored;
  ignored.source = "ignored: collio_layout=disable";
  return ignored;
}

/// Where the bytes of the file are, or will be: its file system is the one that counts. On rank 0.
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

}  // namespace

/// On rank 0, where hints ask for it: which folders the subfiles of a new file go to.
void File::probe_folders(FirstWord& word, const FileRequest& request, policy::Hints& hints) {
  if (!hints.probes || !makes_subfiles(request, hints)) return;
  if (hints.subfile_folders.empty()) {
    warnings.emplace_back("collio_probe=enable: collio_subfile_dirs names no folders to choose among");
    return;
  }
  std::vector<std::string> folders;
  for (const std::string& folder : hints.subfile_folders) folders.push_back(absolute_path(folder));
  FolderChoice choice = choose_folders(folders);
  probe = std::move(choice.said);
  if (!choice.error.ok()) {
    word.found = words_of(storage::FoundFile{.error = choice.error});
    return;
  }
  word.found["folders"] = choice.chosen;
  hints = with_folders(std::move(hints), choice.chosen);
}

/// What rank 0 says of a file, after it has laid a new one out.
FirstWord File::first_word(const FileRequest& request) {
  FirstWord word{request.hints, request.settings, words_of(request.found), {}};
  hints = policy::parse_hints(merged(request.settings, request.hints));
  probe_folders(word, request, hints);
  const std::string bytes_at = bytes_path(request, path, hints);
  finish_layout(new_layout, path);
  word.storage = policy::with_layout(model_for_job(bytes_at), layout_of(bytes_at, hints));
  return word;
}

std::string absolute_path(const std::string& path) {
  if (path.empty() || path[0] == '/') return path;
  char* folder = ::getcwd(nullptr, 0);
  if (!folder) return path;
  const std::string whole = std::string(folder) + "/" + path;
  std::free(folder);
  return whole;
}

int File::most_domains() const noexcept {
  const int all = static_cast<int>(servers.ranks.size());
  return std::holds_alternative<policy::Election>(hints.who) && hints.aggregators > 0
             ? std::min(hints.aggregators, all)
             : all;
}

std::unique_ptr<Proposal> File::propose(const FileRequest& request) {
  std::unique_ptr<Proposal> mine(new Proposal(request.comm));
  mine->file_.reset(new File);
  File& f = *mine->file_;
  MPI_Comm_rank(request.comm, &f.rank);
  MPI_Comm_size(request.comm, &f.size);
  f.path = absolute_path(request.path);
  f.new_layout = request.new_layout;
  mine->is_first_ = f.rank == 0;
  if (f.rank != 0) return mine;
  mine->word_ = f.first_word(request);
  mine->network_ = find_network();
  if (mine->network_) mine->word_.network = mine->network_->key;
  mine->word_.ticket = mine->offer_.ticket();
  mine->word_.memory_token = new_token();
  mine->word_.writer_mark = request.writer_mark;
  mine->text_ = text_of(mine->word_);
  return mine;
}

core::Result<std::unique_ptr<File>> File::open(const FileRequest& request) {
  const auto mine = propose(request);
  OpenWord::Words least = mine->words();
  transport::reduce_to_all(least.data(), static_cast<int>(least.size()), MPI_INT32_T, MPI_MIN, request.comm);
  const OpenWord word(least, mine->text(), request.comm);
  bool alone = false;
  return open(request, *mine, {word}, alone);
}

core::Result<std::unique_ptr<File>> File::open(const FileRequest& request, Proposal& mine,
                                               const OpenMeeting& met, bool& alone) {
  std::unique_ptr<File> f = std::move(mine.file_);
  const FirstWord first = word_from(met.word.text, std::move(mine.word_));
  f->settings = first.settings;
  if (f->rank != 0) f->hints = policy::parse_hints(merged(first.settings, first.hints));
  if (const auto chosen = first.found.find("folders"); f->rank != 0 && chosen != first.found.end())
    f->hints = with_folders(std::move(f->hints), chosen->second);
  f->warnings.insert(f->warnings.begin(), request.warnings.begin(), request.warnings.end());
  f->warnings.insert(f->warnings.end(), f->hints.warnings.begin(), f->hints.warnings.end());
  alone = is_in_subfiles(first.found) ||
          (f->hints.enabled && f->hints.subfiles > 0 && request.writes && is_empty(first.found));
  if (alone) follow_link(*f, first.found);
  if (core::Error error = found_from(first.found, f->path).error; !error.ok()) return error;
  if (!f->hints.enabled || (request.only_in_subfiles && !alone)) return std::unique_ptr<File>();
  f->wants_read_ = request.reads;
  f->wants_write_ = request.writes;
  f->writer_mark_ = first.writer_mark;
  auto member =
      Crew::join({request.comm, met.hall}, mine.offer_, met.word.same_crew ? &first.ticket : nullptr);
  if (!member) return core::Error{member.error().kind, f->path + ": " + member.error().message};
  f->member_ = std::move(member.value());
  const Ranks ranks(*f);
  f->machine.storage = first.storage;
  f->machine.nodes = f->member_.place().machine.nodes;
  discover_network(ranks.comm, f->machine, first.network, mine.network_);
  if (core::Error error = f->settle_in(ranks, request, first); !error.ok()) return error;
  return f;
}

core::Error File::settle_in(const Ranks& ranks, const FileRequest& request, const FirstWord& first) {
  const Place& place = member_.place();
  node_index = place.seat.node;
  node_rank = place.seat.local_rank;
  leaders = place.leaders;
  if (machine.nodes.size() > 1) machine.storage = storage::for_several_nodes(std::move(machine.storage));
  traffic = Traffic(machine.nodes.size());
  if (std::string warning = rank == 0 ? network_warning(machine) : ""; !warning.empty())
    warnings.push_back(std::move(warning));
  const machine::Node& here = machine.nodes[static_cast<std::size_t>(place.seat.node)];
  transport::set_ranks_per_core(ranks_per_core_of_job({here.ranks, here.cores}));
  storage::FoundFile found = found_from(first.found, path, request.found);
  if (core::Error error = take_up_subfiles(ranks, std::move(found), request.writes); !error.ok())
    return error;
  const std::vector<policy::Seat> seats = seats_of(machine, hints);
  servers = servers_on(seats, place, ranks.agreement, rank);
  layers = policy::make_layers(machine, hints);
  if (place.shared_bytes > 0 && policy::node_memory_bytes(machine, hints) > place.shared_bytes)
    machine.storage.node_buffer_bytes = place.shared_bytes;
  if (hints.memory_limit_bytes > 0)
    buffers_.pool.keep_at_most(static_cast<std::size_t>(hints.memory_limit_bytes / 4));
  if (!owns_line()) lacking_.windows = policy::NoWindow::for_borrowed_line;
  prepare_memory_drill();
  prepare_fault_drill();
  // All ranks that will serve the file can open it, and all agree on its storage; else the file passes
  // through. It is opened now: by the time of a call its name may be gone, or be another file's.
  core::Error error;
  all_hold_ = !policy::few_servers(machine, hints);
  if (servers.mine >= 0 || all_hold_) static_cast<void>(storage(&error));
  error = agree_on_opened(ranks, std::move(error), first);
  if (!error.ok()) return error;
  if (machine.nodes.size() > 1 && policy::few_servers(machine, hints) && !machine.storage.overlaps)
    servers.add_receivers(seats, place, ranks.agreement, rank);
  return check_open(ranks, request.hints, first.hints);
}

File::~File() {
  if (!lacking_.anything()) keep_memory(memory_key_, std::move(memory));  // else its plans are second best
  roll_.reset();
  buffers_.remote.reset();
  transport::NodeSlots::give_back(std::move(buffers_.slots));
}

bool File::take_line() {
  if (line_) return false;
  line_ = owns_line() ? member_.own() : &member_.borrow();
  begin_roll();
  return true;
}

void File::leave_line() noexcept {
  if (owns_line()) return;
  calls_ = roll_->call();
  roll_.reset();
  std::exchange(line_, nullptr)->release();
}

std::string_view File::agrees_by() const noexcept {
  if (!line_) return "";
  return line_->agreement->by_shared_memory() ? "shared memory" : "messages";
}

storage::Storage* File::storage(core::Error* why) {
  const std::lock_guard lock(opening_);
  if (storage_.file) return storage_.file.get();
  using storage::Access;
  storage::StorageRequest request{path,
                                  wants_write_ ? Access::read_write : Access::read_only,
                                  machine.storage,
                                  hints.storage,
                                  hints.direct,
                                  hints.storage_threads,
                                  drill_,
                                  holder_,
                                  hints.write_holes == policy::Holes::sieve,
                                  nullptr,
                                  subfiles ? 0 : writer_mark_};
  const auto open_it = [&] {
    return subfiles ? storage::open_subfiled(subfiles->set, request, rank, subfiles->in_force)
                    : storage::open_storage(request);
  };
  auto opened = open_it();
  readable = opened.ok();
  // A file that the program opens for writing alone may be one that it cannot read. One that it reads too is
  // no use half open.
  request.access = Access::write_only;
  if (!opened && wants_write_ && !wants_read_) opened = open_it();
  if (!opened) {
    if (why) *why = opened.error();
    return nullptr;
  }
  storage_ = std::move(opened.value());
  storage_.file = yielding(std::move(storage_.file));
  return storage_.file.get();
}

void File::prepare_fault_drill() {
  drill_ = storage::FaultDrill::make(hints.faults, rank);
  if (!drill_) return;
  drill_->set_aggregator(servers.mine);
  warnings.push_back("FAULTS ARE INJECTED into the calls on " + path +
                     ", as collio_faults asks: " + hints.faults);
}

std::string File::storage_remarks(const Ranks& ranks) const {
  const std::string mine = storage_.file ? storage_.file->remarks() : closed_remarks_;
  return weightiest_text(ranks.comm, mine.empty() ? 0 : 1, mine);
}

std::string File::schedule_remarks(const Ranks& ranks) const {
  const std::string mine = memory.schedule_trials_text();
  return weightiest_text(ranks.comm, mine.empty() ? 0 : 1, mine);
}

/// A file that borrows lines has no communicator between calls: its roll call knows the node's notes alone.
void File::begin_roll() {
  const Place& place = member_.place();
  transport::RollCall::Setting setting{.comm = line_->comm,
                                       .file = path,
                                       .patience_s = static_cast<double>(hints.patience_s),
                                       .calls = calls_};
  const std::vector<machine::Node>& nodes = place.machine.nodes;
  const auto ranks_of_node = [&](std::size_t i) {
    return transport::NodeRanks{place.leaders[i], nodes[i].ranks, place.strides[i]};
  };
  if (transport::NodeBoard* board = line_->agreement->board()) {
    setting.notes = board->notes();
    setting.place = place.seat.local_rank;
    setting.node = place.seat.node;
    for (std::size_t i = 0; i < nodes.size(); ++i) setting.nodes.push_back(ranks_of_node(i));
  } else {
    setting.node = rank;
  }
  if (!owns_line()) {
    if (setting.notes.empty()) setting.patience_s = 0;
    setting.nodes = {ranks_of_node(static_cast<std::size_t>(place.seat.node))};
    setting.node = 0;
  }
  roll_ = std::make_unique<transport::RollCall>(std::move(setting));
}

void File::prepare_memory_drill() {
  int at = -1, first = 0, count = 1;
  const char* text = ::secure_getenv("COLLIO_DRILL_MEMORY");
  if (!text) return;
  if (std::sscanf(text, "%d:%d:%d", &at, &first, &count) < 2 || first < 1 || count < 1) {
    warnings.push_back("COLLIO_DRILL_MEMORY=" + std::string(text) +
                       " is not RANK:FIRST or RANK:FIRST:COUNT; no drill");
  } else {
    warnings.push_back("COLLIO_DRILL_MEMORY=" + std::string(text) + ": buffers are refused on purpose");
    buffers_.keeps_buffers = true;
    if (at == rank) buffers_.pool.fail_allocations(first, count);
  }
}

void File::part() {
  if (size > 1 && owns_line()) roll_->finish();
}

core::Error File::sync() { return storage_.file && wants_write_ ? storage_.file->sync() : core::Error{}; }

}  // namespace collio::engine
