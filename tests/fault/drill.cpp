// See drill.hpp. The data lie in blocks dealt to the ranks; bytes that were there before are never equal to
// bytes that are written.
#include "drill.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "../mpi/open_with.hpp"
#include "drill_library.hpp"

namespace collio::test {

namespace {

constexpr std::int64_t block = 1000, tail = 3000;
int handled = 0;

void count_errors(MPI_File*, int*, ...) { ++handled; }

unsigned mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15ULL + b * 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 29;
  return static_cast<unsigned>((x * 0x94d049bb133111ebULL) >> 40);
}
unsigned char new_byte(int rank, std::int64_t index) {
  return static_cast<unsigned char>(
      1 + mixed(static_cast<std::uint64_t>(rank) + 7, static_cast<std::uint64_t>(index)) % 127);
}
unsigned char old_byte(std::int64_t offset) {
  return static_cast<unsigned char>(128 + mixed(3, static_cast<std::uint64_t>(offset)) % 128);
}

int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

/// Subfile `number`, of the only file in subfiles whose folder this is.
std::string read_subfile(const std::string& folder, std::size_t number) {
  std::string end = std::to_string(number);
  end.insert(0, 4 - std::min<std::size_t>(end.size(), 4), '0');
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == "." + end) return raw(entry.path());
  return "";
}

/// The bytes of a file in subfiles, dealt as docs/design/subfiles.md says.
std::string content_of_subfiles(const Drill& drill) {
  const std::size_t count = std::stoul(drill.hints.at("collio_subfiles")),
                    unit = std::stoul(drill.hints.at("collio_subfile_unit"));
  std::vector<std::string> folders;
  std::istringstream in(drill.look_in);
  for (std::string folder; std::getline(in, folder, ':');) folders.push_back(folder);
  std::string content;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string part = read_subfile(folders[i % folders.size()], i);
    for (std::size_t at = 0; at < part.size(); at += unit) {
      const std::size_t offset = (at / unit * count + i) * unit, bytes = std::min(unit, part.size() - at);
      content.resize(std::max(content.size(), offset + bytes), '\0');
      content.replace(offset, bytes, part, at, bytes);
    }
  }
  return content;
}

/// One drill under way.
class Runner {
 public:
  explicit Runner(const Drill& drill) : drill_(drill), rules_(drill.file + ".rules") {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    period_ = (size_ + (drill.holes ? 1 : 0)) * block;
    blocks_ = std::max<std::int64_t>(1, drill.bytes / block);
    data_.resize(static_cast<std::size_t>(blocks_ * block));
  }

  Found run() {
    if (rank_ == 0) prepare();
    MPI_Barrier(MPI_COMM_WORLD);
    if ((found_.opened = open()) == MPI_SUCCESS) {
      do_call();
      if (drill_.again) try_again();
      found_.closed = library_ ? library_->close().error_class : class_of(MPI_File_close(&file_));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) remove_all();
    return found_;
  }
  [[nodiscard]] const std::string& message() const { return message_; }

 private:
  [[nodiscard]] std::int64_t offset_of(std::int64_t index, int rank) const {
    return index / block * period_ + rank * block + index % block;
  }
  [[nodiscard]] std::int64_t file_bytes() const { return blocks_ * period_; }

  void remove_all() const {
    unlink(drill_.file.c_str());
    unlink(rules_.c_str());
    std::error_code none;
    if (!drill_.look_in.empty()) std::filesystem::remove_all(drill_.file + ".collio", none);
  }

