// See call_record.hpp.
#include "observe/call_record.hpp"

#include <algorithm>

namespace collio::observe {

void CallLog::add(const CallRecord& record) {
  CallRecord* into = nullptr;
  if (!records_.empty() && records_.back().similar(record)) {
    into = &records_.back();
  } else if (records_.size() >= most_records) {
    const auto same = std::ranges::find(records_.rbegin(), records_.rend(), record.operation, &CallRecord::operation);
    into = same == records_.rend() ? &records_.back() : &*same;
    into->reason = "various: more calls than the report holds";
  }
  if (!into) {
    records_.push_back(record);
    return;
  }
  ++into->repeats;
  into->remembered += record.remembered;
  into->total_s += record.total_s;
  into->span_bytes += record.span_bytes;
  into->steps.add(record.steps);
  into->counters.add(record.counters);
}

}  // namespace collio::observe
