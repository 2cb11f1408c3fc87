// See epoch.hpp.
#include "capi/epoch.hpp"

#include <algorithm>
#include <limits>

#include "capi/declare.hpp"
#include "capi/error.hpp"
#include "capi/file.hpp"
#include "capi/transfer.hpp"
#include "core/index.hpp"
#include "engine/file/same_call.hpp"
#include "policy/plan/epoch_groups.hpp"
#include "transport/node_memory/words.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::capi {

namespace {

using core::Error;
using core::ErrorClass;
using policy::Direction;

std::string numbered(const char* what, std::int64_t number) { return what + (" " + std::to_string(number)); }

/// Where a declared put begins and ends in the file, and its bytes.
core::Result<policy::PutHull> hull_of(const collio_file& file, const collio_part& part) {
  if (!part.variable || part.variable->file != &file)
    return Error{ErrorClass::argument, "its variable is null, or of another file"};
  const collio_variable& v = *part.variable;
  const auto offset = offset_of(v, part.record);
  if (!offset) return offset.error();
  const access::Decomposition::Place place = v.elements->place();
  return policy::PutHull{offset.value() + place.first * v.element_bytes,
                         offset.value() + place.end * v.element_bytes, place.count * v.element_bytes};
}

/// The error of `work`, or that there is no memory for it. Other ranks wait, so it must not throw.
template <class Work>
Error without_throwing(Work&& work) try {
  return work();
} catch (const std::bad_alloc&) {
  return {ErrorClass::no_memory, "no memory"};
}

/// This rank's hulls.
Error describe(const collio_file& file, std::span<const collio_part> parts,
               std::vector<policy::PutHull>& hulls) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto hull = hull_of(file, parts[i]);
    if (!hull)
      return {hull.error().kind,
              numbered("declared put", static_cast<std::int64_t>(i)) + ": " + hull.error().message};
    hulls.push_back(hull.value());
  }
  return {};
}

/// What a rank declares.
struct Declaration {
  std::int64_t count;
  const collio_part* parts;
  std::int64_t in_memory;
};

Error check(const collio_file& file, const Declaration& declared) {
  if (Error error = check_mode(file, Direction::write); !error.ok()) return error;
  constexpr std::int64_t most = std::numeric_limits<int>::max() / 2;  // in one reduction
  if (declared.count < 0 || declared.count > most)
    return not_allowed("the number of puts", declared.count, "0 to " + std::to_string(most));
  if (declared.in_memory < 0) return not_allowed("in_memory", declared.in_memory, "0 and more");
  return declared.parts || declared.count == 0 ? Error{}
                                               : Error{ErrorClass::argument, "the list of puts is null"};
}

/// What ranks exchange of hulls.
struct HullWords {
  std::vector<std::int64_t> ends, bytes;
};

/// Hulls of all ranks' puts, of which this rank has the first ones. Needs no memory. Collective.
void join_hulls(MPI_Comm comm, std::vector<policy::PutHull>& hulls, HullWords& words) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  auto& [ends, bytes] = words;
  for (std::size_t i = 0; i < hulls.size(); ++i) {
    const bool empty = hulls[i].bytes == 0;
    ends[2 * i] = empty ? none : hulls[i].begin;
    ends[2 * i + 1] = empty ? none : -hulls[i].end;
    bytes[i] = hulls[i].bytes;
  }
  transport::reduce_to_all(ends.data(), static_cast<int>(ends.size()), MPI_INT64_T, MPI_MIN, comm);
  transport::reduce_to_all(bytes.data(), static_cast<int>(bytes.size()), MPI_INT64_T, MPI_SUM, comm);
  for (std::size_t i = 0; i < hulls.size(); ++i) {
    const bool empty = bytes[i] == 0;
    hulls[i] = {empty ? 0 : ends[2 * i], empty ? 0 : -ends[2 * i + 1], bytes[i]};
  }
}

/// So that the plans of all groups are remembered (engine::PlanMemory).
constexpr std::int64_t most_groups = 12;

/// Ends of the groups. An error where puts that interleave are more than memory has room for. Pure.
core::Result<std::vector<std::int64_t>> groups_of(const engine::File& file,
                                                  std::span<const policy::PutHull> hulls,
                                                  std::int64_t in_memory) {
  std::int64_t all = 0;
  for (const policy::PutHull& hull : hulls) all += hull.bytes;
  const std::int64_t buffers = file.most_domains() * file.settings.hints.buffer_bytes;
  auto ends = policy::group_puts(
      hulls, {std::max(buffers, all / most_groups + 1), std::max<std::int64_t>(in_memory / 2, 1)});
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    if (end - begin > in_memory)
      return Error{ErrorClass::argument, "puts " + std::to_string(begin) + " to " + std::to_string(end - 1) +
                                             " interleave in " + file.path + "; in_memory is " +
                                             std::to_string(in_memory) +
                                             "; allowed: " + std::to_string(end - begin) + " and more, or 0"};
    begin = end;
  }
  return ends;
}

