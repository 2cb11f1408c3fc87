// An open file of a front: sizes, flushes, warnings, handles, and its line in the report.
#include "engine/session/session.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/call/call.hpp"
#include "engine/file/same_call.hpp"
#include "engine/report/report_line.hpp"
#include "engine/report/say.hpp"
#include "environment.hpp"
#include "open_file.hpp"
#include "temporary_file.hpp"

namespace collio::engine {
namespace {

using core::ErrorClass;
using test::Environment;
using test::OpenedFile;

TEST(Session, ASizeIsNotNegativeAndTheModeIsHeeded) {
  const OpenedFile<> opened;
  const Visit visit(opened.file(), "set_size");
  const core::Error mode{ErrorClass::read_only, "mode"};
  EXPECT_TRUE(opened.front()->check_size(visit, 0, {}).ok());
  EXPECT_EQ(opened.front()->check_size(visit, -1, mode).kind, ErrorClass::argument);
  EXPECT_EQ(opened.front()->check_size(visit, 5, mode).kind, ErrorClass::read_only);
}

TEST(Session, AFlushPassesOnWhatFailedBefore) {
  const OpenedFile<> opened;
  const Visit visit(opened.file(), "sync");
  EXPECT_TRUE(opened.front()->flush(visit, {}).ok());
  EXPECT_EQ(opened.front()->flush(visit, {ErrorClass::quota, "before"}).message, "before");
}

TEST(Session, ItsQueueIsMadeAtFirstUseAndDrained) {
  const OpenedFile<> opened;
  EXPECT_EQ(opened.front()->queue_so_far(), nullptr);
  bool done = false;
  opened.front()->queue().post([&] { done = true; });
  opened.front()->drain();
  EXPECT_TRUE(done && opened.front()->queue_so_far()->idle());
}

TEST(Session, AnErrorOfACloseIsReturnedAndTheFileIsClosedAllTheSame) {
  const OpenedFile<> opened;
  int alone = 0;
  const core::Error error = opened.front()->close(
      {.agree = true, .mine = {ErrorClass::io, "front"}, .what = "", .alone = [&] { ++alone; }});
  EXPECT_EQ(error.message, "front");
  EXPECT_EQ(alone, 1);
  EXPECT_EQ(opened.front()->engine, nullptr);
}

TEST(Stored, AFileForWritingAloneIsOpenedSoWhereItCannotBeRead) {
  const test::TemporaryFile file;
  ::chmod(file.path().c_str(), 0200);
  const uid_t user = ::geteuid();
  if (user == 0) {
    ASSERT_EQ(::chown(file.path().c_str(), 65534, 65534), 0);
    ASSERT_EQ(::seteuid(65534), 0);
  }
  for (const bool reads : {true, false}) {
    const FileRequest request{MPI_COMM_SELF, file.path(), reads, true, {}, {}, {}};
    auto opened = File::open(request);
    EXPECT_EQ(opened.ok(), !reads) << "one that is read, too, is of no use half open";
    if (!opened) continue;
    EXPECT_FALSE(opened.value()->stored.readable);
    EXPECT_NE(opened.value()->stored.handle(), nullptr);
    Session session(std::move(opened.value()));
    EXPECT_TRUE(session.close({}).ok());
  }
  ASSERT_EQ(::seteuid(user), 0);
}

TEST(Stored, FaultsAreAnnounced) {
  const OpenedFile<> none, some(test::Hints{{"collio_faults", "all:write9:ENOSPC"}});
  EXPECT_TRUE(none.file().records.warnings.empty());
  bool said = false;
  for (const std::string& warning : some.file().records.warnings)
    said = said || warning.starts_with("FAULTS ARE INJECTED into the calls on " + some.path());
  EXPECT_TRUE(said);
}

TEST(SameCall, AnErrorStaysOwedUntilACallThatMovesBytes) {
  const OpenedFile<> opened(test::Hints{{"romio_cb_write", "disable"}});
  File& file = opened.file();
  file.unmet.owed = {ErrorClass::io, "late"};
  {
    const Visit visit(file, "sync");
    EXPECT_TRUE(check_same_call(visit, "sync").ok()) << "this rank has had its error";
  }
  EXPECT_EQ(file.unmet.owed.kind, ErrorClass::io);
  const Visit visit(file, "write_all");
  EXPECT_TRUE(check_same_data_call(visit, "write_all").ok());
  EXPECT_TRUE(file.unmet.owed.ok()) << "programs look at what a data call returns";
}

TEST(Say, AWarningIsSaidOnceAndByTheFirstRank) {
  const Environment set{};
  testing::internal::CaptureStderr();
  say_once(MPI_COMM_SELF, "only once");
  say_once(MPI_COMM_SELF, "only once");
  say_rest(MPI_COMM_SELF, {"said at open", "at close"}, 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "collio: only once\ncollio: at close\n");
}

TEST(Say, AsManyAsAReaderCanBearAreSaid) {
  const Environment set{};
  testing::internal::CaptureStderr();
  for (int i = 0; i < 300; ++i) say_once(MPI_COMM_SELF, "warning " + std::to_string(i));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_LE(std::ranges::count(said, '\n'), 101);
  EXPECT_TRUE(said.ends_with("collio: further warnings are in the report (collio run --report FILE)\n"));
}

TEST(Say, MoreIsSaidWhereItIsAskedFor) {
  const Environment off{{"COLLIO_VERBOSE", "0"}};
  EXPECT_FALSE(verbose());
  const Environment set{{"COLLIO_VERBOSE", "1"}};
  EXPECT_TRUE(verbose());
  const OpenedFile<> opened;
  testing::internal::CaptureStderr();
  say_opened(opened.file(), MPI_COMM_SELF, "cb_nodes=4 (ROMIO_HINTS)");
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find(opened.path() + ": 1 aggregator, collective buffers of at most"), std::string::npos)
      << said;
  EXPECT_NE(said.find("hints of other settings: cb_nodes=4 (ROMIO_HINTS)"), std::string::npos);
}

TEST(FileReport, AFileHasALineAtOpenAndOneAtCloseWithItsCalls) {
  const test::TemporaryFile report;
  const Environment set{{"COLLIO_REPORT", report.path()}};
  std::string path, bytes(100, 'x');
  {
    const OpenedFile<> opened(test::Hints{{"cb_buffer_size", "4194304"}});
    path = opened.path();
    opened.front()->announce(MPI_COMM_SELF, "");
    CallRequest call;
    call.operation = "write_at_all";
    call.memory = access::MemoryAccess(bytes.data(), core::Pattern::contiguous(0, 100));
    EXPECT_TRUE(collective_call(opened.file(), call).error.ok());
    opened.front()->note_independent();
    opened.front()->note_by_library();
  }
  std::istringstream in(report.content());
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  ASSERT_GE(lines.size(), 2U);
  EXPECT_EQ(lines.front().at("still_open"), 1);
  const nlohmann::json& last = lines.back();
  EXPECT_EQ(last.at("id"), lines.front().at("id"));
  EXPECT_EQ(last.at("still_open"), 0);
  EXPECT_EQ(last.at("file"), path);
  EXPECT_EQ(last.at("comm_size"), 1);
  EXPECT_EQ(last.at("hints").at("cb_buffer_size"), "4194304");
  EXPECT_EQ(last.at("independent_calls"), 1);
  EXPECT_EQ(last.at("library_calls"), 1);
  ASSERT_EQ(last.at("calls").size(), 1U);
  EXPECT_EQ(last.at("calls")[0].at("operation"), "write_at_all");
  EXPECT_EQ(last.at("calls")[0].at("bytes"), 100);
}

TEST(FileReport, OnlyTheFirstRankWishesOneWhereItIsAskedFor) {
  const OpenedFile<> opened;
  const Environment none{};
  EXPECT_EQ(FileReport().wishes(opened.file()).report, 0);
  const Environment set{{"COLLIO_REPORT", "/dev/null"}};
  EXPECT_EQ(FileReport().wishes(opened.file()).report, 1);
}

}  // namespace
}  // namespace collio::engine
