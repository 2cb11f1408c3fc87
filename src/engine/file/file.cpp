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
#include "core/index.hpp"
#include "engine/file/same_call.hpp"
#include "engine/open/choose_folders.hpp"
#include "engine/open/discover.hpp"
#include "engine/open/discover_network.hpp"
#include "engine/open/first_word.hpp"
#include "engine/open/job_here.hpp"
#include "engine/open/pooled.hpp"
#include "policy/aggregators/select_aggregators.hpp"
#include "policy/domains/by_layout.hpp"
#include "storage/layouts/layouts.hpp"
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

}  // namespace

int File::most_domains() const noexcept {
  const int all = static_cast<int>(servers.ranks.size());
  return std::holds_alternative<policy::Election>(settings.hints.who) && settings.hints.aggregators > 0
             ? std::min(settings.hints.aggregators, all)
             : all;
}

File::File(Proposal& mine, const std::string& own_path, Settings by, const FirstWord& first)
    : rank(mine.rank),
      size(mine.size),
      path(own_path.empty() ? mine.path : own_path),
      linked(!own_path.empty()),
      settings(std::move(by)),
      stored(*this, first.writer_mark) {
  machine.storage = first.storage;
  records.new_layout = std::move(mine.new_layout);
  records.probe = std::move(mine.probe);
  const char* report = ::secure_getenv("COLLIO_REPORT");
  if (report && *report) records.pictures = std::make_shared<observe::Pictures>();
}

core::Result<std::unique_ptr<File>> File::open(const FileRequest& request) {
  const auto mine = propose(request);
  OpenWord::Words least = mine->words();
  transport::reduce_to_all(least.data(), static_cast<int>(least.size()), MPI_INT32_T, MPI_MIN, request.comm);
  const OpenWord word(least, mine->text, request.comm);
  bool alone = false;
  return open(request, *mine, {word}, alone);
}

core::Result<std::unique_ptr<File>> File::open(const FileRequest& request, Proposal& mine,
                                               const OpenMeeting& met, bool& alone) {
  const FirstWord first = word_from(met.word.text, std::move(mine.word));
  Settings settings{hints_of(first), first.settings, request.reads, request.writes};
  const policy::Hints& hints = settings.hints;
  alone = is_in_subfiles(first.found) ||
          (hints.enabled && hints.subfiles > 0 && request.writes && is_empty(first.found));
  const std::string own_path = alone ? path_behind_link(first.found) : "";
  if (core::Error error = found_from(first.found, own_path.empty() ? mine.path : own_path).error; !error.ok())
    return error;
  if (!hints.enabled || (request.only_in_subfiles && !alone)) return std::unique_ptr<File>();
  auto in_force = std::exchange(settings.hints.in_force, {});
  std::unique_ptr<File> f(new File(mine, own_path, std::move(settings), first));
  f->records.in_force = std::move(in_force);
  pool(f->records.in_force);
  for (const auto& some : {request.warnings, mine.warnings, f->settings.hints.warnings})
    f->records.warnings.insert(f->records.warnings.end(), some.begin(), some.end());
  auto member =
      Crew::join({request.comm, met.hall}, mine.offer, met.word.same_crew ? &first.ticket : nullptr);
  if (!member) return core::Error{member.error().kind, f->path + ": " + member.error().message};
  f->member_ = std::move(member.value());
  const Ranks ranks(*f);
  f->machine.nodes = f->member_.place().machine.nodes;
  discover_network(*f->line_, f->place(), f->machine, first.network, mine.network);
  if (core::Error error = f->settle_in(ranks, request, first); !error.ok()) return error;
  return f;
}

