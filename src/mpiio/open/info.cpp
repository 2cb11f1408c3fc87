// See info.hpp.
#include "mpiio/open/info.hpp"

#include "policy/hints/automatic_hints.hpp"
#include "policy/hints/hints.hpp"

namespace collio::mpiio {

Pairs pairs_of(MPI_Info info) {
  Pairs pairs;
  if (info == MPI_INFO_NULL) return pairs;
  int n = 0;
  MPI_Info_get_nkeys(info, &n);
  for (int i = 0; i < n; ++i) {
    char key[MPI_MAX_INFO_KEY + 1] = "";
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int flag = 0;
    MPI_Info_get_nthkey(info, i, key);
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &flag);
    if (flag) pairs[key] = value;
  }
  return pairs;
}

namespace {

bool fits(const std::string& key, const std::string& value) {
  return key.size() < MPI_MAX_INFO_KEY && value.size() < MPI_MAX_INFO_VAL;
}

/// A pair that is too long for MPI would end the job, and with Open MPI an empty value too.
void set_if_it_fits(MPI_Info info, const std::string& key, const std::string& value) {
  if (!value.empty() && fits(key, value)) MPI_Info_set(info, key.c_str(), value.c_str());
}

}  // namespace

MPI_Info merged_info(MPI_Info info, engine::EnvironmentHints& environment) {
  MPI_Info merged = MPI_INFO_NULL;
  if (info == MPI_INFO_NULL)
    MPI_Info_create(&merged);
  else
    MPI_Info_dup(info, &merged);
  const Pairs given = pairs_of(merged);
  // Other automatic values are the library's own, and it knows what to make of them.
  if (given.contains("cb_nodes") && !policy::chosen_hints(given).contains("cb_nodes"))
    MPI_Info_delete(merged, "cb_nodes");
  if (const std::string mark(policy::automatic_key); given.contains(mark))
    MPI_Info_delete(merged, mark.c_str());
  for (const auto& [key, value] : environment.pairs) {
    if (key.starts_with("collio_") || value.empty()) continue;
    if (!fits(key, value))
      environment.warnings.push_back(
          "hint " + key + " is not passed on to the MPI library: it has " + std::to_string(key.size()) +
          " and " + std::to_string(value.size()) + " characters, allowed are fewer than " +
          std::to_string(MPI_MAX_INFO_KEY) + " and " + std::to_string(MPI_MAX_INFO_VAL));
    set_if_it_fits(merged, key, value);
  }
  const Pairs all = pairs_of(merged);
  if (all.empty()) return merged;
  for (const std::string& key : policy::parse_hints(all).refused) MPI_Info_delete(merged, key.c_str());
  return merged;
}

void put_in_force(const engine::File& file, MPI_Info info) {
  Pairs answer = pairs_of(info);
  const Pairs environment = engine::environment_hints(file.path).pairs;
  Pairs automatic;
  for (const auto& [key, value] : file.records.in_force) {
    if (value != "auto" || key.starts_with("collio_")) answer[key] = value;
    if (key == "cb_nodes") answer[key] = std::to_string(file.most_domains());
    const auto set = environment.find(key);
    const bool by_environment =
        (set != environment.end() && set->second == value) || file.settings.of_others.contains(key);
    if (answer.contains(key) && (by_environment || (value == "auto" && !key.starts_with("collio_"))))
      automatic[key] = answer[key];
  }
  answer[std::string(policy::automatic_key)] = policy::automatic_text(automatic, MPI_MAX_INFO_VAL - 1);
  for (const auto& [key, value] : answer) set_if_it_fits(info, key, value);
}

}  // namespace collio::mpiio
