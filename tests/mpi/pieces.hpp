// Files that ranks write and read in pieces, next to a model that says what every byte of the file must be.
//
// A byte's value follows from its offset and from the write it came with, so pieces of several ranks may
// overlap and the outcome is still one. All ranks know the pieces of all: what a call must leave in the file
// needs no message.
#pragma once

#include <fcntl.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "check.hpp"

namespace collio::test {

struct Piece {
  std::int64_t offset = 0;
  int length = 0;

  [[nodiscard]] std::int64_t end() const { return offset + length; }
};
using Pieces = std::vector<Piece>;  ///< of one rank, ascending
using Deal = std::vector<Pieces>;   ///< of every rank of a communicator

/// Random numbers, the same on all ranks.
class Dice {
 public:
  explicit Dice(unsigned seed) : rng_(seed) {}
  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(rng_);
  }
  bool chance(int one_in) { return pick(1, one_in) == 1; }

 private:
  std::mt19937 rng_;
};

/// How a part of a file is cut into pieces and dealt to ranks.
struct Cut {
  int ranks = 1;
  std::int64_t begin = 0, bytes = 0;
  int unit = 1, longest = 100;  ///< a piece has 1..longest units
  int gap_one_in = 0;           ///< every so many pieces a piece is left out; 0: none
};

/// Pieces of random length, each to a random rank. The first and the last byte belong to somebody.
inline Deal deal_out(Dice& dice, const Cut& cut) {
  Deal deal(static_cast<std::size_t>(cut.ranks));
  const std::int64_t end = cut.begin + cut.bytes;
  for (std::int64_t at = cut.begin; at < end;) {
    const std::int64_t length = std::min<std::int64_t>(cut.unit * dice.pick(1, cut.longest), end - at);
    const bool gap = cut.gap_one_in > 0 && at > cut.begin && at + length < end && dice.chance(cut.gap_one_in);
    if (!gap)
      deal[static_cast<std::size_t>(dice.pick(0, cut.ranks - 1))].push_back({at, static_cast<int>(length)});
    at += length;
  }
  return deal;
}

inline std::int64_t bytes_of(const Pieces& pieces) {
  std::int64_t sum = 0;
  for (const Piece& one : pieces) sum += one.length;
  return sum;
}

using HintList = std::map<std::string, std::string>;

inline MPI_Info make_info(const HintList& hints) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  for (const auto& [key, value] : hints) MPI_Info_set(info, key.c_str(), value.c_str());
  return info;
}

/// Reports of the program's files: how collio did their calls. One for the whole program, made before any
/// file is closed.
class Reports {
 public:
  explicit Reports(Program& program) : path_(program.temporary("report")) {
    setenv("COLLIO_REPORT", path_.c_str(), 1);
  }
  /// The last line about a file, when it is closed. Empty without collio. On the rank that was the file's
  /// first.
  [[nodiscard]] std::string of(const std::string& file) const {
    std::ifstream in(path_);
    std::string last;
    for (std::string line; std::getline(in, line);)
      if (line.starts_with("{\"file\":\"" + file + "\"")) last = line;
    return last;
  }

 private:
  std::string path_;
};

/// Sum of the numbers behind `key` in a report.
inline long long sum_of(const std::string& key, const std::string& text) {
  long long sum = 0;
  for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1))
    sum += std::stoll(text.substr(at + key.size()));
  return sum;
}

/// Memory of a call: one piece, or every byte apart from the next.
enum class Memory { contiguous, scattered };

