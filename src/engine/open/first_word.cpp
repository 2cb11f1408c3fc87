// See first_word.hpp.
#include "engine/open/first_word.hpp"

#include <array>
#include <utility>

#include "transport/waiting/collectives.hpp"

namespace collio::engine {

namespace {

void append_pairs(std::string& text, const std::map<std::string, std::string>& pairs) {
  text += std::to_string(pairs.size()) + '\0';
  for (const auto& [key, value] : pairs) text += key + '\0' + value + '\0';
}

/// The pairs that append_pairs() wrote at `at`, which moves behind them.
std::map<std::string, std::string> take_pairs(const std::string& text, std::size_t& at) {
  const auto next = [&] {
    const std::string word = text.c_str() + at;
    at += word.size() + 1;
    return word;
  };
  std::map<std::string, std::string> pairs;
  for (int left = std::stoi(next()); left > 0; --left) {
    std::string key = next();
    pairs[std::move(key)] = next();
  }
  return pairs;
}

std::map<std::string, std::string> words_of(const machine::Layout& layout) {
  return {{"source", layout.source},
          {"unit", std::to_string(layout.unit_bytes)},
          {"count", std::to_string(layout.count)}};
}

/// What decisions need. The targets' numbers stay with rank 0, which reports them.
void set_layout(machine::Layout& layout, std::map<std::string, std::string> words) {
  layout.source = words["source"];
  layout.unit_bytes = std::stoll(words["unit"]);
  layout.count = std::stoi(words["count"]);
}

std::array<double, 8> numbers_of(const machine::StorageModel& m) {
  return {static_cast<double>(m.block_bytes),
          static_cast<double>(m.window_bytes),
          static_cast<double>(m.node_buffer_bytes),
          static_cast<double>(m.aggregators_per_core),
          m.operation_s,
          m.bandwidth_bytes_per_s,
          m.in_memory ? 1.0 : 0.0,
          m.unknown ? 1.0 : 0.0};
}

void set_numbers(machine::StorageModel& m, const std::array<double, 8>& numbers) {
  m.block_bytes = static_cast<std::int64_t>(numbers[0]);
  m.window_bytes = static_cast<std::int64_t>(numbers[1]);
  m.node_buffer_bytes = static_cast<std::int64_t>(numbers[2]);
  m.aggregators_per_core = static_cast<int>(numbers[3]);
  m.operation_s = numbers[4];
  m.bandwidth_bytes_per_s = numbers[5];
  m.in_memory = numbers[6] != 0;
  m.unknown = numbers[7] != 0;
}

}  // namespace

FirstWord share(MPI_Comm comm, FirstWord word, const CrewId& crew, bool& same_crew) {
  struct {
    std::array<double, 8> storage;
    NetworkKey network;
    Ticket ticket;
  } numbers{numbers_of(word.storage), word.network, word.ticket};
  std::string text(reinterpret_cast<const char*>(&numbers), sizeof numbers);
  append_pairs(text, word.hints);
  append_pairs(text, word.settings);
  append_pairs(text, word.found);
  append_pairs(text, words_of(word.storage.layout));
  same_crew = transport::broadcast_text_and_compare(text, crew, comm) && crew != CrewId{};
  text.copy(reinterpret_cast<char*>(&numbers), sizeof numbers);
  set_numbers(word.storage, numbers.storage);
  word.network = numbers.network;
  word.ticket = numbers.ticket;
  std::size_t at = sizeof numbers;
  word.hints = take_pairs(text, at);
  word.settings = take_pairs(text, at);
  word.found = take_pairs(text, at);
  set_layout(word.storage.layout, take_pairs(text, at));
  return word;
}

}  // namespace collio::engine
