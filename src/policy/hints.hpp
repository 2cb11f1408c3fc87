// Hints: what the user may set, what is allowed, what is in force.
//
// Keys come from MPI_Info at open, overridden by the environment (COLLIO_HINTS, "key=value;key=value").
// A value that is not allowed never fails a call: the default stays in force and a warning names the
// value and what is allowed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace collio::policy {

enum class Path { automatic, two_layer, two_phase, independent, native };
enum class Holes { automatic, piecewise, sieve };
enum class Assignment;  // policy/assignment
enum class Selection;   // policy/select_aggregators
enum class Election;    // policy/elect_aggregators
enum class Cut;         // policy/file_cuts
enum class Schedule { automatic, none, communication, write, write_communication, write_communication_2, dataflow };
enum class Check { none, warn, strict };
enum class Transfer { automatic, two_sided, fence, lock };
enum class StorageKind { automatic, posix, threads, uring, aio, null };

/// One entry of cb_config_list: at most `limit` aggregators on `host` ("*": any other host).
struct HostLimit {
  std::string host;
  int limit = 1;
};

struct Hints {
  bool enabled = true;
  int aggregators = 0;                               ///< cb_nodes; 0: chosen by collio
  int local_aggregators = 0;                         ///< collio_local_aggregators, in all; 0: chosen by collio
  int local_aggregators_per_node = 0;                ///< nc_num_aggrs_per_node; 0: not set
  bool synchronous_sends = true;                     ///< collio_sends
  int nodes_per_group = 1;                           ///< collio_nodes_per_group; 1: no third layer
  std::optional<Cut> cut;                            ///< collio_domains; absent: even
  int servers = 0;                                   ///< striping_factor; 0: not known
  std::int64_t buffer_bytes = 16 << 20;              ///< cb_buffer_size: no window is longer
  std::int64_t window_bytes = 0;                     ///< collio_window; 0: chosen by collio
  Schedule schedule = Schedule::automatic;           ///< collio_schedule
  int buffers = 2;                                   ///< collio_buffers, of an aggregator, when rounds overlap
  Transfer transfer = Transfer::two_sided;           ///< collio_transfer
  std::int64_t transfer_piece_bytes = 512;           ///< collio_transfer_piece: shorter ones, on average, go with messages
  StorageKind storage = StorageKind::automatic;      ///< collio_storage
  int storage_threads = 2;                           ///< collio_storage_threads, of a process
  bool direct = false;                               ///< collio_direct: past the page cache where aligned
  int patience_s = 60;                               ///< collio_patience, in a wait for other ranks; 0: for ever
  std::int64_t memory_limit_bytes = 0;               ///< collio_memory_limit, of a rank's buffers; 0: none
  Check check = Check::none;                         ///< collio_check: what the program gets wrong
  std::string faults = "none";                       ///< collio_faults, as policy/faults takes them
  std::int64_t alignment_bytes = 0;                  ///< striping_unit; 0: the file system's block
  std::vector<HostLimit> host_limits;                ///< cb_config_list; empty: no limit
  std::optional<Selection> selection;                ///< collio_aggregators, by the machine alone; absent: dealt
  std::optional<Election> election;                  ///< collio_aggregators, for every call anew
  std::optional<Assignment> assignment;              ///< collio_assignment; absent: chosen by collio
  Path write_path = Path::automatic, read_path = Path::automatic;
  Holes write_holes = Holes::automatic, read_holes = Holes::automatic;
  std::map<std::string, std::string> in_force;       ///< every key collio honours, as MPI_File_get_info shows it
  std::vector<std::string> warnings;
  std::vector<std::string> found;                    ///< likewise what check mode found, call by call
  std::vector<std::string> refused;                  ///< keys whose values are not allowed
};

/// A row of the table behind `collio info`.
struct HintRow {
  std::string_view key, default_value, allowed, meaning;
};

/// Every key collio knows.
[[nodiscard]] std::span<const HintRow> hint_table() noexcept;

/// The row of a key; null: collio does not know it.
[[nodiscard]] const HintRow* find_hint(std::string_view key) noexcept;

/// Whether `value` may be given for a key that collio knows.
[[nodiscard]] bool is_allowed(std::string_view key, std::string_view value);

/// Hints from key-value pairs; unknown keys that start with "collio_" warn, others are ignored.
[[nodiscard]] Hints parse_hints(const std::map<std::string, std::string>& given);

/// Most bytes of messages under way in each direction, for windows of that length.
[[nodiscard]] std::int64_t message_budget(std::int64_t window_bytes, const Hints& hints) noexcept;

/// Splits "key=value;key=value". Entries without '=' become warnings.
[[nodiscard]] std::map<std::string, std::string> split_hints(std::string_view text,
                                                             std::vector<std::string>& warnings);

[[nodiscard]] std::string_view name_of(Path path) noexcept;
[[nodiscard]] std::string_view name_of(Schedule schedule) noexcept;
[[nodiscard]] std::string_view name_of(Transfer transfer) noexcept;
[[nodiscard]] std::string_view name_of(StorageKind kind) noexcept;

}  // namespace collio::policy
