// A file that this process alone has open, as the engine and its fronts have it.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "engine/session/session.hpp"
#include "temporary_folder.hpp"

namespace collio::test {

using Hints = std::map<std::string, std::string>;

/// A path in a folder of its own. Opened by `Front`, an engine::Session.
template <class Front = engine::Session>
class OpenedFile {
 public:
  struct Way {
    bool reads = true, writes = true;
  };
  OpenedFile() : OpenedFile(Hints{}) {}
  explicit OpenedFile(const Hints& hints) : OpenedFile(hints, Way{}) {}
  OpenedFile(const Hints& hints, const Way& way) : path_(folder_.path() + "/f") {
    std::ofstream{path_};
    engine::FileRequest request{MPI_COMM_SELF, path_, way.reads, way.writes, hints, {}, {}};
    request.found = storage::look_for_subfiles(path_);
    auto opened = engine::File::open(request);
    EXPECT_TRUE(opened.ok() && opened.value());
    if (opened.ok()) front_ = std::make_shared<Front>(std::move(opened.value()));
  }
  ~OpenedFile() {
    if (!front_->engine) return;
    const core::Error error = front_->close({});
    EXPECT_TRUE(error.ok()) << error.message;
  }
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;

  [[nodiscard]] const std::shared_ptr<Front>& front() const noexcept { return front_; }
  [[nodiscard]] engine::File& file() const noexcept { return *front_->engine; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] std::string content() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  TemporaryFolder folder_;
  std::string path_;
  std::shared_ptr<Front> front_;
};

}  // namespace collio::test
