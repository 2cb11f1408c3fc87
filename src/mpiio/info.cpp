// See info.hpp.
#include "mpiio/info.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

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

Pairs environment_hints() {
  Pairs pairs;
  if (const char* text = std::getenv("COLLIO_HINTS")) {
    std::vector<std::string> warnings;
    pairs = policy::split_hints(text, warnings);
    for (const std::string& w : warnings) std::fprintf(stderr, "collio: %s\n", w.c_str());
  }
  if (const char* patience = std::getenv("COLLIO_PATIENCE")) pairs["collio_patience"] = patience;
  if (const char* check = std::getenv("COLLIO_CHECK"))
    pairs["collio_check"] = std::strcmp(check, "1") == 0 ? "enable" : std::strcmp(check, "0") == 0 ? "disable" : check;
  if (const char* faults = std::getenv("COLLIO_FAULTS"); faults && *faults) pairs.emplace("collio_faults", faults);
  const char* enable = std::getenv("COLLIO_ENABLE");
  if (enable && std::strcmp(enable, "0") == 0) pairs["collio_enable"] = "disable";
  return pairs;
}

MPI_Info merged_info(MPI_Info info, const Pairs& environment) {
  MPI_Info merged = MPI_INFO_NULL;
  if (info == MPI_INFO_NULL)
    MPI_Info_create(&merged);
  else
    MPI_Info_dup(info, &merged);
  for (const auto& [key, value] : environment)
    if (!key.starts_with("collio_") && !value.empty()) MPI_Info_set(merged, key.c_str(), value.c_str());
  for (const std::string& key : policy::parse_hints(pairs_of(merged)).refused) MPI_Info_delete(merged, key.c_str());
  return merged;
}

void put_in_force(const engine::File& file, MPI_Info info) {
  for (const auto& [key, value] : file.hints.in_force)
    if (value != "auto" || key.starts_with("collio_")) MPI_Info_set(info, key.c_str(), value.c_str());
  MPI_Info_set(info, "cb_nodes", std::to_string(file.most_domains()).c_str());
}

}  // namespace collio::mpiio
