// See drill_library.hpp.
#include "drill_library.hpp"

namespace collio::test {

namespace {

Ended ended(int code, std::int64_t counted = 0) {
  constexpr int classes[] = {MPI_SUCCESS,          MPI_ERR_OTHER,       MPI_ERR_ARG,    MPI_ERR_DISP,
                             MPI_ERR_TYPE,         MPI_ERR_NOT_SAME,    MPI_ERR_NO_MEM, MPI_ERR_BAD_FILE,
                             MPI_ERR_NO_SUCH_FILE, MPI_ERR_FILE_EXISTS, MPI_ERR_ACCESS, MPI_ERR_READ_ONLY,
                             MPI_ERR_FILE_IN_USE,  MPI_ERR_IO,          MPI_ERR_QUOTA,  MPI_ERR_NO_SPACE};
  return {classes[code], code == COLLIO_OK ? "" : collio_error_text(), counted};
}

}  // namespace

Ended LibraryFile::open(const std::string& hints) {
  std::string all = hints;
  for (const auto& [key, value] : drill_.hints) all += (all.empty() ? "" : ";") + key + "=" + value;
  const int mode = drill_.write ? COLLIO_READ | COLLIO_WRITE | COLLIO_CREATE : COLLIO_READ;
  const int code = collio_open(MPI_COMM_WORLD, drill_.file.c_str(), mode, all.c_str(), &file_);
  return ended(code == COLLIO_OK ? define() : code);
}

/// One variable, or three that share the blocks.
int LibraryFile::define() {
  const std::int64_t parts = drill_.form == "epoch" ? 3 : 1;
  std::vector<collio_part> declared;
  for (std::int64_t i = 0; i <= parts; ++i) begins_.push_back(blocks_.count * i / parts);
  for (std::size_t i = 0; i + 1 < begins_.size(); ++i) {
    const std::int64_t shape[] = {begins_[i + 1] - begins_[i], blocks_.period}, start[] = {0, blocks_.first},
                       count[] = {shape[0], blocks_.bytes};
    collio_decomposition* box = nullptr;
    variables_.push_back(nullptr);
    if (int code = collio_box(2, shape, start, count, &box)) return code;
    if (int code = collio_define(file_, box, 1, begins_[i] * blocks_.period, 0, &variables_.back()))
      return code;
    collio_free(&box);
    declared.push_back({variables_.back(), 0});
  }
  return drill_.form == "epoch" && drill_.write ? collio_declare(file_, parts, declared.data(), 1)
                                                : COLLIO_OK;
}

int LibraryFile::put_and_commit(unsigned char* data, std::int64_t& counted) {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    unsigned char* part = data + begins_[i] * blocks_.bytes;
    if (int code = drill_.write ? collio_put(variables_[i], 0, part, nullptr)
                                : collio_get(variables_[i], 0, part, nullptr))
      return code;
  }
  collio_request* request = nullptr;
  collio_request** place = drill_.form == "commit" ? nullptr : &request;
  int code = drill_.write ? collio_commit(file_, place) : collio_fetch(file_, place);
  if (code == COLLIO_OK && request) code = collio_wait(&request, &counted);
  if (code == COLLIO_OK && !place) counted = blocks_.count * blocks_.bytes;
  if (code != COLLIO_OK && drill_.form == "epoch") counted = 0;  // of which group is not told
  return code;
}

int LibraryFile::move_pieces(unsigned char* data, std::int64_t& counted) {
  std::vector<std::int64_t> offsets, lengths;
  for (std::int64_t i = 0; i < blocks_.count; ++i) {
    offsets.push_back(i * blocks_.period + blocks_.first);
    lengths.push_back(blocks_.bytes);
  }
  const collio_pieces pieces{blocks_.count, offsets.data(), lengths.data()};
  collio_request* request = nullptr;
  int code = drill_.write ? collio_write_pieces(file_, &pieces, data, nullptr, &request)
                          : collio_read_pieces(file_, &pieces, data, nullptr, &request);
  if (code == COLLIO_OK) code = collio_wait(&request, &counted);
  return code;
}

Ended LibraryFile::call(unsigned char* data) {
  std::int64_t counted = 0;
  const int code = drill_.form == "pieces" ? move_pieces(data, counted) : put_and_commit(data, counted);
  return ended(code, counted);
}

Ended LibraryFile::close() { return ended(collio_close(&file_)); }

}  // namespace collio::test
