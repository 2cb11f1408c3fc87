// An open file as collio sees it: its aggregators, hints, view and buffers.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "access/access.hpp"
#include "engine/file/buffers.hpp"
#include "engine/file/kept_memories.hpp"
#include "engine/file/placed_servers.hpp"
#include "engine/file/proposal.hpp"
#include "engine/file/ranks.hpp"
#include "engine/file/records.hpp"
#include "engine/file/servers.hpp"
#include "engine/file/settings.hpp"
#include "engine/file/stored.hpp"
#include "engine/file/unmet_calls.hpp"
#include "engine/open/crew.hpp"
#include "engine/open/first_word.hpp"
#include "machine/machine.hpp"
#include "policy/aggregators/local_aggregators.hpp"
#include "policy/hints/hints.hpp"
#include "policy/plan/forecasts.hpp"
#include "policy/plan/plan.hpp"

namespace collio::engine {

/// What a report of a file needs: 1, or 0.
struct ReportWishes {
  /// rank 0 wants one; 2: with pictures
  std::int64_t report = 0;
  /// some rank has storage_remarks()
  std::int64_t storage_said = 0;
  /// the same of schedule_remarks()
  std::int64_t schedules_said = 0;
};

/// What the ranks of an open have told each other.
struct OpenMeeting {
  const OpenWord& word;
  /// see Crew::Gathering
  const Hall* hall = nullptr;
};

/// What calls have taught.
struct Plans {
  PlanMemory memory;
  /// the same on all ranks
  policy::Forecasts forecasts;
};

class File {
 public:
  /// Collective. Rank 0's hints count for all. All ranks get a File, or all get null (disabled by hint), or
  /// all get an error of the same class (a rank that serves it cannot reach the file: it is the MPI library's
  /// alone). `alone`: set on all ranks to whether it is kept in subfiles, or was to be: nobody else can serve
  /// it.
  static core::Result<std::unique_ptr<File>> open(const FileRequest& request, Proposal& mine,
                                                  const OpenMeeting& met, bool& alone);
  /// The same for ranks that have not met for this open yet.
  static core::Result<std::unique_ptr<File>> open(const FileRequest& request);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// What happened on the file, on any rank, that was not asked for. Collective.
  [[nodiscard]] std::string storage_remarks(const Ranks& ranks) const;
  /// What trials of schedules came to, on the aggregator that says most. Collective.
  [[nodiscard]] std::string schedule_remarks(const Ranks& ranks) const;
  /// The plan of a call that the file is prepared for: decides, prepares, and decides again without what is
  /// lacking. Collective.
  [[nodiscard]] policy::Plan plan(const Buffers& buffers, policy::PlanRequest request);
  /// Gets what the plan needs: handles, MPI windows, slots. False on all ranks: the file lacks one of them
  /// from now on. Collective.
  [[nodiscard]] bool prepare(const Buffers& buffers, const policy::Plan& plan);
  /// Domains there are at most. All aggregators have one each, but where more are there to be elected from.
  [[nodiscard]] int most_domains() const noexcept;
  /// Before the file is closed, in a visit: returns when nobody needs this rank's handle any more.
  /// Collective.
  void gather(const Visit& visit);
  /// While the file is closed: the worst of the ranks' errors, once all ranks close it. Those that make
  /// another call before get an error there. Collective.
  [[nodiscard]] static core::Error worst_in_close(const Ranks& ranks, const core::Error& mine,
                                                  const std::string& what, std::span<std::int64_t> more = {});
  /// Closes the file's storage. The same error on all ranks if any rank's close(2) failed. Behind gather(),
  /// in its visit. `wishes`: of all ranks, afterwards. Collective.
  [[nodiscard]] core::Error close_storage(const Ranks& ranks, ReportWishes& wishes);
  /// Of reads in which ranks did not meet, heard in gather(): the file is closed all the same. The same on
  /// all ranks.
  [[nodiscard]] const core::Error& late() const noexcept { return late_; }
  /// Behind the last visit. Collective.
  void part();

