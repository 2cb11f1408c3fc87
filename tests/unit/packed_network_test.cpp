// Networks on their way between processes.
#include "machine/packed_network.hpp"

#include <gtest/gtest.h>

#include "networks.hpp"

namespace collio::machine {
namespace {

TEST(PackedNetwork, EverythingButRoutesArrives) {
  Network sent = two_racks();
  sent.storage = 6;
  const Network found = unpacked(packed(sent));
  EXPECT_EQ(found.name, sent.name);
  EXPECT_EQ(found.nodes, sent.nodes);
  EXPECT_EQ(found.storage, sent.storage);
  EXPECT_EQ(found.vertices, sent.vertices);
  ASSERT_EQ(found.links.size(), sent.links.size());
  for (std::size_t i = 0; i < sent.links.size(); ++i) {
    EXPECT_EQ(found.links[i].a, sent.links[i].a);
    EXPECT_EQ(found.links[i].b, sent.links[i].b);
    EXPECT_EQ(found.links[i].rate_bytes_per_s, sent.links[i].rate_bytes_per_s);
    EXPECT_EQ(found.links[i].latency_s, sent.links[i].latency_s);
  }
  EXPECT_EQ(found.next.size(), 0U);
}

TEST(PackedNetwork, AnEmptyNameAndNoLinksArrive) {
  const Network found = unpacked(packed({"", 1, {"a"}, {}, {-1}}));
  EXPECT_EQ(found.name, "");
  EXPECT_EQ(found.vertices, std::vector<std::string>{"a"});
  EXPECT_EQ(found.nodes, 1);
}

}  // namespace
}  // namespace collio::machine
