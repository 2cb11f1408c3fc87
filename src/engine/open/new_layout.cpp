// See new_layout.hpp.
#include "engine/open/new_layout.hpp"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "engine/open/choose_stripes.hpp"
#include "engine/open/job_here.hpp"
#include "policy/domains/by_layout.hpp"
#include "storage/layouts/layouts.hpp"

namespace collio::engine {

namespace {

void note(NewLayout& layout, const storage::LayoutOutcome& outcome) {
  if (!outcome.set && outcome.why_not.empty()) return;  // the file was there, or no layout can be set there
  layout.outcome.clear();
  if (layout.wish.unit_bytes > 0)
    layout.outcome = "striping_unit=" + std::to_string(layout.wish.unit_bytes) + " ";
  std::string numbers;
  for (const int target : layout.wish.targets)
    numbers += (numbers.empty() ? "" : ",") + std::to_string(target);
  if (!numbers.empty())
    layout.outcome += "targets " + numbers + " ";
  else if (layout.wish.count > 0)
    layout.outcome += "striping_factor=" + std::to_string(layout.wish.count) + " ";
  layout.outcome += outcome.set ? "set at creation" : "not set: " + outcome.why_not;
}

bool is_absent(const std::string& path) { return ::access(path.c_str(), F_OK) != 0 && errno == ENOENT; }

void take_probed(NewLayout& layout, const std::string& path) {
  StripeChoice choice = choose_stripes(path, layout.wish);
  layout.wish = std::move(choice.wish);
  layout.probe = std::move(choice.said);
  if (!choice.why_not.empty()) layout.outcome = "targets not chosen: " + choice.why_not;
}

}  // namespace

NewLayout lay_out_new_file(const std::string& path, const std::map<std::string, std::string>& given,
                           bool exclusive) {
  const policy::Hints hints = policy::parse_hints(given);
  NewLayout layout;
  if (!hints.enabled || !hints.layout) return layout;
  const bool folder = !hints.striping_by_job || storage::folder_has_layout(path);
  layout.wish = policy::wish_for(hints, nodes_of_job(), folder);
  if (hints.probes && hints.subfiles == 0 && is_absent(path)) take_probed(layout, path);
  layout.after_open = exclusive && layout.wish.any();
  if (!layout.wish.any() || exclusive) return layout;
  const storage::LayoutOutcome outcome = storage::create_with_layout(path, layout.wish);
  layout.path = path;
  layout.made = outcome.made;
  note(layout, outcome);
  return layout;
}

void undo_layout(NewLayout& layout) noexcept {
  storage::remove_made(layout.path, std::exchange(layout.made, {}));
}

void finish_layout(NewLayout& layout, const std::string& path) {
  if (layout.after_open) note(layout, storage::lay_out_empty_file(path, layout.wish));
  layout.after_open = false;
}

}  // namespace collio::engine
