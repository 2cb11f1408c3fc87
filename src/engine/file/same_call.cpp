// See same_call.hpp.
#include "engine/file/same_call.hpp"

#include <sys/stat.h>

#include <functional>

#include "engine/file/storage_use.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::engine {

namespace {

/// `text` of the lowest rank that has one. Collective; some rank has.
std::string first_text(const Ranks& ranks, bool has, std::string text) {
  return weightiest_text(ranks.comm, has ? ranks.file.size - ranks.file.rank : 0, std::move(text));
}

}  // namespace

core::Error check_same_call(const Ranks& ranks, const std::string& operation) {
  File& file = ranks.file;
  if (core::Error late = hear_of_unmet(ranks, operation); !late.ok()) return file.unmet.owed = late;
  if (file.settings.hints.check == policy::Check::none || file.size == 1) return {};
  return ranks.agreement.worst({}, "");
}

core::Error check_same_data_call(const Ranks& ranks, const std::string& operation) {
  core::Error error = check_same_call(ranks, operation);
  ranks.file.unmet.owed = {};
  return error;
}

core::Error check_open(const Ranks& ranks, const std::map<std::string, std::string>& mine,
                       const std::map<std::string, std::string>& common) {
  const File& file = ranks.file;
  if (file.settings.hints.check == policy::Check::none) return {};
  core::Error error;
  const auto given = [](const auto& hints, std::string_view key) {
    const auto found = hints.find(std::string(key));
    return found == hints.end() ? std::string("nothing") : found->second;
  };
  for (const policy::HintRow& row : policy::hint_table())
    if (const std::string own = given(mine, row.key), first = given(common, row.key);
        error.ok() && own != first)
      error = {core::ErrorClass::not_same, "rank " + std::to_string(file.rank) + " gives the hint " +
                                               std::string(row.key) + " as " + own + ", rank 0 as " + first};
  // Nodes may know a file system by different numbers; its files have the same ones everywhere.
  struct stat about {};
  std::int64_t file_number =
                   ::stat(file.path.c_str(), &about) == 0 ? static_cast<std::int64_t>(about.st_ino) : 0,
               first = file_number;
  transport::broadcast(&first, 1, MPI_INT64_T, 0, ranks.comm);
  if (file_number != first)
    core::keep_worst(error,
                     {core::ErrorClass::not_same,
                      "rank " + std::to_string(file.rank) + " opens another file than rank 0: " + file.path});
  const core::Error worst = ranks.agreement.worst(error, "");
  if (worst.ok()) return {};
  return {worst.kind, first_text(ranks, !error.ok(), error.message)};
}

}  // namespace collio::engine
