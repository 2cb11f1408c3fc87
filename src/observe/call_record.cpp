// See call_record.hpp.
#include "observe/call_record.hpp"

#include <algorithm>

#include "core/content_hash.hpp"

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

/// The record that this call adds to; null: it begins one.
CallRecord* CallLog::record_for(const CallRecord& record) {
  if (records_.empty()) return nullptr;
  if (records_.back().similar(record)) return &records_.back();
  if (records_.size() < most_in_order) return nullptr;
  const auto last = [this](const auto& fits) {
    const auto found = std::find_if(records_.rbegin(), records_.rend(), fits);
    return found == records_.rend() ? nullptr : &*found;
  };
  if (CallRecord* same = last([&](const CallRecord& one) { return one.similar(record); })) return same;
  if (records_.size() < most_records) return nullptr;
  CallRecord* into = last([&](const CallRecord& one) {
    return one.operation == record.operation && one.path == record.path && one.error == record.error;
  });
  if (into) into->reason = "various: more calls than the report holds";
  return into;
}

std::size_t CallLog::add(const CallRecord& record, const std::function<std::string()>& reason) {
  const std::lock_guard lock(mutex_);
  CallRecord* into = record_for(record);
  if (!into) {
    records_.push_back(record);
    records_.back().reason = reason();
    return records_.size() - 1;
  }
  into->repeats += record.repeats;
  add_counts(into->counts, record.counts);
  into->estimate_s += record.estimate_s;
  into->forecast_s += record.forecast_s;
  into->longest_s += record.longest_s;
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

std::vector<std::uint64_t> CallLog::keys() const {
  std::vector<std::uint64_t> keys;
  keys.reserve(records_.size());
  for (const CallRecord& r : records_) {
    std::uint64_t key = r.reason_key;
    for (const std::uint64_t more :
         {core::text_hash(r.operation), core::text_hash(r.path), core::text_hash(r.error),
          static_cast<std::uint64_t>(r.aggregators), static_cast<std::uint64_t>(r.rounds)})
      key = (key ^ more) * 0x9E3779B97F4A7C15U;
    while (std::ranges::find(keys, key) != keys.end()) ++key;  // of similar calls, that are not in a row
    keys.push_back(key);
  }
  return keys;
}

void CallLog::note(std::size_t index, const ProgramTime& time) {
  const std::lock_guard lock(mutex_);
  CallRecord& record = records_[index];
  record.post_s += time.post_s;
  record.waited_s += time.waited_s;
  record.hidden_s += time.hidden_s;
}

}  // namespace collio::observe
