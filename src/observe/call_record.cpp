// See call_record.hpp.
#include "observe/call_record.hpp"

namespace collio::observe {

void CallLog::add(const CallRecord& record) {
  const bool full = records_.size() >= most_records;
  if (records_.empty() || !(full || records_.back().similar(record))) {
    records_.push_back(record);
    return;
  }
  CallRecord& last = records_.back();
  if (!last.similar(record)) last.reason = "various: more calls than the report holds";
  ++last.repeats;
  last.total_s += record.total_s;
  last.span_bytes += record.span_bytes;
  last.steps.add(record.steps);
  last.counters.add(record.counters);
}

}  // namespace collio::observe
