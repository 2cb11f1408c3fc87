// Lists of pieces that a program may name again, of the next variable or record.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "netcdf/region.hpp"

namespace collio::netcdf {

/// The last few of a file. All files of the process together keep at most most_pieces, whatever their number.
class LastLists {
 public:
  static constexpr std::int64_t most_pieces = 1 << 20;

  LastLists() = default;
  LastLists(const LastLists&) = delete;
  LastLists& operator=(const LastLists&) = delete;
  ~LastLists();

  /// Of a list with this number of parts; null: unknown.
  [[nodiscard]] std::shared_ptr<const Pieces> find(int parts) const;
  /// In place of what has been kept longest, or for as many parts. Thread-safe for different files.
  void keep(int parts, const std::shared_ptr<const Pieces>& pieces);

 private:
  struct List {
    int parts = 0;
    std::shared_ptr<const Pieces> pieces;
  };
  static void forget(List& list);

  std::array<List, 4> lists_;
  std::size_t next_ = 0;
};

}  // namespace collio::netcdf
