// What a rank has posted and not waited for, with PnetCDF's numbers: puts are even, gets odd, and both begin
// again where none is left.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "netcdf/region.hpp"
#include "pnetcdf/memory.hpp"

namespace collio::pnetcdf {

struct Request {
  int id = -1;
  int varid = -1;
  /// out of its list
  bool taken = false;
  netcdf::Region region;
  /// in the file
  std::int64_t bytes = 0;
  /// of the variable when the pieces were made
  Place place;
  Memory memory;
  /// of the conversion
  int status = 0;
  /// its entry in the attached buffer; -1: none
  int room = -1;
  /// where its status goes; null: nowhere
  int* told = nullptr;
};

/// The memory that a program lends for buffered puts. collio keeps copies of its own, and counts as PnetCDF
/// does: what is freed in the middle stays in use until all behind it is free.
class AttachedBuffer {
 public:
  explicit AttachedBuffer(std::int64_t bytes) : bytes_(bytes) {}
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::int64_t used() const noexcept { return used_; }
  /// An entry, or -1: there is no room.
  [[nodiscard]] int take(std::int64_t bytes);
  void give_back(int entry);

 private:
  struct Entry {
    std::int64_t bytes;
    bool free;
  };
  std::int64_t bytes_, used_ = 0;
  std::vector<Entry> entries_;
};

/// The requests of one direction.
class RequestList {
 public:
  /// `first`: 0 for puts, 1 for gets.
  explicit RequestList(int first) : first_(first) {}
  [[nodiscard]] int add(Request&& request);
  [[nodiscard]] bool owns(int id) const noexcept { return id >= 0 && id % 2 == first_; }
  /// Takes the request with this number out, if there is one. After the last, call forget_taken().
  /// O(log requests).
  [[nodiscard]] std::optional<Request> take(int id);
  /// O(requests).
  void forget_taken();
  /// Whether there is one with this number.
  [[nodiscard]] bool has(int id) const noexcept;
  [[nodiscard]] std::vector<Request> take_all();
  [[nodiscard]] std::size_t size() const noexcept { return requests_.size(); }
  [[nodiscard]] const std::vector<Request>& all() const noexcept { return requests_; }

 private:
  int first_, last_ = 0;
  /// ascending
  std::vector<Request> requests_;
};

}  // namespace collio::pnetcdf
