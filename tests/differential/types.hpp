// Datatype recipes with their own typemap model.
//
// A recipe says how to build an MPI datatype and, independently of any MPI library, which bytes it covers in
// which order (MPI 4.0, chapter 5). The model is what everything else is compared with, so it asks no MPI
// function about a type.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace collio::differential {

/// `length` bytes from `offset` (bytes, relative to the type's origin).
struct Segment {
  std::int64_t offset = 0;
  std::int64_t length = 0;
};

/// Bytes of one datatype in typemap order, with its bounds. All in bytes.
struct Shape {
  std::vector<Segment> segments;
  std::int64_t lb = 0;
  std::int64_t ub = 0;
  std::int64_t size = 0;

  [[nodiscard]] std::int64_t extent() const noexcept { return ub - lb; }
  [[nodiscard]] std::int64_t true_lb() const noexcept;
  [[nodiscard]] std::int64_t true_ub() const noexcept;
};

enum class Kind {
  basic,
  contiguous,
  vector,
  hvector,
  indexed,
  hindexed,
  indexed_block,
  hindexed_block,
  structure,
  subarray,
  darray,
  resized,
  dup
};

enum class Distribution { none, block, cyclic };

/// One dimension of a subarray or of a distributed array.
struct Dimension {
  int size = 1;
  int subsize = 1;                                 // subarray only
  int start = 0;                                   // subarray only
  Distribution distribution = Distribution::none;  // darray only
  int argument = 0;                                // darray only; 0 stands for MPI_DISTRIBUTE_DFLT_DARG
  int processes = 1;                               // darray only
};

struct TypeNode;
using Type = std::shared_ptr<const TypeNode>;

struct TypeNode {
  Kind kind = Kind::basic;
  int basic_index = 0;                      // into the table of predefined types
  int count = 0;                            // contiguous, vector, hvector
  int block = 0;                            // vector, hvector, *_block
  std::int64_t stride = 0;                  // vector: child extents; hvector: bytes
  std::vector<int> blocks;                  // indexed, hindexed, structure
  std::vector<std::int64_t> displacements;  // indexed*: child extents; hindexed*, structure: bytes
  std::vector<Dimension> dimensions;        // subarray, darray
  bool fortran_order = false;               // subarray, darray
  int darray_rank = 0;
  std::int64_t lb = 0, extent = 0;  // resized
  std::vector<Type> children;
  Shape shape;
};

/// Lists of equal length that indexed and struct types take.
struct Blocks {
  std::vector<int> lengths;
  std::vector<std::int64_t> displacements;
};

struct Grid {
  std::vector<Dimension> dimensions;
  bool fortran_order = false;
  int darray_rank = 0;
};

/// A predefined type of `bytes` bytes (1, 2, 4, 8 or 16); `variant` chooses among several.
[[nodiscard]] Type basic(int bytes, int variant);
[[nodiscard]] Type contiguous(int count, Type child);
[[nodiscard]] Type vector(int count, int block, int stride, Type child);
[[nodiscard]] Type hvector(int count, int block, std::int64_t stride_bytes, Type child);
[[nodiscard]] Type indexed(Blocks blocks, Type child);
[[nodiscard]] Type hindexed(Blocks blocks, Type child);
[[nodiscard]] Type indexed_block(int block, std::vector<std::int64_t> displacements, Type child);
[[nodiscard]] Type hindexed_block(int block, std::vector<std::int64_t> displacements, Type child);
/// Bounds are those of the blocks, without the padding MPI libraries may add: wrap it in `resized`.
[[nodiscard]] Type structure(Blocks blocks, std::vector<Type> children);
[[nodiscard]] Type subarray(Grid grid, Type child);
[[nodiscard]] Type darray(Grid grid, Type child);
[[nodiscard]] Type resized(std::int64_t lb, std::int64_t extent, Type child);
[[nodiscard]] Type dup(Type child);

/// Global indices along one dimension that process `coordinate` owns, ascending. Pure.
[[nodiscard]] std::vector<int> owned_indices(const Dimension& dimension, int coordinate);

/// The recipe as one readable line.
[[nodiscard]] std::string text(const Type& type);

/// True when `found(node)` holds for the node or any descendant.
template <class Predicate>
[[nodiscard]] bool any_node(const Type& type, Predicate found) {
  if (found(*type)) return true;
  for (const Type& child : type->children)
    if (any_node(child, found)) return true;
  return false;
}

/// An MPI datatype built from a recipe, committed, freed with the object. Not collective.
class BuiltType {
 public:
  explicit BuiltType(const Type& type);
  BuiltType(const BuiltType&) = delete;
  BuiltType& operator=(const BuiltType&) = delete;
  ~BuiltType();

  [[nodiscard]] MPI_Datatype handle() const noexcept { return handle_; }
  /// What the MPI library says of size and bounds, when it is not what the model says; else empty.
  [[nodiscard]] std::string disagreement(const Type& type) const;

 private:
  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
  bool owned_ = false;
};

/// The predefined MPI datatype behind a basic recipe.
[[nodiscard]] MPI_Datatype predefined(int basic_index);
[[nodiscard]] const char* predefined_name(int basic_index);

}  // namespace collio::differential
