// Faults that are injected where collio calls the file system, for tests and drills: what may be asked for,
// and how it is written.
//
//   RULE[/RULE...]     RULE = WHO:WHERE[WHICH]:EFFECT[,EFFECT...]     all:write3+:ENOSPC/0,2-5:read:delay=0.1
//   @PATH              rules in a file, looked at before every call: faults come and go while the job runs
//
// storage/faults.hpp acts by the rules.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace collio::policy {

/// Calls on the file at which faults happen. A read or write is a whole transfer, however many system calls
/// that takes.
enum class FaultPoint { open, read, write, sync };

/// Inclusive.
struct FaultRange {
  std::int64_t first = 1, last = std::numeric_limits<std::int64_t>::max();
  [[nodiscard]] bool has(std::int64_t n) const noexcept { return first <= n && n <= last; }
};

/// What happens to a call, in this order.
struct FaultEffect {
  /// it takes this much longer
  double delay_s = 0;
  /// it waits until this long after the first call that met the rule
  double stuck_s = 0;
  /// number of EINTR
  int interruptions = 0;
  /// the first system calls move this many bytes together
  std::optional<std::int64_t> short_bytes;
  /// then errno; 0: a system call that moves nothing and gives no error
  std::optional<int> error;
};

struct FaultRule {
  /// `who` counts aggregators in the order of domains, else ranks of the file's communicator
  bool aggregators = false;
  /// from 0; empty: all
  std::vector<FaultRange> who;
  FaultPoint where = FaultPoint::write;
  /// of such calls of a rank on the file, from 1, since the rule is in force
  FaultRange which;
  FaultEffect effect;

  /// `aggregator`: -1: the rank is none.
  [[nodiscard]] bool concerns(std::int64_t rank, std::int64_t aggregator) const noexcept;
};

struct FaultRules {
  /// the first one that a call meets acts
  std::vector<FaultRule> rules;
  /// rules are in this file instead
  std::string file;
};

/// What is allowed, for messages.
[[nodiscard]] std::string allowed_faults();

/// Rules separated by '/', or "@PATH", or "none". The error names the rule and the part of it that is not
/// allowed. Pure.
[[nodiscard]] core::Result<FaultRules> parse_faults(std::string_view text);

/// The content of a file of rules: also a rule a line, comments behind '#', and nothing at all. Pure.
[[nodiscard]] core::Result<FaultRules> parse_fault_file(std::string_view text);

}  // namespace collio::policy