  /// What the file holds before: of a read the ranks' data, else other bytes.
  void prepare() const {
    remove_all();
    if (!drill_.faults.empty()) std::ofstream(rules_) << drill_.faults << '\n';
    if (drill_.fresh) return;
    std::string content(static_cast<std::size_t>(file_bytes() + tail), '\0');
    for (std::int64_t i = 0; i < file_bytes() + tail; ++i)
      content[static_cast<std::size_t>(i)] = static_cast<char>(old_byte(i));
    if (!drill_.write)
      for (int r = 0; r < size_; ++r)
        for (std::int64_t i = 0; i < blocks_ * block; ++i)
          content[static_cast<std::size_t>(offset_of(i, r))] = static_cast<char>(new_byte(r, i));
    if (drill_.look_in.empty())
      std::ofstream(drill_.file, std::ios::binary) << content;
    else
      fill_subfiles(content);
  }

  void fill_subfiles(const std::string& content) const {
    MPI_Info info = hints();
    MPI_File file = MPI_FILE_NULL;
    if (MPI_File_open(MPI_COMM_SELF, drill_.file.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &file) !=
            MPI_SUCCESS ||
        MPI_File_write_at(file, 0, content.data(), static_cast<int>(content.size()), MPI_BYTE,
                          MPI_STATUS_IGNORE) != MPI_SUCCESS ||
        MPI_File_close(&file) != MPI_SUCCESS)
      std::fprintf(stderr, "drill %s: the file cannot be made\n", drill_.name.c_str());
    MPI_Info_free(&info);
  }

  [[nodiscard]] MPI_Info hints() const {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    for (const auto& [key, value] : drill_.hints) MPI_Info_set(info, key.c_str(), value.c_str());
    return info;
  }

  int open() {
    if (!LibraryFile::makes(drill_.form)) return open_by_mpi();
    library_.emplace(drill_, DealtBlocks{rank_ * block, period_, block, blocks_});
    const Ended ended = library_->open(drill_.faults.empty() ? "" : "collio_faults=@" + rules_);
    if (ended.error_class != MPI_SUCCESS) note_message(ended.text);
    found_.taken_over = 1;
    return ended.error_class;
  }

  int open_by_mpi() {
    MPI_Info info = hints();
    if (!drill_.faults.empty()) MPI_Info_set(info, "collio_faults", ("@" + rules_).c_str());
    const int mode = drill_.write ? MPI_MODE_RDWR | MPI_MODE_CREATE : MPI_MODE_RDONLY;
    const int code = MPI_File_open(MPI_COMM_WORLD, drill_.file.c_str(), mode, info, &file_);
    MPI_Info_free(&info);
    if (code != MPI_SUCCESS) return note_message(text_of(code)), class_of(code);
    int taken = 0;
    char value[MPI_MAX_INFO_VAL + 1] = "";
    MPI_File_get_info(file_, &info);
    MPI_Info_get(info, "collio_path", MPI_MAX_INFO_VAL, value, &taken);
    MPI_Info_free(&info);
    found_.taken_over = taken;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_File_create_errhandler(count_errors, &handler);
    MPI_File_set_errhandler(file_, handler);
    MPI_Errhandler_free(&handler);
    return set_view(), MPI_SUCCESS;
  }

  void set_view() {
    MPI_Datatype piece, placed, type;
    MPI_Type_contiguous(static_cast<int>(block), MPI_BYTE, &piece);
    const int one = 1;
    const MPI_Aint at = rank_ * block;
    MPI_Type_create_hindexed(1, &one, &at, piece, &placed);
    MPI_Type_create_resized(placed, 0, period_, &type);
    MPI_Type_commit(&type);
    MPI_File_set_view(file_, 0, MPI_BYTE, type, "native", MPI_INFO_NULL);
    for (MPI_Datatype* t : {&piece, &placed, &type}) MPI_Type_free(t);
  }

