// How a drill is written, and what its outcome is called. See drill.hpp.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "drill_library.hpp"

namespace collio::test {

namespace {

struct Field {
  const char* name;
  std::int64_t Found::*value;
};
constexpr Field fields[] = {
    {"opened", &Found::opened},           {"taken_over", &Found::taken_over},
    {"class", &Found::error_class},       {"counted", &Found::counted},
    {"untrue", &Found::untrue},           {"foreign", &Found::foreign},
    {"handled", &Found::handled},         {"named", &Found::named},
    {"again_class", &Found::again_class}, {"again_wrong", &Found::again_wrong},
    {"closed", &Found::closed},           {"milliseconds", &Found::milliseconds},
};

bool set_key(Drill& d, const std::string& key, const std::string& value) {
  const auto flag = [&](bool& out, const char* yes, const char* no) {
    return out = value == yes, value == yes || value == no;
  };
  if (key == "name") return d.name = value, true;
  if (key == "file") return d.file = value, true;
  if (key == "direction") return flag(d.write, "write", "read");
  if (key == "form")
    return d.form = value,
           value == "blocking" || value == "nonblocking" || value == "split" || LibraryFile::makes(value);
  if (key == "layout") return flag(d.holes, "holes", "dense");
  if (key == "fresh") return flag(d.fresh, "1", "0");
  if (key == "bytes") return d.bytes = std::stoll(value), d.bytes > 0;
  if (key == "faults") return d.faults = value, true;
  if (key == "limited_rank") return d.limited_rank = std::stoi(value), true;
  if (key == "limit_bytes") return d.limit_bytes = std::stoll(value), true;
  if (key == "before") return d.before = value, true;
  if (key == "after") return d.after = value, true;
  if (key == "again") return flag(d.again, "1", "0");
  if (key == "look_at") return d.look_at = value, true;
  if (key == "look_in") return d.look_in = value, true;
  if (key == "names") return d.names = value, true;
  return d.hints[key] = value, true;
}

/// Ranks for which `has` holds, as "0,2".
template <class Has>
std::string list_of(const std::vector<Found>& ranks, Has&& has) {
  std::string list;
  for (std::size_t r = 0; r < ranks.size(); ++r)
    if (has(ranks[r])) list += (list.empty() ? "" : ",") + std::to_string(r);
  return list;
}

std::int64_t sum_of(const std::vector<Found>& ranks, std::int64_t Found::*value) {
  std::int64_t sum = 0;
  for (const Found& one : ranks) sum += one.*value;
  return sum;
}

/// The outcome of one function on all ranks.
std::string agreed(const std::vector<Found>& ranks, std::int64_t Found::*value) {
  const std::int64_t first = ranks[0].*value;
  const auto same = [&](const Found& one) { return one.*value == first; };
  if (std::ranges::all_of(ranks, same)) return class_name(first) + (first == MPI_SUCCESS ? "" : " on all");
  const auto failed = [&](const Found& one) { return one.*value != MPI_SUCCESS; };
  const auto worst = std::ranges::find_if(ranks, failed);
  if (std::ranges::all_of(ranks, failed)) return "different errors";
  return class_name((*worst).*value) + " on ranks " + list_of(ranks, failed) + " only";
}

}  // namespace

std::string class_name(std::int64_t error_class) {
  const std::pair<int, const char*> names[] = {{MPI_SUCCESS, "success"},
                                               {MPI_ERR_NO_SPACE, "NO_SPACE"},
                                               {MPI_ERR_QUOTA, "QUOTA"},
                                               {MPI_ERR_IO, "IO"},
                                               {MPI_ERR_ACCESS, "ACCESS"},
                                               {MPI_ERR_READ_ONLY, "READ_ONLY"},
                                               {MPI_ERR_NO_SUCH_FILE, "NO_SUCH_FILE"},
                                               {MPI_ERR_BAD_FILE, "BAD_FILE"},
                                               {MPI_ERR_FILE_IN_USE, "FILE_IN_USE"},
                                               {MPI_ERR_NO_MEM, "NO_MEM"},
                                               {MPI_ERR_OTHER, "OTHER"},
                                               {MPI_ERR_FILE, "FILE"},
                                               {MPI_ERR_ARG, "ARG"},
                                               {MPI_ERR_UNKNOWN, "UNKNOWN"},
                                               {MPI_ERR_INTERN, "INTERN"}};
  for (const auto& [number, name] : names)
    if (number == error_class) return name;
  return "class " + std::to_string(error_class);
}

Drill parse_drill(const std::string& text) {
  Drill drill;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(';', at), text.size()), equals = text.find('=', at);
    if (equals >= end) throw std::invalid_argument(text.substr(at, end - at));
    if (!set_key(drill, text.substr(at, equals - at), text.substr(equals + 1, end - equals - 1)))
      throw std::invalid_argument(text.substr(at, end - at));
    at = end + 1;
  }
  return drill;
}

std::string Outcome::verdict() const {
  const std::string open = agreed(ranks, &Found::opened);
  if (open != "success") return "open: " + open;
  std::string text = agreed(ranks, &Found::error_class);
  const std::int64_t untrue = sum_of(ranks, &Found::untrue), foreign = sum_of(ranks, &Found::foreign);
  if (untrue > 0)
    text +=
        ", " + std::to_string(untrue) + (text == "success" ? " bytes missing" : " bytes counted but missing");
  if (foreign > 0) text += ", " + std::to_string(foreign) + " bytes damaged";
  const std::string again = agreed(ranks, &Found::again_class);
  const std::int64_t wrong = sum_of(ranks, &Found::again_wrong);
  if (again != "success")
    text += "; second try: " + again;
  else if (wrong > 0)
    text += "; second try: " + std::to_string(wrong) + " bytes wrong";
  const std::string closed = agreed(ranks, &Found::closed);
  return closed == "success" ? text : text + "; close: " + closed;
}

bool Outcome::honest() const {
  const auto alike = [this](const Found& one) {
    const bool failed = one.error_class != MPI_SUCCESS;
    return one.opened == ranks[0].opened && one.error_class == ranks[0].error_class && one.untrue == 0 &&
           one.foreign == 0 && one.handled == (failed ? 1 : 0) && one.again_class == MPI_SUCCESS &&
           one.again_wrong == 0 && one.closed == MPI_SUCCESS;
  };
  return std::ranges::all_of(ranks, alike);
}

std::string Outcome::json(const Drill& drill) const {
  using Json = nlohmann::ordered_json;
  Json j{{"name", drill.name}, {"verdict", verdict()}, {"honest", honest()}, {"message", message}};
  for (const Field& field : fields) {
    Json& values = j[field.name] = Json::array();
    for (const Found& one : ranks) values.push_back(one.*field.value);
  }
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace collio::test
