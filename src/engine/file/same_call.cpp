// See same_call.hpp.
#include "engine/file/same_call.hpp"

#include <sys/stat.h>

#include <functional>

#include "engine/file/storage_use.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::engine {

namespace {

/// `text` of the lowest rank that has one. Collective; some rank has.
std::string first_text(const File& file, bool has, std::string text) {
  return weightiest_text(file.comm, has ? file.size - file.rank : 0, std::move(text));
}

}  // namespace

std::int64_t fingerprint_of(const File& file, const std::string& operation, policy::Direction direction) {
  if (file.hints.check == policy::Check::none) return direction == policy::Direction::write ? 1 : 2;
  return static_cast<std::int64_t>(std::hash<std::string>{}(operation) >> 2);
}

core::Error different_calls(const File& file, const std::string& operation, std::int64_t fingerprint) {
  std::int64_t ends[] = {fingerprint, -fingerprint};
  transport::reduce_to_all(ends, 2, MPI_INT64_T, MPI_MAX, file.comm);
  const std::string mine = "rank " + std::to_string(file.rank) + " calls " + operation;
  const std::string one = first_text(file, ends[0] == fingerprint, mine);
  const std::string other = first_text(file, -ends[1] == fingerprint, mine);
  return {core::ErrorClass::not_same,
          file.path + ": ranks make different collective calls: " + one + ", " + other};
}

core::Error check_same_call(File& file, const std::string& operation) {
  if (core::Error late = hear_of_unmet(file, operation); !late.ok()) return file.unmet.untold = late;
  if (file.hints.check == policy::Check::none || file.size == 1) return {};
  policy::Digest digest;
  const std::int64_t fingerprint = fingerprint_of(file, operation, policy::Direction::write);
  digest.set_call(fingerprint);
  transport::Outcome none_ahead;
  file.agreement->digest(digest, none_ahead);
  return digest.same_call() ? core::Error{} : different_calls(file, operation, fingerprint);
}

core::Error check_open(const File& file, const std::map<std::string, std::string>& mine,
                       const std::map<std::string, std::string>& common) {
  if (file.hints.check == policy::Check::none) return {};
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
  transport::broadcast(&first, 1, MPI_INT64_T, 0, file.comm);
  if (file_number != first)
    core::keep_worst(error,
                     {core::ErrorClass::not_same,
                      "rank " + std::to_string(file.rank) + " opens another file than rank 0: " + file.path});
  const core::Error worst = file.agreement->worst(error, "");
  if (worst.ok()) return {};
  return {worst.kind, first_text(file, !error.ok(), error.message)};
}

}  // namespace collio::engine
