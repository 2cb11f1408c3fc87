// What ranks agree on when those that serve a file have opened it, and when they close it.
#include <algorithm>
#include <array>
#include <utility>

#include "engine/file/file.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::engine {

/// One reduction, and more where not all ranks open the file at once.
core::Error File::agree_on_opened(const Ranks& ranks, core::Error mine, const FirstWord& first) {
  take_out_memory();
  StorageWords words = storage_words(storage_, rank, size);
  const auto token = static_cast<std::int64_t>(memory.token());
  std::array<std::int64_t, words.size() + 2> all{token, ~token};
  std::ranges::copy(words, all.begin() + 2);
  mine = ranks.agreement.worst(mine, "cannot open " + path, all);
  take_up_memory(all[0] == ~all[1], first.memory_token);
  if (!mine.ok()) return mine;
  std::copy(all.begin() + 2, all.end(), words.begin());
  note_storage(ranks, words);
  if (!all_hold_) learn_holder(ranks);
  return {};
}

/// The first aggregator, by the file's inode, and the first rank of this node that has the file, if one has.
void File::learn_holder(const Ranks& ranks) {
  storage::Holder first = storage_.holder, near = storage_.holder;
  transport::broadcast(&first, sizeof first, MPI_BYTE, servers.ranks.front(), ranks.comm);
  int nearest = storage_.file ? node_rank : size;
  transport::reduce_to_all(&nearest, 1, MPI_INT, MPI_MIN, ranks.node);
  if (nearest < size) transport::broadcast(&near, sizeof near, MPI_BYTE, nearest, ranks.node);
  holder_ = nearest < size ? near : first;
  if (nearest == size) holder_->process = 0;
}

void File::note_storage(const Ranks& ranks, const StorageWords& most) {
  storage_use = storage_use_of(most, ranks.comm, storage_);
  machine.storage.overlaps = storage_use.overlaps;
  const std::string asked(policy::name_of(settings.hints.storage));
  if (storage_use.declined || settings.hints.storage == policy::StorageKind::null)
    warnings.push_back("collio_storage=" + asked + ": " + storage_use.kind + ", " + storage_use.reason);
}

void File::gather(const Visit& visit) {
  late_ = hear_of_unmet(visit, "close");
  // Some rank had its own error, and waits in the close already: worst_in_close() there is repeated.
  if (late_.kind == core::ErrorClass::not_same) late_ = {};
  // A rank that opens the file late opens it by the handle of one that has it (learn_holder()).
  if (!all_hold_) static_cast<void>(worst_in_close(visit, {}, ""));
}

core::Error File::worst_in_close(const Ranks& ranks, const core::Error& mine, const std::string& what,
                                 std::span<std::int64_t> more) {
  core::Error error = ranks.agreement.worst(mine, what, more);
  while (error.kind == core::ErrorClass::not_same) error = ranks.agreement.worst(mine, what, more);
  return error;
}

core::Error File::close_storage(const Ranks& ranks, ReportWishes& wishes) {
  if (storage_.file) closed_remarks_ = storage_.file->remarks();
  core::Error mine = storage_.file ? storage_.file->close() : core::Error{};
  core::keep_worst(mine, std::exchange(untold_error, {}));
  storage_.file.reset();
  std::array<std::int64_t, 5> all{wishes.report, closed_remarks_.empty() ? 0 : 1,
                                  memory.schedule_trials_text().empty() ? 0 : 1, syncs, -syncs};
  core::Error error = worst_in_close(ranks, mine, "cannot close " + path, all);
  wishes = {all[0], all[1], all[2]};
  if (error.ok() && settings.hints.check != policy::Check::none && all[3] != -all[4])
    error = different_syncs(ranks, all[3], -all[4]);
  return error;
}

core::Error File::different_syncs(const Ranks& ranks, std::int64_t most, std::int64_t least) const {
  std::string text = path + ": ranks flush the file a different number of times: ";
  for (const std::int64_t times : {most, least})
    text += (times == most ? "" : ", ") + weightiest_text(ranks.comm, syncs == times ? size - rank : 0,
                                                          "rank " + std::to_string(rank) + " calls sync " +
                                                              std::to_string(syncs) + " times");
  return {core::ErrorClass::not_same, text};
}

}  // namespace collio::engine
