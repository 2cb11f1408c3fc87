// Which part of a variable a call names, and the pieces of the file that this is. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "netcdf/variable.hpp"

namespace collio::core {
struct PieceMap;
}

namespace collio::netcdf {

/// Indices and counts by dimension, as programs give them: MPI_Offset is a 64-bit integer under several
/// names.
using Offset [[gnu::may_alias]] = std::int64_t;
using Offsets = const Offset*;

/// Null `count`, `stride`: ones.
struct Block {
  Offsets start = nullptr, count = nullptr, stride = nullptr;
};

/// What a call names.
struct Named {
  enum class Form { whole, one, block, list };
  Form form = Form::whole;
  /// of one element, or of a block
  Block block;
  int parts = 0;
  /// of a list
  const Offsets *starts = nullptr, *counts = nullptr;
  bool reads = false;
};

/// Pieces of a file in the order of the data, 16 bytes each. Neighbours that touch are one.
struct Pieces {
  std::vector<std::int64_t> offsets, lengths;
  /// What calls make of pieces that regions share, once; null: not yet.
  mutable std::shared_ptr<const core::PieceMap> map;
  void add(std::int64_t offset, std::int64_t length) {
    if (!offsets.empty() && offsets.back() + lengths.back() == offset) {
      lengths.back() += length;
    } else {
      offsets.push_back(offset);
      lengths.push_back(length);
    }
  }
};

struct Region {
  /// Its own, or those of a list, which other regions may share.
  Pieces own;
  std::shared_ptr<const Pieces> shared;
  /// of all offsets: the file's are so much larger
  std::int64_t shift = 0;
  [[nodiscard]] const Pieces& pieces() const noexcept { return shared ? *shared : own; }
  std::int64_t elements = 0;
  /// the number of records that the file has at least with it
  std::int64_t records = 0;
};

/// What is named of the variable, which has `records` records, in a new region. False: PnetCDF may refuse it.
/// `before`: the pieces of an earlier list, or null; a list of the same ones in another place shares them.
/// O(pieces).
[[nodiscard]] bool region_of(const Named& named, const Variable& v, std::int64_t records, Region& region,
                             const std::shared_ptr<const Pieces>& before = {});

/// The lengths of the block that is named in any form but a list.
[[nodiscard]] std::vector<std::int64_t> counts_of(const Named& named, const Variable& v,
                                                  std::int64_t records);

/// The same pieces where the variable has come to lie elsewhere. `record_bytes`: that it has in one record.
[[nodiscard]] Pieces moved(const Pieces& pieces, const Place& from, const Place& to,
                           std::int64_t record_bytes);

}  // namespace collio::netcdf
