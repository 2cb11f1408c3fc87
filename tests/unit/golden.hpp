// Reads golden data: lines of words. A line whose first word is `opens` begins a record; '#' begins a
// comment.
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/matrix.hpp"

namespace collio::test {

/// One machine or example: the words of its lines, by their first word.
struct GoldenRecord {
  std::string name;
  std::map<std::string, std::vector<std::vector<std::string>>> lines;

  [[nodiscard]] bool has(const std::string& key) const { return lines.count(key) > 0; }
  [[nodiscard]] std::size_t count(const std::string& key) const {
    return has(key) ? lines.at(key).size() : 0;
  }
  /// The numbers of the index-th line with a key, from its `skip`-th word on.
  template <class T>
  [[nodiscard]] std::vector<T> numbers(const std::string& key, std::size_t index = 0,
                                       std::size_t skip = 0) const {
    const std::vector<std::string>& words = lines.at(key).at(index);
    std::vector<T> values;
    for (std::size_t i = skip; i < words.size(); ++i) {
      T value{};
      if (!(std::istringstream(words[i]) >> value))
        throw std::runtime_error(name + ": " + key + ": no number: " + words[i]);
      values.push_back(value);
    }
    return values;
  }
  template <class T>
  [[nodiscard]] T number(const std::string& key, std::size_t place = 0) const {
    return numbers<T>(key).at(place);
  }
  /// All lines with a key as a matrix.
  template <class T>
  [[nodiscard]] core::Matrix<T> matrix(const std::string& key) const {
    core::Matrix<T> values({static_cast<int>(count(key)), static_cast<int>(numbers<T>(key).size())});
    for (int r = 0; r < values.rows(); ++r) {
      const std::vector<T> row = numbers<T>(key, static_cast<std::size_t>(r));
      for (int c = 0; c < values.columns(); ++c) values(r, c) = row.at(static_cast<std::size_t>(c));
    }
    return values;
  }
};

/// The records of a file of tests/golden.
inline std::vector<GoldenRecord> read_golden(const std::string& file, const std::string& opens) {
  std::ifstream in(std::string(COLLIO_GOLDEN_DATA) + "/" + file);
  if (!in) throw std::runtime_error("no golden data: " + file);
  std::vector<GoldenRecord> records;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string key;
    if (!(words >> key) || key[0] == '#') continue;
    if (key == opens) {
      words >> records.emplace_back().name;
      continue;
    }
    std::vector<std::string>& rest = records.at(records.size() - 1).lines[key].emplace_back();
    for (std::string word; words >> word;) rest.push_back(word);
  }
  return records;
}

}  // namespace collio::test