/// The hulls of `puts` puts of all ranks. The same error on all where a rank has no memory. Collective.
Error join(const engine::Ranks& ranks, std::int64_t puts, std::vector<policy::PutHull>& hulls) {
  const auto count = static_cast<std::size_t>(puts);
  HullWords words;
  const Error mine = without_throwing([&] {
    hulls.resize(count);
    words.ends.resize(2 * count);
    words.bytes.resize(count);
    return Error{};
  });
  Error error = ranks.agreement.worst(mine, "cannot declare puts for " + ranks.file.path);
  if (error.ok()) join_hulls(ranks.comm, hulls, words);
  return error;
}

/// The file's epoch from now on. Collective.
Error declare_on(collio_file& file, const Declaration& declared) {
  const BetweenSteps between(file);
  if (!between.error.ok()) return between.error;
  engine::File& engine = *file.open->engine;
  file.open->drain();
  const engine::Visit visit(engine, "declare");
  if (Error error = engine::check_same_call(visit, "declare"); !error.ok()) return error;
  std::vector<policy::PutHull> hulls;
  auto epoch = std::make_unique<Epoch>();
  Error mine = check(file, declared);
  const std::span parts(declared.parts, mine.ok() ? static_cast<std::size_t>(declared.count) : 0);
  if (mine.ok())
    mine = without_throwing([&] {
      for (const collio_part& part : parts) epoch->parts.push_back({part.variable, part.record});
      return describe(file, parts, hulls);
    });
  constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
  transport::Most<std::int64_t> puts{declared.count};
  transport::Least<std::int64_t> in_memory{declared.in_memory > 0 ? declared.in_memory : unlimited};
  const std::string what = "declares wrong puts for " + engine.path;
  if (Error error = agree(visit.agreement, mine, what, puts, in_memory); !error.ok()) return error;
  if (Error error = join(visit, puts.value, hulls); !error.ok()) return error;
  mine = without_throwing([&]() -> Error {
    auto ends = groups_of(engine, hulls, in_memory.value);
    if (ends) epoch->ends = std::move(ends.value());
    return ends ? Error{} : ends.error();
  });
  if (Error error = visit.agreement.worst(mine, what); !error.ok()) return error;
  file.epoch.reset();
  file.writes.puts.remember(epoch->ends.size());
  if (puts.value == 0) return {};
  for (std::int64_t& end : epoch->ends) end = std::min(end, declared.count);
  file.epoch = std::move(epoch);
  return {};
}

/// The next group, of what is put now. Not collective; the group is.
std::shared_ptr<Transfer> next_group(collio_file& file, const char* name) {
  return take_pending(file, Direction::write, name);
}

/// Begins groups up to `end` (not included), with what is put now. Not collective; they are.
void begin_groups(collio_file& file, std::size_t end) {
  Epoch& epoch = *file.epoch;
  const access::Reserve::Use no_list_fails;  // other ranks begin them
  while (epoch.begun.size() < end) {
    epoch.begun.push_back(next_group(file, "put"));
    begin(epoch.begun.back());
  }
}

/// Begins the groups of which this rank has made its puts: all, where it declares none. Not collective; they
/// are.
void begin_made(collio_file& file) {
  const Epoch& epoch = *file.epoch;
  const auto behind = std::ranges::upper_bound(epoch.ends, epoch.made) - epoch.ends.begin();
  begin_groups(file, std::min(static_cast<std::size_t>(behind), epoch.ends.size() - 1));
}

/// Begins what is left, with an error where there is one, and is before the next epoch then. Collective.
Error finish(collio_file& file, const Error& why, collio_request** request) {
  Epoch& epoch = *file.epoch;
  core::keep_worst(file.writes.error, why);
  begin_groups(file, epoch.ends.size() - 1);
  const std::shared_ptr<Transfer> last = next_group(file, "commit");
  last->before = std::move(epoch.begun);
  epoch.begun.clear();
  epoch.made = 0;
  epoch.first_record.reset();
  epoch.given_up = false;
  return launch(last, request);
}

std::string puts_of(const Epoch& epoch, std::int64_t made) {
  return std::to_string(made) + " of " + std::to_string(epoch.parts.size()) + " declared puts";
}

}  // namespace