core::Error File::settle_in(const Ranks& ranks, const FileRequest& request, const FirstWord& first) {
  const Place& place = this->place();
  if (machine.nodes.size() > 1) machine.storage = storage::for_several_nodes(std::move(machine.storage));
  records.traffic = Traffic(machine.nodes.size());
  if (std::string warning = rank == 0 ? network_warning(machine) : ""; !warning.empty())
    records.warnings.push_back(std::move(warning));
  const machine::Node& here = machine.nodes[core::at(place.seat.node)];
  transport::set_ranks_per_core(ranks_per_core_of_job({here.ranks, here.cores}));
  storage::FoundFile found = found_from(first.found, path, request.found);
  if (core::Error error = take_up_subfiles(ranks, std::move(found), request.writes); !error.ok())
    return error;
  const std::vector<policy::Seat> seats = seats_of(machine, settings.hints);
  servers = servers_on(seats, place, ranks.agreement, rank);
  layers = policy::make_layers(machine, settings.hints);
  pool(layers.teams);
  if (place.shared_bytes > 0 && policy::node_memory_bytes(machine, settings.hints) > place.shared_bytes)
    machine.storage.node_buffer_bytes = place.shared_bytes;
  if (settings.hints.memory_limit_bytes > 0)
    buffers_.pool.keep_at_most(static_cast<std::size_t>(settings.hints.memory_limit_bytes / 4));
  if (!owns_line()) lacking_.windows = policy::NoWindow::for_borrowed_line;
  prepare_memory_drill();
  if (std::string said = stored.begin_drill(servers.mine); !said.empty())
    records.warnings.push_back(std::move(said));
  // All ranks that will serve the file can open it, and all agree on its storage; else the file passes
  // through. It is opened now: by the time of a call its name may be gone, or be another file's.
  core::Error error;
  stored.all_hold = !policy::few_servers(machine, settings.hints);
  if (servers.mine >= 0 || stored.all_hold) static_cast<void>(stored.handle(&error));
  error = agree_on_opened(ranks, std::move(error), first);
  if (!error.ok()) return error;
  if (machine.nodes.size() > 1 && policy::few_servers(machine, settings.hints) && !machine.storage.overlaps)
    servers.add_receivers(seats, place, ranks.agreement, rank);
  return check_open(ranks, request.hints, first.hints);
}

File::~File() {
  if (!lacking_.anything())
    keep_memory(memory_key_, std::move(plans.memory));  // else its plans are second best
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

std::string File::storage_remarks(const Ranks& ranks) const {
  const std::string mine = stored.remarks();
  return weightiest_text(ranks.comm, mine.empty() ? 0 : 1, mine);
}

std::string File::schedule_remarks(const Ranks& ranks) const {
  const std::string mine = plans.memory.schedule_trials_text();
  return weightiest_text(ranks.comm, mine.empty() ? 0 : 1, mine);
}

/// A file that borrows lines has no communicator between calls: its roll call knows the node's notes alone.
void File::begin_roll() {
  const Place& place = this->place();
  transport::RollCall::Setting setting{.post = std::make_unique<transport::RollMessages>(line_->comm),
                                       .file = path,
                                       .patience_s = static_cast<double>(settings.hints.patience_s),
                                       .calls = calls_};
  if (transport::NodeBoard* board = line_->agreement->board()) {
    setting.notes = board->notes();
    setting.place = place.seat.local_rank;
    setting.node = place.seat.node;
    setting.nodes = place.ranks;
  } else {
    setting.node = rank;
  }
  if (!owns_line()) {
    if (setting.notes.empty()) setting.patience_s = 0;
    setting.nodes = {place.ranks[core::at(place.seat.node)]};
    setting.node = 0;
  }
  roll_ = std::make_unique<transport::RollCall>(std::move(setting));
}

void File::prepare_memory_drill() {
  int at = -1, first = 0, count = 1;
  const char* text = ::secure_getenv("COLLIO_DRILL_MEMORY");
  if (!text) return;
  if (std::sscanf(text, "%d:%d:%d", &at, &first, &count) < 2 || first < 1 || count < 1) {
    records.warnings.push_back("COLLIO_DRILL_MEMORY=" + std::string(text) +
                               " is not RANK:FIRST or RANK:FIRST:COUNT; no drill");
  } else {
    records.warnings.push_back("COLLIO_DRILL_MEMORY=" + std::string(text) +
                               ": buffers are refused on purpose");
    buffers_.keeps_buffers = true;
    if (at == rank) buffers_.pool.fail_allocations(first, count);
  }
}

void File::part() {
  if (size > 1 && owns_line()) roll_->finish();
}

}  // namespace collio::engine
