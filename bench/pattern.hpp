// What a benchmark pattern has to answer, and the table of patterns.
//
// A pattern is built on every rank from the options alone (no messages) and says: which collective calls this
// rank makes, which bytes of the file lie in its buffer, and which bytes any rank writes. The driver does the
// rest: times, checks, reports.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "geometry/block.hpp"
#include "options.hpp"

namespace collio::bench {

/// An extent of the file and where its bytes lie in the rank's buffer.
struct Piece {
  Extent extent;
  std::int64_t place;  // bytes from the start of the buffer
};

/// One collective data call of this rank.
struct Call {
  /// Filetype over MPI_BYTE, committed, owned by the pattern. MPI_DATATYPE_NULL: no set_view, an _at_all call
  /// at `displacement`.
  MPI_Datatype filetype = MPI_DATATYPE_NULL;
  MPI_Offset displacement = 0;
  std::int64_t bytes = 0;
  /// How the call goes on in the next time step. False: the same view, or the same _at_all call, one step
  /// further in the file. True: the view stays as the first step set it, and step k is its k-th tile, written
  /// by an _at_all call; the filetype's extent is then file_bytes() where it has any bytes.
  bool tiled = false;
  /// Which bytes of the rank's buffer: a committed datatype for the whole of it, owned by the pattern.
  /// MPI_DATATYPE_NULL: `bytes` contiguous ones, behind those of the calls before.
  MPI_Datatype memory = MPI_DATATYPE_NULL;
};

struct World {
  int rank;
  int size;
};

using ExtentSink = std::function<void(Extent)>;
using PieceSink = std::function<void(const Piece&)>;

class Pattern {
 public:
  virtual ~Pattern() = default;

  /// Collective calls, the same number on every rank.
  [[nodiscard]] virtual std::span<const Call> calls() const = 0;
  /// Pieces this rank reads or writes: contiguous runs of the file.
  [[nodiscard]] virtual std::int64_t pieces() const = 0;
  /// One past the last byte any rank writes: where the next time step starts.
  [[nodiscard]] virtual std::int64_t file_bytes() const = 0;
  /// This rank's extents in the order of its data.
  virtual void own_extents(const ExtentSink& sink) const = 0;
  /// Bytes of this rank's buffer. Who overrides this has gaps in it, and overrides own_pieces too.
  [[nodiscard]] virtual std::int64_t buffer_bytes() const { return data_bytes(); }
  /// This rank's extents, cut where they are not contiguous in the buffer.
  virtual void own_pieces(const PieceSink& sink) const {
    std::int64_t place = 0;
    own_extents([&](Extent extent) {
      sink({extent, place});
      place += extent.length;
    });
  }
  /// All ranks' extents in ascending order; those that touch may come joined.
  virtual void all_extents(const ExtentSink& sink) const = 0;

  /// Bytes this rank moves.
  [[nodiscard]] std::int64_t data_bytes() const {
    std::int64_t bytes = 0;
    for (const Call& call : calls()) bytes += call.bytes;
    return bytes;
  }
};

struct PatternEntry {
  const char* name;
  const char* summary;
  const char* options;  // as in the usage text
  std::unique_ptr<Pattern> (*make)(Options&, World);
};

/// Every pattern there is. To add one: a file in patterns/ and a row in patterns/patterns.def.
[[nodiscard]] std::span<const PatternEntry> pattern_table();

/// A committed datatype that frees itself.
class Datatype {
 public:
  Datatype() = default;
  explicit Datatype(MPI_Datatype type) : type_(type) { MPI_Type_commit(&type_); }
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;
  Datatype(Datatype&& other) noexcept : type_(other.type_) { other.type_ = MPI_DATATYPE_NULL; }
  Datatype& operator=(Datatype&& other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  ~Datatype() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }
  [[nodiscard]] MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Subarray over elements of `element_bytes` MPI_BYTE.
[[nodiscard]] Datatype subarray_type(std::span<const Axis> axes, std::int64_t element_bytes);

/// hindexed over MPI_BYTE from extents (sorted, each below 2 GiB); an empty list gives one byte, as a view
/// needs a filetype even where nothing is written through it.
[[nodiscard]] Datatype hindexed_filetype(std::span<const Extent> extents);

}  // namespace collio::bench