  /// The call by MPI-IO; its error code, from whichever function gave it.
  int call_mpi(MPI_Status& status) {
    const int n = static_cast<int>(data_.size());
    void* p = data_.data();
    if (drill_.form == "nonblocking") {
      MPI_Request request = MPI_REQUEST_NULL;
      const int posted = drill_.write ? MPI_File_iwrite_at_all(file_, 0, p, n, MPI_BYTE, &request)
                                      : MPI_File_iread_at_all(file_, 0, p, n, MPI_BYTE, &request);
      return posted != MPI_SUCCESS ? posted : MPI_Wait(&request, &status);
    }
    if (drill_.form == "split") {
      const int begun = drill_.write ? MPI_File_write_at_all_begin(file_, 0, p, n, MPI_BYTE)
                                     : MPI_File_read_at_all_begin(file_, 0, p, n, MPI_BYTE);
      if (begun != MPI_SUCCESS) return begun;
      return drill_.write ? MPI_File_write_at_all_end(file_, p, &status)
                          : MPI_File_read_at_all_end(file_, p, &status);
    }
    return drill_.write ? MPI_File_write_at_all(file_, 0, p, n, MPI_BYTE, &status)
                        : MPI_File_read_at_all(file_, 0, p, n, MPI_BYTE, &status);
  }

  Ended call() {
    if (library_) {
      const Ended ended = library_->call(data_.data());
      handled += ended.error_class != MPI_SUCCESS;  // there is no handler
      return ended;
    }
    MPI_Status status{};
    int bytes = 0;
    const int code = call_mpi(status);
    MPI_Get_elements(&status, MPI_BYTE, &bytes);
    return {class_of(code), code == MPI_SUCCESS ? "" : text_of(code), bytes};
  }

  Ended timed_call() {
    for (std::size_t i = 0; i < data_.size(); ++i)
      data_[i] = drill_.write ? new_byte(rank_, static_cast<std::int64_t>(i)) : 0;
    const double begin = MPI_Wtime();
    Ended ended = call();
    found_.milliseconds = static_cast<std::int64_t>((MPI_Wtime() - begin) * 1000);
    return ended;
  }

