/// An open file: its header on the root, its layout on all ranks, and what has been put and not yet written.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "decomposition.hpp"
#include "header.hpp"

struct collio_file;
struct collio_variable;

namespace collio::pio {

/// A variable by a decomposition, as collio has it.
struct Declared {
  collio_variable* data = nullptr;
  /// null: data is
  collio_variable* written = nullptr;
  /// null: this rank fills none
  collio_variable* holes = nullptr;
};

/// Arrays that ranks have put since the last write. All but the buffers is the same on all ranks.
struct Pending {
  std::vector<std::unique_ptr<char[]>> buffers;
  /// Variables and records, or slices of variables without; and the bytes from one to the next.
  std::map<std::pair<int, long long>, long long> places;
  /// the most that any rank has
  long long bytes = 0;
  /// in the file once they are written; 0: as many as there are
  long long records = 0;
};

struct File {
  int id = 0;
  System* system = nullptr;
  std::string path;
  bool writable = false;
  bool defining = false;
  int fill_mode = NC_NOFILL;
  /// on the root
  Header header;
  Layout layout;
  /// by variable
  std::map<int, int> frames;
  /// opened by the first data call
  collio_file* data = nullptr;
  /// by variable and decomposition
  std::map<std::pair<int, int>, Declared> declared;
  Pending pending;
  /// of a put of this rank: an error of the next write on all ranks
  Failure put_failure;
};

/// Null: there is none with this id.
File* find_file(int ncid);
[[nodiscard]] Failure no_file(const std::string& function, int ncid);

/// Closes the files of a system that the program has left open. Collective.
Failure close_files(const System& system);

/// Opens the file's data, if no data call was made before. Collective.
[[nodiscard]] Failure open_data(File& file, const char* function);

enum class Flush { no, yes };

/// Writes what is pending, and then the number of records, if all ranks have written. PIO_ERANGE: all was
/// written, some numbers as fill values. With a flush the arrays are on the disk before the number is
/// written, and the number afterwards. Collective.
[[nodiscard]] Failure write_pending(File& file, const char* function, Flush flush = Flush::no);

/// Flushes what ranks have written by collio. Collective.
[[nodiscard]] Failure flush_data(const File& file, const std::string& what);

/// Frees what open files have of decompositions that are freed. Not collective.
void forget_freed_decompositions();

void for_each_file(const std::function<void(File&)>& call);

/// In fill mode: fills all variables in records from those that there are to `records`. PnetCDF does that, on
/// the root alone. Collective.
[[nodiscard]] Failure fill_records(File& file, const char* function, long long records);

long long& buffer_limit();

/// A value of the root that every rank gets.
struct Out {
  void* place;
  std::size_t bytes;
};
template <class T>
Out out(T& value) {
  return {&value, sizeof value};
}

/// A question to PnetCDF, or an order: asked on the root with PnetCDF's id.
struct Question {
  const char* function;
  /// "(\"x\")", for errors
  std::string about;
  /// PnetCDF's code
  std::function<int(int)> run;
  /// PnetCDF moves data by their number, or writes the header
  bool of_records = false;
};

/// Runs a question on the root and gives all ranks its code and its values, after errors too.
/// Collective: one broadcast.
[[nodiscard]] Failure asked(File& file, const Question& question, std::initializer_list<Out> outs = {});

/// The same, with the failure reported. PIO's code.
int ask(int ncid, const Question& question, std::initializer_list<Out> outs = {});

[[nodiscard]] std::string quoted(const char* name);

}  // namespace collio::pio
