// Lines of the report: one for each of the first files of a kind, one for all further ones together.
#include "engine/report/report_book.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "environment.hpp"
#include "temporary_folder.hpp"

namespace collio::engine {
namespace {

using Json = nlohmann::json;
constexpr int own = ReportBook::most_of_a_kind;

FileSums file_of(const std::string& path, const std::string& kind, std::int64_t bytes = 0) {
  FileSums sums;
  sums.kind = kind;
  sums.line.file = path;
  if (bytes == 0) return sums;
  sums.calls.emplace_back();
  sums.calls[0].record.operation = "write_all";
  sums.calls[0].counted.bytes = bytes;
  return sums;
}

class Report : public ::testing::Test {
 protected:
  std::vector<Json> lines() const {
    std::vector<Json> all;
    std::ifstream in(path_);
    for (std::string line; std::getline(in, line);) all.push_back(Json::parse(line));
    return all;
  }
  /// Opens and closes `count` files of one kind.
  static void use(ReportBook& book, int count, const std::string& kind) {
    for (int i = 0; i < count; ++i) {
      const FileSums sums = file_of("/out." + std::to_string(i), kind, 10);
      book.closed(sums, book.opened(sums));
    }
  }

 private:
  const test::TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/report";
  const test::Environment environment_{{"COLLIO_REPORT", path_}};
};

TEST_F(Report, HasALineAtOpenAndOneAtCloseThatReplacesIt) {
  ReportBook book;
  const ReportLine line = book.opened(file_of("/a", "k"));
  ReportBook::write_open(file_of("/a", "k", 4), line);
  book.closed(file_of("/a", "k", 8), line);
  const auto all = lines();
  ASSERT_EQ(all.size(), 3U);
  for (const Json& one : all) EXPECT_EQ(one.at("id"), line.id);
  EXPECT_EQ(all[0].at("still_open"), 1);
  EXPECT_EQ(all[1].at("still_open"), 1);
  EXPECT_EQ(all[2].at("still_open"), 0);
  EXPECT_EQ(all[2].at("files"), 1);
  EXPECT_EQ(all[2].at("calls")[0].at("bytes"), 8);
}

TEST_F(Report, FurtherFilesOfAKindShareALine) {
  ReportBook book;
  use(book, own + 40, "k");
  book.write_what_is_left();
  const auto all = lines();
  EXPECT_LT(all.size(), 2U * own + 20) << "it is renewed at doublings";
  std::map<std::string, Json> last;
  for (const Json& one : all) last[one.at("id")] = one;
  ASSERT_EQ(last.size(), own + 1U);
  int together = 0;
  for (const auto& [id, one] : last) {
    EXPECT_EQ(one.at("still_open"), 0);
    if (one.at("files") == 1) continue;
    ++together;
    EXPECT_EQ(one.at("files"), 40);
    EXPECT_EQ(one.at("file"), "/out.#");
    EXPECT_EQ(one.at("calls")[0].at("bytes"), 400);
    EXPECT_EQ(one.at("calls")[0].at("repeats"), 40);
  }
  EXPECT_EQ(together, 1);
}

TEST_F(Report, AFileThatIsOpenAtTheEndIsCountedAsOpen) {
  ReportBook book;
  use(book, own, "k");
  const auto of_many = [&] { return lines().back(); };
  const FileSums more = file_of("/out.x", "k");
  const ReportLine one = book.opened(more), other = book.opened(more);
  EXPECT_TRUE(one.id.empty() && one.kind == "k");
  book.closed(more, one);
  book.write_what_is_left();
  EXPECT_EQ(of_many().at("files"), 2);
  EXPECT_EQ(of_many().at("still_open"), 1);
  EXPECT_EQ(of_many().at("file"), "/out.x") << "all had one path";
  book.closed(more, other);
}

TEST_F(Report, KindsHaveLinesSeparately) {
  ReportBook book;
  use(book, own, "k");
  EXPECT_FALSE(book.opened(file_of("/b", "l")).id.empty());
  EXPECT_TRUE(book.opened(file_of("/out.1", "k")).id.empty());
}

TEST_F(Report, StaysShortWhateverTheNumberOfKinds) {
  ReportBook book;
  int with_lines = 0;
  std::string last;
  for (int i = 0; i < 3 * ReportBook::most_lines; ++i) {
    const ReportLine line = book.opened(file_of("/" + std::to_string(i), "kind " + std::to_string(i)));
    with_lines += line.id.empty() ? 0 : 1;
    last = line.kind;
  }
  EXPECT_EQ(with_lines, ReportBook::most_lines);
  EXPECT_EQ(last, "") << "kinds beyond the number kept are one";
  book.write_what_is_left();
  EXPECT_EQ(lines().back().at("file"), "(further files)");
}

TEST_F(Report, WithoutAFileNothingIsWritten) {
  const test::Environment none{};
  ReportBook book;
  use(book, 3, "k");
  book.write_what_is_left();
  EXPECT_TRUE(lines().empty());
}

TEST_F(Report, TakesPicturesOfTwoFilesOfAKindThatHaveThem) {
  ReportBook book;
  const ReportLine line = book.opened(file_of("/a", "k"));
  EXPECT_TRUE(book.takes_pictures(line));
  for (int without = 0; without < ReportBook::most_pictures; ++without) {
    EXPECT_TRUE(book.takes_pictures(line));
    book.has_no_pictures(line);
  }
  EXPECT_TRUE(book.takes_pictures(line));
  EXPECT_FALSE(book.takes_pictures(line));
  EXPECT_TRUE(book.takes_pictures(book.opened(file_of("/b", "other"))));
}

}  // namespace
}  // namespace collio::engine
