// What ranks agree on when those that serve a file have opened it, and when they close it.
#include <utility>

#include "engine/file/file.hpp"
#include "transport/node_memory/words.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::engine {

/// One reduction, and more where not all ranks open the file at once.
core::Error File::agree_on_opened(const Ranks& ranks, core::Error mine, const FirstWord& first) {
  take_out_memory();
  StorageWords words = storage_words(stored.opened(), rank, size);
  transport::Same<std::uint64_t> token{plans.memory.token()};
  mine = transport::agree(ranks.agreement, mine, "cannot open " + path, token, words.waits, words.opened,
                          words.first_otherwise, words.first_opened);
  take_up_memory(token.agreed(), first.memory_token);
  if (!mine.ok()) return mine;
  note_storage(ranks, words);
  if (!stored.all_hold) stored.learn_holder(ranks, servers.ranks.front());
  return {};
}

void File::note_storage(const Ranks& ranks, const StorageWords& words) {
  stored.use = storage_use_of(words, ranks.comm, stored.opened());
  machine.storage.overlaps = stored.use.overlaps;
  const std::string asked(policy::name_of(settings.hints.storage));
  if (stored.use.declined || settings.hints.storage == policy::StorageKind::null)
    records.warnings.push_back("collio_storage=" + asked + ": " + stored.use.kind + ", " + stored.use.reason);
}

void File::gather(const Visit& visit) {
  late_ = hear_of_unmet(visit, "close");
  // Some rank had its own error, and waits in the close already: worst_in_close() there is repeated.
  if (late_.kind == core::ErrorClass::not_same) late_ = {};
  // A rank that opens the file late opens it by the handle of one that has it (learn_holder()).
  if (!stored.all_hold) static_cast<void>(worst_in_close(visit, {}, ""));
}

core::Error File::worst_in_close(const Ranks& ranks, const core::Error& mine, const std::string& what,
                                 std::span<std::int64_t> more) {
  core::Error error = ranks.agreement.worst(mine, what, more);
  while (error.kind == core::ErrorClass::not_same) error = ranks.agreement.worst(mine, what, more);
  return error;
}

core::Error File::close_storage(const Ranks& ranks, ReportWishes& wishes) {
  core::Error mine = stored.close();
  core::keep_worst(mine, std::exchange(unmet.untold, {}));
  transport::Most<std::int64_t> report{wishes.report}, storage_said{stored.remarks().empty() ? 0 : 1},
      schedules_said{plans.memory.schedule_trials_text().empty() ? 0 : 1};
  transport::Same<std::int64_t> syncs{unmet.syncs};
  transport::Packed all(report, storage_said, schedules_said, syncs);
  core::Error error = worst_in_close(ranks, mine, "cannot close " + path, all.numbers());
  all.unpack();
  wishes = {report.value, storage_said.value, schedules_said.value};
  if (error.ok() && settings.hints.check != policy::Check::none && !syncs.agreed())
    error = different_syncs(ranks, syncs.value, syncs.least);
  return error;
}

core::Error File::different_syncs(const Ranks& ranks, std::int64_t most, std::int64_t least) const {
  std::string text = path + ": ranks flush the file a different number of times: ";
  for (const std::int64_t times : {most, least})
    text += (times == most ? "" : ", ") + weightiest_text(ranks.comm, unmet.syncs == times ? size - rank : 0,
                                                          "rank " + std::to_string(rank) + " calls sync " +
                                                              std::to_string(unmet.syncs) + " times");
  return {core::ErrorClass::not_same, text};
}

}  // namespace collio::engine
