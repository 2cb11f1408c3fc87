// The grammar of faults: what is taken, what is refused, and what a refusal names.
#include "policy/hints/faults.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

namespace collio::policy {
namespace {

FaultRule only(const std::string& text) {
  auto parsed = parse_faults(text);
  if (!parsed.ok() || parsed.value().rules.size() != 1) {
    ADD_FAILURE() << text;
    return {};
  }
  return parsed.value().rules[0];
}

TEST(Faults, AreNoneByDefault) {
  EXPECT_TRUE(parse_faults("none").value().rules.empty());
  EXPECT_EQ(parse_faults("@/a/b").value().file, "/a/b");
}

TEST(Faults, SayWhoWhereWhichAndWhat) {
  const FaultRule plain = only("all:write:ENOSPC");
  EXPECT_TRUE(plain.concerns(0, -1) && plain.concerns(1000000, 3));
  EXPECT_EQ(plain.where, FaultPoint::write);
  EXPECT_TRUE(plain.which.has(1) && plain.which.has(1 << 30));
  EXPECT_EQ(plain.effect.error, ENOSPC);
  const FaultRule some = only("0,2-5:read3+:EIO");
  for (const int rank : {0, 2, 5}) EXPECT_TRUE(some.concerns(rank, -1));
  for (const int rank : {1, 6}) EXPECT_FALSE(some.concerns(rank, 0));
  EXPECT_TRUE(!some.which.has(2) && some.which.has(3) && some.which.has(99));
  EXPECT_EQ(some.where, FaultPoint::read);
  const FaultRule one = only("aggregator=1:sync2:EDQUOT"), any = only("aggregators:open2-3:EACCES");
  EXPECT_TRUE(one.concerns(7, 1) && !one.concerns(1, 0) && !one.concerns(1, -1));
  EXPECT_TRUE(any.concerns(7, 0) && !any.concerns(7, -1));
  EXPECT_TRUE(one.which.has(2) && !one.which.has(1) && !one.which.has(3));
  EXPECT_TRUE(any.which.has(3) && !any.which.has(4));
}

TEST(Faults, HaveSeveralEffects) {
  const FaultEffect e = only("all:write:delay=0.25,stuck=2,EINTR=3,short=100,EFBIG").effect;
  EXPECT_EQ(e.delay_s, 0.25);
  EXPECT_EQ(e.stuck_s, 2);
  EXPECT_EQ(e.interruptions, 3);
  EXPECT_EQ(e.short_bytes, 100);
  EXPECT_EQ(e.error, EFBIG);
  EXPECT_EQ(only("all:read:ZERO").effect.error, 0);
  EXPECT_EQ(only("all:open:EINTR").effect.interruptions, 1);
  EXPECT_FALSE(only("all:read:short=0").effect.error.has_value());
}

TEST(Faults, RefusalsNameThePartAndWhatIsAllowed) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "''"},
      {"all", "'all'"},
      {"all:write", "'all:write'"},
      {"all:write:", "'all:write:'"},
      {"every:write:EIO", "'every'"},
      {"1-:write:EIO", "'1-'"},
      {"3-1:write:EIO", "'3-1'"},
      {"-1:write:EIO", "'-1'"},
      {"1,:write:EIO", "'1,'"},
      {"aggregator=:write:EIO", "'aggregator='"},
      {"all:written:EIO", "'written'"},
      {"all:write0:EIO", "'write0'"},
      {"all:write3-2:EIO", "'write3-2'"},
      {"all:write+:EIO", "'write+'"},
      {"all:write:EI0", "'EI0'"},
      {"all:write:eio", "'eio'"},
      {"all:write:EIO,ENOSPC", "'ENOSPC'"},
      {"all:write:delay", "'delay'"},
      {"all:write:delay=0", "'delay=0'"},
      {"all:write:delay=1e3", "'delay=1e3'"},
      {"all:write:delay=3601", "'delay=3601'"},
      {"all:write:delay=-1", "'delay=-1'"},
      {"all:write:delay=nan", "'delay=nan'"},
      {"all:write:short=", "'short='"},
      {"all:write:short=-1", "'short=-1'"},
      {"all:write:EINTR=0", "'EINTR=0'"},
      {"all:write:EINTR=1001", "'EINTR=1001'"},
      {"all:open:short=1", "'short=1'"},
      {"all:sync:ZERO", "'ZERO'"},
      {"all:write:EIO:EIO", "'EIO:EIO'"},
      {"all:write:short=99999999999999999999", "'short=99999999999999999999'"},
      {"all:write:EIO/", "all:write:EIO/"},
      {"all:write:EIO//all:read:EIO", "''"},
      {"none/all:write:EIO", "'none'"},
      {"@", "'@'"},
      {" all:write:EIO", "' all'"},
  };
  for (const auto& [text, named] : cases) {
    const auto parsed = parse_faults(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_NE(parsed.error().message.find(named), std::string::npos)
        << text << ": " << parsed.error().message;
    EXPECT_NE(parsed.error().message.find("WHO:WHERE:EFFECT"), std::string::npos) << text;
  }
}

TEST(Faults, InAFileAreLinesWithComments) {
  const auto parsed =
      parse_fault_file("# a drill\n\n  all:write2:EIO  # the second\nnone\r\n0:read:EINTR/1:read:EIO\n");
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(parsed.value().rules.size(), 3u);
  EXPECT_TRUE(parse_fault_file("").value().rules.empty());
  EXPECT_FALSE(parse_fault_file("all:write:EIO\nall:write:\n").ok());
  EXPECT_FALSE(parse_fault_file("@/other").ok());
}

}  // namespace
}  // namespace collio::policy
