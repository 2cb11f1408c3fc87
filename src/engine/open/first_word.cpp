// See first_word.hpp.
#include "engine/open/first_word.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>

#include "transport/waiting/collectives.hpp"

namespace collio::engine {

namespace {

// Every word has its length before it: a file system's words may hold any byte.
void append_count(std::string& text, std::size_t count) {
  text.append(reinterpret_cast<const char*>(&count), sizeof count);
}

void append_word(std::string& text, const std::string& word) {
  append_count(text, word.size());
  text += word;
}

void append_pairs(std::string& text, const std::map<std::string, std::string>& pairs) {
  append_count(text, pairs.size());
  for (const auto& [key, value] : pairs) append_word(text, key), append_word(text, value);
}

/// What was appended at `at`, which moves behind it.
std::size_t take_count(const std::string& text, std::size_t& at) {
  std::size_t count = 0;
  text.copy(reinterpret_cast<char*>(&count), sizeof count, at);
  at += sizeof count;
  return count;
}

std::string take_word(const std::string& text, std::size_t& at) {
  const std::size_t length = take_count(text, at);
  return text.substr(std::exchange(at, at + length), length);
}

std::map<std::string, std::string> take_pairs(const std::string& text, std::size_t& at) {
  std::map<std::string, std::string> pairs;
  for (std::size_t left = take_count(text, at); left > 0; --left) {
    std::string key = take_word(text, at);
    pairs[std::move(key)] = take_word(text, at);
  }
  return pairs;
}

constexpr auto number_count =
    std::tuple_size_v<decltype(machine::numbers_of(std::declval<machine::StorageModel&>()))>;
using Numbers = std::array<double, number_count>;  // whole ones are exact up to 2^53

/// The numbers of the layout's targets stay with rank 0, which reports them.
Numbers packed(const machine::StorageModel& model) {
  return std::apply([](auto... number) { return Numbers{static_cast<double>(number)...}; },
                    machine::numbers_of(model));
}

void unpack(machine::StorageModel& model, const Numbers& numbers) {
  const double* from = numbers.data();
  std::apply([&]<class... T>(T&... number) { ((number = static_cast<T>(*from++)), ...); },
             machine::numbers_of(model));
}

struct Head {
  Numbers storage;
  NetworkKey network;
  Ticket ticket;
  std::uint64_t memory_token;
  std::uint64_t writer_mark;
};

constexpr std::size_t crew_words = sizeof(CrewId) / sizeof(std::int32_t);
/// In front of the text: a crew's number, the complement of it, and the text's length.
constexpr std::size_t head_words = 2 * crew_words + 1;
constexpr std::size_t text_bytes = (OpenWord::words - head_words) * sizeof(std::int32_t);

}  // namespace

std::string text_of(const FirstWord& word) {
  const Head head{packed(word.storage), word.network, word.ticket, word.memory_token, word.writer_mark};
  std::string text(reinterpret_cast<const char*>(&head), sizeof head);
  append_pairs(text, word.hints);
  append_pairs(text, word.settings);
  append_pairs(text, word.found);
  append_word(text, word.storage.layout.source);
  return text;
}

FirstWord word_from(const std::string& text, FirstWord word) {
  Head head{};
  text.copy(reinterpret_cast<char*>(&head), sizeof head);
  unpack(word.storage, head.storage);
  word.network = head.network;
  word.ticket = head.ticket;
  word.memory_token = head.memory_token;
  word.writer_mark = static_cast<std::uint32_t>(head.writer_mark);
  std::size_t at = sizeof head;
  word.hints = take_pairs(text, at);
  word.settings = take_pairs(text, at);
  word.found = take_pairs(text, at);
  word.storage.layout.source = take_word(text, at);
  return word;
}

FirstWord share(MPI_Comm comm, FirstWord word) {
  std::string text = text_of(word);
  transport::broadcast_text(text, 0, comm);
  return word_from(text, std::move(word));
}

OpenWord::Words OpenWord::none(const CrewId& crew) {
  Words all;
  all.fill(std::numeric_limits<std::int32_t>::max());
  std::memcpy(all.data(), crew.data(), sizeof crew);
  for (std::size_t i = 0; i < crew_words; ++i) all[crew_words + i] = ~all[i];
  return all;
}

OpenWord::Words OpenWord::of(const CrewId& crew, const std::string& text) {
  Words all = none(crew);
  all[head_words - 1] = static_cast<std::int32_t>(text.size());
  std::memcpy(all.data() + head_words, text.data(), std::min(text.size(), text_bytes));
  return all;
}

OpenWord::OpenWord(const Words& least, std::string own, MPI_Comm comm) : text(std::move(own)) {
  const auto length = static_cast<std::size_t>(least[head_words - 1]);
  text.resize(length);
  std::memcpy(text.data(), least.data() + head_words, std::min(length, text_bytes));
  if (length > text_bytes)
    transport::broadcast(text.data() + text_bytes, static_cast<int>(length - text_bytes), MPI_BYTE, 0, comm);
  CrewId crew{};
  std::memcpy(crew.data(), least.data(), sizeof crew);
  same_crew = crew != CrewId{};
  for (std::size_t i = 0; i < crew_words; ++i) same_crew = same_crew && least[i] == ~least[crew_words + i];
}

}  // namespace collio::engine
