// The report's records as structs, made from report.def.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "observe/steps.hpp"

namespace collio::observe::report {

using Text = std::string;
using Count = std::int64_t;
using Bytes = std::int64_t;
using Seconds = double;
using Number = double;
using Flag = bool;
using Texts = std::vector<std::string>;
using Counts = std::vector<std::int64_t>;
using Table = std::map<std::string, std::string>;
using Flows = std::vector<std::array<std::int64_t, 3>>;
template <class T>
using List = std::vector<T>;
template <class T>
using Maybe = std::optional<T>;
/// Present also where there is none: as null.
struct NameOrNull {
  std::optional<std::string> name;
};

#define COLLIO_RECORD(Name, meaning) struct Name {
#define COLLIO_FIELD(Type, key, meaning) Type key{};
#define COLLIO_PART(Name, member) Name member;
#define COLLIO_END \
  }                \
  ;
#include "observe/report.def"

/// visit(key, value) for each field of a record, those of its parts among them, in the order of the report.
template <class Visit>
void each_field(const Counters& c, Visit&& visit) {
#define COLLIO_COUNTER(member, key, Type, fold, meaning) visit(key, c.member);
#include "observe/report.def"
}
#define COLLIO_RECORD(Name, meaning) \
  template <class Visit>             \
  void each_field(const Name& record, Visit&& visit) {
#define COLLIO_FIELD(Type, key, meaning) visit(#key, record.key);
#define COLLIO_PART(Name, member) each_field(record.member, visit);
#define COLLIO_END }
#include "observe/report.def"

/// visit(value, other value) for each field of two records, their parts left out.
#define COLLIO_RECORD(Name, meaning) \
  template <class Visit>             \
  void each_pair(Name& into, const Name& more, Visit&& visit) {
#define COLLIO_FIELD(Type, key, meaning) visit(into.key, more.key);
#define COLLIO_END }
#include "observe/report.def"

template <class T>
inline constexpr bool is_record = false;
#define COLLIO_RECORD(Name, meaning) \
  template <>                        \
  inline constexpr bool is_record<Name> = true;
#include "observe/report.def"

/// The spread of each step.
inline constexpr std::array<Spread CallSeconds::*, step_count> step_spreads{
#define COLLIO_STEP(key, meaning) &CallSeconds::key,
#include "observe/report.def"
};

}  // namespace collio::observe::report