  void do_call() {
    if (drill_.limited_rank == rank_) limit(static_cast<rlim_t>(drill_.limit_bytes));
    command(drill_.before);
    handled = 0;
    const Ended ended = timed_call();
    found_.handled = handled;
    found_.error_class = ended.error_class;
    found_.counted = ended.counted;
    if (ended.error_class != MPI_SUCCESS) note_message(ended.text);
    if (drill_.limited_rank == rank_) limit(RLIM_INFINITY);
    MPI_Barrier(MPI_COMM_WORLD);
    found_.untrue =
        drill_.write ? look_into_file(found_.counted, found_.foreign) : wrong_in_memory(found_.counted);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  void try_again() {
    if (rank_ == 0 && !drill_.faults.empty()) std::ofstream(rules_) << "none\n";
    command(drill_.after);
    MPI_Barrier(MPI_COMM_WORLD);
    const std::int64_t milliseconds = found_.milliseconds;
    std::int64_t foreign = 0;
    const Ended ended = timed_call();
    found_.again_class = ended.error_class;
    found_.milliseconds = milliseconds;
    MPI_Barrier(MPI_COMM_WORLD);
    const auto all = static_cast<std::int64_t>(data_.size());
    found_.again_wrong = (drill_.write ? look_into_file(all, foreign) : wrong_in_memory(all)) + foreign +
                         (all - ended.counted);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  /// Of the first `counted` bytes of this rank, those that are not in the file. `foreign`: bytes of the file
  /// that nobody gave it.
  std::int64_t look_into_file(std::int64_t counted, std::int64_t& foreign) const {
    const std::string content = drill_.look_in.empty()
                                    ? raw(drill_.look_at.empty() ? drill_.file : drill_.look_at)
                                    : content_of_subfiles(drill_);
    const auto at = [&](std::int64_t offset) {
      return offset < static_cast<std::int64_t>(content.size())
                 ? static_cast<unsigned char>(content[static_cast<std::size_t>(offset)])
                 : was_at(offset);
    };
    std::int64_t untrue = 0;
    for (std::int64_t i = 0; i < blocks_ * block; ++i) {
      const unsigned char found = at(offset_of(i, rank_));
      if (found == new_byte(rank_, i)) continue;
      if (i < counted) ++untrue;
      if (found != was_at(offset_of(i, rank_))) ++foreign;
    }
    if (rank_ == 0) foreign += foreign_between(content);
    return untrue;
  }

  [[nodiscard]] unsigned char was_at(std::int64_t offset) const {
    return drill_.fresh ? 0 : old_byte(offset);
  }

  /// In the holes, behind the data, and in length.
  [[nodiscard]] std::int64_t foreign_between(const std::string& content) const {
    const auto found_bytes = static_cast<std::int64_t>(content.size());
    const std::int64_t most = file_bytes() + (drill_.fresh ? 0 : tail);
    std::int64_t foreign = std::max<std::int64_t>(0, found_bytes - most) +
                           (drill_.fresh ? 0 : std::max<std::int64_t>(0, most - found_bytes));
    for (std::int64_t i = 0; i < std::min(found_bytes, most); ++i) {
      const bool nobodys = i >= file_bytes() || i % period_ >= size_ * block;
      if (nobodys && static_cast<unsigned char>(content[static_cast<std::size_t>(i)]) != was_at(i)) ++foreign;
    }
    return foreign;
  }

  [[nodiscard]] std::int64_t wrong_in_memory(std::int64_t counted) const {
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < counted; ++i)
      if (data_[static_cast<std::size_t>(i)] != new_byte(rank_, i)) ++wrong;
    return wrong;
  }

  static std::string text_of(int code) {
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    return text;
  }

  void note_message(const std::string& text) {
    message_ = text;
    const std::string name = drill_.file.substr(drill_.file.rfind('/') + 1);
    found_.named = 1;
    for (const std::string& part :
         {std::string("rank "), name, std::string("at offset "), std::string("(errno "), drill_.names})
      if (message_.find(part) == std::string::npos) found_.named = 0;
  }

  void command(const std::string& words) const {
    if (words.empty()) return;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0 && std::system(words.c_str()) != 0)
      std::fprintf(stderr, "drill %s: failed: %s\n", drill_.name.c_str(), words.c_str());
    MPI_Barrier(MPI_COMM_WORLD);
  }

  static void limit(rlim_t bytes) {
    rlimit now{};
    getrlimit(RLIMIT_FSIZE, &now);
    now.rlim_cur = bytes;
    signal(SIGXFSZ, bytes == RLIM_INFINITY ? SIG_DFL : SIG_IGN);  // the write fails with EFBIG instead
    setrlimit(RLIMIT_FSIZE, &now);
  }

  const Drill& drill_;
  std::string rules_, message_;
  int rank_ = 0, size_ = 1;
  std::int64_t period_ = block, blocks_ = 1;
  std::vector<unsigned char> data_;
  MPI_File file_ = MPI_FILE_NULL;
  std::optional<LibraryFile> library_;  ///< instead of `file_`
  Found found_;
};

}  // namespace

Outcome run_drill(const Drill& drill) {
  Runner runner(drill);
  const Found mine = runner.run();
  Outcome outcome;
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  outcome.ranks.resize(static_cast<std::size_t>(size));
  MPI_Gather(&mine, sizeof mine, MPI_BYTE, outcome.ranks.data(), sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD);
  std::string text = runner.message();
  text.resize(MPI_MAX_ERROR_STRING);
  std::string all(text.size() * static_cast<std::size_t>(size), '\0');
  MPI_Gather(text.data(), MPI_MAX_ERROR_STRING, MPI_CHAR, all.data(), MPI_MAX_ERROR_STRING, MPI_CHAR, 0,
             MPI_COMM_WORLD);
  for (std::size_t at = 0; at < all.size() && outcome.message.empty(); at += text.size())
    outcome.message = all.c_str() + at;
  return outcome;
}

}  // namespace collio::test
