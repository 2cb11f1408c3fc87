// See call_record.hpp.
#include "observe/call_record.hpp"

#include <algorithm>

namespace collio::observe {

std::string_view name_of(Form form) noexcept {
  switch (form) {
    case Form::blocking:
      return "blocking";
    case Form::nonblocking:
      return "nonblocking";
    case Form::split:
      return "split";
  }
  return "?";
}

std::string_view name_of(Progress progress) noexcept {
  switch (progress) {
    case Progress::program:
      return "program";
    case Progress::thread:
      return "thread";
    case Progress::fiber:
      return "fiber";
  }
  return "?";
}

std::size_t CallLog::add(const CallRecord& record, const std::function<std::string()>& reason) {
  const std::lock_guard lock(mutex_);
  CallRecord* into = nullptr;
  if (!records_.empty() && records_.back().similar(record)) {
    into = &records_.back();
  } else if (records_.size() >= most_records) {
    const auto same =
        std::ranges::find(records_.rbegin(), records_.rend(), record.operation, &CallRecord::operation);
    into = same == records_.rend() ? &records_.back() : &*same;
    into->reason = "various: more calls than the report holds";
  }
  if (!into) {
    records_.push_back(record);
    records_.back().reason = reason();
    return records_.size() - 1;
  }
  ++into->repeats;
  into->remembered += record.remembered;
  into->met_once += record.met_once;
  into->total_s += record.total_s;
  into->span_bytes += record.span_bytes;
  into->all_bytes += record.all_bytes;
  into->all_pieces += record.all_pieces;
  into->steps.add(record.steps);
  into->counters.add(record.counters);
  return static_cast<std::size_t>(into - records_.data());
}

std::vector<CallRecord> CallLog::snapshot() const {
  const std::lock_guard lock(mutex_);
  return records_;
}

void CallLog::note(std::size_t index, const ProgramTime& time) {
  const std::lock_guard lock(mutex_);
  CallRecord& record = records_[index];
  record.post_s += time.post_s;
  record.waited_s += time.waited_s;
  record.hidden_s += time.hidden_s;
}

}  // namespace collio::observe