  const int rank, size;
  /// from the root; of a file in subfiles, that of the file itself
  const std::string path;
  /// it was opened in subfiles through a symbolic link
  const bool linked;
  const Settings settings;
  machine::Machine machine;
  /// all aggregators; they serve the domains in this order unless a plan places these
  Servers servers;
  PlacedServers placed_servers;
  policy::Layers layers;
  UnmetCalls unmet;
  access::View view;
  Stored stored;
  /// Where the ranks are.
  [[nodiscard]] const Place& place() const noexcept { return member_.place(); }
  /// Whether the file owns a line. A file without one borrows a line for each call. All ranks get the same
  /// answer.
  [[nodiscard]] bool owns_line() const noexcept { return member_.own() != nullptr; }
  /// Of its own line, outside visits too; MPI_COMM_NULL: it borrows one.
  [[nodiscard]] MPI_Comm own_comm() const noexcept {
    return owns_line() ? member_.own()->comm : MPI_COMM_NULL;
  }
  /// "shared memory" or "messages"; empty: it has no line at the moment.
  [[nodiscard]] std::string_view agrees_by() const noexcept;
  /// Two layers: this rank may receive messages of other nodes. Not collective.
  [[nodiscard]] bool receives_mail() const noexcept {
    return servers.mine >= 0 || servers.receives || placed_servers.serves() || place().seat.local_rank == 0;
  }
  Plans plans;
  /// of this open; the same on all ranks, and no other open file's
  std::uint64_t number = 0;
  /// The file does not lie any more as plans were made for: they are kept for others. On all ranks.
  void forget_plans();
  Records records;

 private:
  /// `own_path`: of a file in subfiles that was opened through a link; else empty.
  File(Proposal& mine, const std::string& own_path, Settings by, const FirstWord& first);
  /// Collective.
  [[nodiscard]] core::Error different_syncs(const Ranks& ranks, std::int64_t most, std::int64_t least) const;
  /// Collective.
  [[nodiscard]] core::Error agree_on_opened(const Ranks& ranks, core::Error mine, const FirstWord& first);
  /// Collective.
  void note_storage(const Ranks& ranks, const StorageWords& words);
  /// All ranks have the file open, or the plan does not need it. Collective.
  [[nodiscard]] bool have_handles(const Ranks& ranks, const policy::Plan& plan);
  /// The same for an MPI window for the aggregators' buffers. Collective.
  [[nodiscard]] bool have_remote(const Ranks& ranks, const policy::Plan& plan);
  /// The same for windows in the nodes' shared memory. Collective.
  [[nodiscard]] bool have_slots(const Ranks& ranks, const policy::Plan& plan);
  [[nodiscard]] transport::NodeSlots::Room room_for(const policy::Plan& plan) const;
  [[nodiscard]] std::unique_ptr<transport::NodeSlots> new_slots(const Ranks& ranks,
                                                                const transport::NodeSlots::Room& room,
                                                                std::string& why);
  /// `why`: what this rank lacks; empty: nothing. Collective.
  [[nodiscard]] static core::Error worst_of_memory(const Ranks& ranks, const std::string& why);
  void announce_slots();
  void take_out_memory();
  void take_up_memory(bool all_took_it, std::uint64_t new_token);
  MemoryKey memory_key_;
  /// COLLIO_DRILL_MEMORY
  void prepare_memory_drill();
  [[nodiscard]] core::Error settle_in(const Ranks& ranks, const FileRequest& request, const FirstWord& first);
  friend class Ranks;
  /// False: it has one. Collective where it borrows one.
  [[nodiscard]] bool take_line();
  /// If it is borrowed.
  void leave_line() noexcept;
  void begin_roll();
  Crew::Membership member_;
  /// null: between the calls of a file that borrows lines
  Line* line_ = nullptr;
  /// as long as there is a line
  std::unique_ptr<transport::RollCall> roll_;
  /// collective ones, of a file that borrows lines
  std::int64_t calls_ = 0;
  friend class Buffers;
  Memory buffers_;
  /// the same on all ranks
  policy::Lacking lacking_;
  /// of calls in which ranks did not meet, heard when they closed
  core::Error late_;
};

}  // namespace collio::engine
