/// The header of a file, on the root. PnetCDF keeps it, on MPI_COMM_SELF, and decides where variables lie.
/// collio writes data past PnetCDF, so the number of records in the header is updated here, at byte 4 of the
/// file, and PnetCDF reads the header again before it uses that number, and not before. Files that PnetCDF
/// refuses are netCDF-C's, to be read.
#pragma once

#include <string>
#include <vector>

#include "reading.hpp"
#include "system.hpp"

struct collio_file;

namespace collio::pio {

/// What data calls know of a variable. Sent to all ranks as bytes.
struct Variable {
  int type = NC_NAT;
  int dims = 0;
  int has_records = 0;
  /// of the variable in the file; of its first record
  long long offset = 0;
  /// in one record
  long long elements = 0;
  /// of the first dimension; 0 for records and scalars
  long long first_length = 0;
  /// in the machine's byte order
  char fill[8] = {};
};

/// What data calls know of a file. Sent to all ranks.
struct Layout {
  std::vector<Variable> variables;
  long long record_bytes = 0;
  long long records = 0;
  /// the dimension of the records; -1: none
  int unlimited = -1;
  /// 1, 2 or 5, as in CDF-1
  int format = 0;
  /// netCDF-C reads the file, on the root
  int by_netcdf = 0;
};

class Header {
 public:
  Header() = default;
  ~Header();
  Header(const Header&) = delete;
  Header& operator=(const Header&) = delete;

  /// `mode`: flags of ncmpi_create() and ncmpi_open(). PnetCDF's code.
  [[nodiscard]] int create(const System& system, const std::string& path, int mode);
  [[nodiscard]] int open(const System& system, const std::string& path, int mode);
  /// By netCDF-C, for reading. Its code.
  [[nodiscard]] int open_by_netcdf(const System& system, const std::string& path);

  /// PnetCDF's id. It may know of fewer records than the file has.
  [[nodiscard]] int id() const { return handle_; }
  /// Has PnetCDF know of all records. On an error all stays as it was. PnetCDF's code.
  [[nodiscard]] int update();
  /// Asks PnetCDF for the number of records, which a put of PnetCDF's may have raised.
  void note_put();
  /// Records in the file.
  [[nodiscard]] long long records() const { return file_records_; }

  /// Puts a larger number of records into the file. A code of collio's library.
  [[nodiscard]] int write_records(collio_file* data, long long records);

  [[nodiscard]] int read_layout(Layout& layout);
  [[nodiscard]] int close();

 private:
  [[nodiscard]] int records_of_handle(long long& records) const;
  [[nodiscard]] int read_variable(int varid, int unlimited, Variable& v) const;

  const System* system_ = nullptr;
  std::string path_;
  int mode_ = 0;
  int handle_ = reading::no_id;
  int format_ = 0;
  /// to PnetCDF
  long long known_records_ = 0;
  long long file_records_ = 0;
};

}  // namespace collio::pio