/// An open file. All members are collective over its communicator.
class PieceFile {
 public:
  /// The file has `old_bytes` bytes at first.
  PieceFile(Program& program, MPI_Comm comm, const std::string& path, const HintList& hints,
            std::int64_t old_bytes = 0)
      : program_(program), comm_(comm), path_(path) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    for (std::int64_t at = 0; at < old_bytes; ++at) model_.push_back(content(at));
    if (rank_ == 0) make_file();
    MPI_Barrier(comm);
    MPI_Info info = make_info(hints);
    program.good(MPI_File_open(comm, path.c_str(), MPI_MODE_RDWR, info, &file_), "MPI_File_open");
    MPI_Info_free(&info);
  }
  PieceFile(const PieceFile&) = delete;

  /// Each rank writes its pieces of the deal: new bytes, in the file and in the model.
  void write(const Deal& deal, Memory memory = Memory::contiguous) {
    ++version_;
    for (const Pieces& pieces : deal)
      for (const Piece& one : pieces) put_in_model(one);
    const Pieces& mine = deal[static_cast<std::size_t>(rank_)];
    std::vector<unsigned char> data = bytes_of_model(mine);
    view(mine);
    Buffer buffer(data, memory);
    MPI_Status status;
    program_.good(MPI_File_write_all(file_, buffer.data(), buffer.count(), buffer.type(), &status),
                  "MPI_File_write_all");
    program_.equal(status_bytes(status), static_cast<long long>(data.size()), "bytes written");
    settle(file_, comm_);
  }

  /// Each rank reads its pieces of the deal: the model's bytes, up to the end of the file.
  void read(const Deal& deal, Memory memory = Memory::contiguous) {
    const Pieces& mine = deal[static_cast<std::size_t>(rank_)];
    const std::vector<unsigned char> expected = bytes_of_model(mine);
    view(mine);
    std::vector<unsigned char> data(static_cast<std::size_t>(bytes_of(mine)), 0xEE);
    Buffer buffer(data, memory);
    MPI_Status status;
    program_.good(MPI_File_read_all(file_, buffer.data(), buffer.count(), buffer.type(), &status),
                  "MPI_File_read_all");
    program_.equal(status_bytes(status), static_cast<long long>(expected.size()), "bytes read");
    std::vector<unsigned char> found = buffer.bytes();
    found.resize(expected.size());
    program_.that(found == expected, "bytes that were read");
  }

  /// The whole file is as the model has it.
  void check() {
    MPI_Barrier(comm_);
    if (rank_ == 0) {
      std::ifstream in(path_, std::ios::binary);
      std::stringstream all;
      all << in.rdbuf();
      const std::string text = all.str();
      program_.equal(static_cast<long long>(text.size()), static_cast<long long>(model_.size()),
                     "length of the file");
      const auto same = [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; };
      const auto first = std::mismatch(text.begin(), text.end(), model_.begin(), model_.end(), same).first;
      program_.that(first == text.end(),
                    ("the file's bytes, from " + std::to_string(first - text.begin())).c_str());
    }
    MPI_Barrier(comm_);
  }

  void close() { program_.good(MPI_File_close(&file_), "MPI_File_close"); }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] MPI_File handle() const { return file_; }

 private:
  /// A call's memory and the datatype that describes it.
  class Buffer {
   public:
    Buffer(const std::vector<unsigned char>& bytes, Memory memory)
        : step_(memory == Memory::scattered ? 2 : 1), count_(bytes.size()) {
      data_.assign(count_ * step_ + 1, 0xDD);
      for (std::size_t i = 0; i < count_; ++i) data_[i * step_] = bytes[i];
      MPI_Type_create_resized(MPI_BYTE, 0, static_cast<MPI_Aint>(step_), &type_);
      MPI_Type_commit(&type_);
    }
    Buffer(const Buffer&) = delete;
    ~Buffer() { MPI_Type_free(&type_); }
    [[nodiscard]] unsigned char* data() { return data_.data(); }
    [[nodiscard]] int count() const { return static_cast<int>(count_); }
    [[nodiscard]] MPI_Datatype type() const { return type_; }
    [[nodiscard]] std::vector<unsigned char> bytes() const {
      std::vector<unsigned char> out;
      for (std::size_t i = 0; i < count_; ++i) out.push_back(data_[i * step_]);
      return out;
    }

   private:
    std::size_t step_, count_;
    std::vector<unsigned char> data_;
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
  };

  [[nodiscard]] unsigned char content(std::int64_t offset) const {
    const auto mixed = static_cast<std::uint64_t>(offset * 31 + version_ + 1) * 0x9e3779b97f4a7c15u;
    return static_cast<unsigned char>(mixed >> 56);
  }
  void make_file() const {
    std::ofstream out(path_, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(model_.data()), static_cast<std::streamsize>(model_.size()));
  }
  void put_in_model(const Piece& one) {
    if (static_cast<std::int64_t>(model_.size()) < one.end())
      model_.resize(static_cast<std::size_t>(one.end()));
    for (std::int64_t at = one.offset; at < one.end(); ++at)
      model_[static_cast<std::size_t>(at)] = content(at);
  }
  /// In the order of the pieces; what lies beyond the end of the file is left out.
  [[nodiscard]] std::vector<unsigned char> bytes_of_model(const Pieces& pieces) const {
    std::vector<unsigned char> out;
    const auto end = static_cast<std::int64_t>(model_.size());
    for (const Piece& one : pieces)
      for (std::int64_t at = one.offset; at < std::min(one.end(), end); ++at)
        out.push_back(model_[static_cast<std::size_t>(at)]);
    return out;
  }
  /// From the first piece on, so that the same pieces further on in the file have the same file type.
  void view(const Pieces& pieces) {
    const std::int64_t begin = pieces.empty() ? 0 : pieces.front().offset;
    std::vector<int> lengths;
    std::vector<MPI_Aint> offsets;
    for (const Piece& one : pieces) {
      lengths.push_back(one.length);
      offsets.push_back(one.offset - begin);
    }
    MPI_Datatype type = MPI_BYTE;
    if (!pieces.empty()) {
      MPI_Type_create_hindexed(static_cast<int>(pieces.size()), lengths.data(), offsets.data(), MPI_BYTE,
                               &type);
      MPI_Type_commit(&type);
    }
    program_.good(MPI_File_set_view(file_, begin, MPI_BYTE, type, "native", MPI_INFO_NULL),
                  "MPI_File_set_view");
    if (!pieces.empty()) MPI_Type_free(&type);
  }

  Program& program_;
  MPI_Comm comm_;
  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
  std::vector<unsigned char> model_;
  int version_ = 0, rank_ = 0, size_ = 1;
};

}  // namespace collio::test