Error check_next(const collio_variable& variable, std::int64_t record) {
  if (!variable.file->epoch) return {};
  const Epoch& epoch = *variable.file->epoch;
  if (epoch.given_up)
    return {ErrorClass::argument, "the epoch was cancelled; call collio_commit() before the next epoch"};
  const auto count = static_cast<std::int64_t>(epoch.parts.size());
  if (epoch.made == count)
    return not_allowed("the put's number in the declared epoch", epoch.made,
                       "0 to " + std::to_string(count - 1));
  const Epoch::Part& part = epoch.parts[core::at(epoch.made)];
  if (part.variable != &variable)
    return {ErrorClass::argument, numbered("put", epoch.made) + " is declared for another variable"};
  const bool other =
      record < part.record || (epoch.first_record && record - part.record != *epoch.first_record);
  if (variable.record_bytes > 0 && other)
    return not_allowed(numbered("the record of put", epoch.made), record,
                       epoch.first_record
                           ? std::to_string(part.record + *epoch.first_record) + ", as declared"
                           : std::to_string(part.record) + " and more, as declared");
  return {};
}

void count_put(collio_variable& variable, std::int64_t record) {
  if (!variable.file->epoch) return;
  Epoch& epoch = *variable.file->epoch;
  if (variable.record_bytes > 0 && !epoch.first_record)
    epoch.first_record = record - epoch.parts[core::at(epoch.made)].record;
  ++epoch.made;
  begin_made(*variable.file);
  if (!epoch.begun.empty()) engine::step_all_queues();
}

void leave_out(const collio_variable& variable) {
  if (!variable.file->epoch) return;
  for (Epoch::Part& part : variable.file->epoch->parts)
    if (part.variable == &variable) part.variable = nullptr;
}

void give_up(collio_file& file) {
  if (!file.epoch) return;
  core::keep_worst(file.writes.error, {ErrorClass::argument, "the epoch was cancelled after " +
                                                                 puts_of(*file.epoch, file.epoch->made)});
  file.epoch->given_up = true;
  begin_groups(file, file.epoch->ends.size() - 1);
}

Error commit_epoch(collio_file& file, collio_request** request) {
  const Epoch& epoch = *file.epoch;
  const bool missing = epoch.made < static_cast<std::int64_t>(epoch.parts.size()) && !epoch.given_up;
  Error error = finish(
      file, missing ? Error{ErrorClass::argument, "a commit after " + puts_of(epoch, epoch.made)} : Error{},
      request);
  begin_made(file);
  return error;
}

BetweenSteps::BetweenSteps(collio_file& file) : error(end_epoch(file)), file_(file) {}

BetweenSteps::~BetweenSteps() {
  if (file_.epoch) begin_made(file_);
}

Error end_epoch(collio_file& file) {
  if (!file.epoch) return {};
  const Epoch& epoch = *file.epoch;
  const bool amid = epoch.made > 0 && !epoch.given_up;
  return finish(file,
                amid ? Error{ErrorClass::argument,
                             "data was put without a commit behind it: " + puts_of(epoch, epoch.made)}
                     : Error{},
                nullptr);
}

int declare(collio_file* file, int64_t count, const collio_part* parts, int64_t in_memory) {
  return guarded_collectively(file, [&] { return declare_on(*file, {count, parts, in_memory}); });
}

int wait_puts(collio_file* file, int64_t puts) {
  return guarded_on(file, [&]() -> Error {
    engine::step_all_queues();
    if (puts == 0) return {};
    if (!file->epoch) return {ErrorClass::argument, "no puts are declared"};
    const Epoch& epoch = *file->epoch;
    if (puts < 0 || puts > epoch.made) return not_allowed("puts", puts, "0 to " + std::to_string(epoch.made));
    const auto group =
        static_cast<std::size_t>(std::ranges::lower_bound(epoch.ends, puts) - epoch.ends.begin());
    if (group >= epoch.begun.size())
      return {ErrorClass::argument, numbered("put", puts - 1) +
                                        " is written together with those before put " +
                                        std::to_string(epoch.ends[group]) +
                                        (group + 1 == epoch.ends.size() ? ", by the commit" : "") + "; " +
                                        std::to_string(epoch.made) + " were made"};
    await(*epoch.begun[group]);
    return epoch.begun[group]->result.error;
  });
}

int group_end(collio_file* file, int64_t put, int64_t* end) {
  return guarded_on(file, [&]() -> Error {
    if (!file->epoch) return {ErrorClass::argument, "no puts are declared"};
    const auto count = static_cast<std::int64_t>(file->epoch->parts.size());
    if (put < 0 || put >= count) return not_allowed("put", put, "0 to " + std::to_string(count - 1));
    if (!end) return {ErrorClass::argument, "the place for the end is null"};
    *end = *std::ranges::upper_bound(file->epoch->ends, put);
    return {};
  });
}

}  // namespace collio::capi
