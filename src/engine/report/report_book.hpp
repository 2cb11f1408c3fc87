// What a process has written into the report, so that the report stays short and a killed job leaves one.
//
// Each of the first files of a kind has its line: written at open, while the file is used, and at close.
// Further files of the kind share one line, written at the same times. Lines are only appended; a later line
// replaces earlier ones with its id.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "engine/report/report_line.hpp"
#include "observe/renewal.hpp"

namespace collio::engine {

/// Where the report has a file.
struct ReportLine {
  /// of the file's own line; empty: its kind has a line together
  std::string id;
  std::string kind;
};

class ReportBook {
 public:
  /// with lines of their own
  static constexpr int most_of_a_kind = 16;
  /// of files with lines of their own
  static constexpr int most_lines = 256;
  static constexpr std::size_t most_kinds = 256;
  /// files with pictures: up to 100 KB each
  static constexpr int most_pictures = 8, most_pictures_of_a_kind = 2;

  /// The process's. It writes what is left when the process ends normally.
  static ReportBook& of_process();

  /// All: Not collective, thread-safe.
  /// A file has been opened.
  [[nodiscard]] ReportLine opened(const FileSums& sums);
  /// What is known so far of an open file that has a line of its own.
  static void write_open(const FileSums& sums, const ReportLine& line);
  void closed(const FileSums& sums, const ReportLine& line);
  void write_what_is_left();
  /// Whether the report has room for the pictures of a file that closes; they count from then on,
  [[nodiscard]] bool takes_pictures(const ReportLine& line);
  /// unless there are none.
  void has_no_pictures(const ReportLine& line);

 private:
  struct FileKind {
    std::string id;
    /// that have no lines of their own
    std::int64_t opened = 0;
    std::int64_t closed = 0;
    FileSums sums;
    observe::Renewal renewal;
    /// as it is now
    bool written = true;
  };
  std::string new_id();
  void renew(FileKind& kind);
  static void write(FileKind& kind);

  std::mutex mutex_;
  std::map<std::string, FileKind> kinds_;
  /// by kind
  std::map<std::string, int> own_lines_;
  int lines_ = 0;
  /// files with pictures, by kind
  std::map<std::string, int> pictures_of_;
  int pictures_ = 0;
  std::int64_t next_id_ = 1;
};

}  // namespace collio::engine
