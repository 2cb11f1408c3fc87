// Nodes as the kernel describes them: folders like /sys, with the files that are looked at.
#include "machine/node_reader.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "machine/fabric.hpp"
#include "temporary_folder.hpp"

namespace collio::machine {
namespace {

namespace files = std::filesystem;

/// A folder like /sys, gone when the test is.
class Sys {
 public:
  void write(const std::string& path, const std::string& line) {
    files::create_directories(at(path).parent_path());
    std::ofstream(at(path)) << line << "\n";
  }
  void numa(int number, const std::string& processors) {
    write("devices/system/node/node" + std::to_string(number) + "/cpulist", processors);
  }
  void hardware(const std::string& entry, const std::string& address) {
    files::create_directories(at("devices/" + address));
    files::create_directories(at("class/" + entry));
    files::create_symlink(at("devices/" + address), at("class/" + entry + "/device"));
  }
  void net(const std::string& name, const std::string& address, const std::string& state, int speed_mbit) {
    if (!address.empty()) hardware("net/" + name, address);
    write("class/net/" + name + "/operstate", state);
    write("class/net/" + name + "/speed", std::to_string(speed_mbit));
  }
  void infiniband(const std::string& name, const std::string& address, const std::string& state,
                  const std::string& rate) {
    hardware("infiniband/" + name, address);
    write("class/infiniband/" + name + "/ports/1/state", state);
    write("class/infiniband/" + name + "/ports/1/rate", rate);
  }
  [[nodiscard]] NodeParts read() const { return read_node_parts(root_.path()); }

 private:
  [[nodiscard]] files::path at(const std::string& path) const { return files::path(root_.path()) / path; }

  test::TemporaryFolder root_;
};

CpuSet first(std::size_t count) { return CpuSet(count, true); }

TEST(NodeReader, ListsOfTheKernel) {
  EXPECT_EQ(parse_cpu_list("0-2,5"), (CpuSet{true, true, true, false, false, true}));
  EXPECT_EQ(parse_cpu_list("3"), (CpuSet{false, false, false, true}));
  for (const char* text : {"", "x", "1-", "-1", "3-1", "1,,2", "0-99999999", "1 2"})
    EXPECT_TRUE(parse_cpu_list(text).empty()) << text;
}

TEST(NodeReader, AMachineThatTellsNothingHasOneOfEach) {
  const Sys sys;
  const NodeParts parts = sys.read();
  EXPECT_EQ(parts.nics, 1);
  EXPECT_EQ(count_numas(parts, first(8)), 1);
  EXPECT_EQ(read_node_parts("/no/such/folder").nics, 1);
}

TEST(NodeReader, MemoryDomainsAreThoseWithProcessorsOfTheRanks) {
  Sys sys;
  sys.numa(0, "0-3,16-19");
  sys.numa(1, "4-7");
  sys.numa(2, "8-11");
  sys.numa(3, "");  // memory alone
  sys.write("devices/system/node/node_like/cpulist", "0-99");
  const NodeParts parts = sys.read();
  EXPECT_EQ(parts.numas.size(), 3U);
  EXPECT_EQ(count_numas(parts, first(64)), 3);
  EXPECT_EQ(count_numas(parts, first(4)), 1);
  EXPECT_EQ(count_numas(parts, first(5)), 2);
  EXPECT_EQ(count_numas(parts, parse_cpu_list("6,9")), 2);
  EXPECT_EQ(count_numas(parts, parse_cpu_list("19")), 1);
  EXPECT_EQ(count_numas(parts, parse_cpu_list("40")), 1) << "never none";
}

TEST(NodeReader, AdaptersAreHardwareThatIsUp) {
  Sys sys;
  sys.net("lo", "", "unknown", 0);
  sys.net("docker0", "", "up", 10000);
  sys.net("eth0", "pci/0", "up", 25000);
  sys.net("eth1", "pci/1", "up", 25000);
  sys.net("eth2", "pci/2", "down", 25000);
  EXPECT_EQ(sys.read().nics, 2);
}

TEST(NodeReader, OnlyTheFastestAdaptersCount) {
  Sys sys;
  sys.net("eth0", "pci/0", "up", 1000);  // to log in
  sys.infiniband("mlx5_0", "pci/1", "4: ACTIVE", "200 Gb/sec (4X HDR)");
  sys.infiniband("mlx5_1", "pci/2", "4: ACTIVE", "200 Gb/sec (4X HDR)");
  sys.infiniband("mlx5_2", "pci/3", "1: DOWN", "200 Gb/sec (4X HDR)");
  EXPECT_EQ(sys.read().nics, 2);
  sys.infiniband("mlx5_3", "pci/4", "4: ACTIVE", "100 Gb/sec (4X EDR)");
  EXPECT_EQ(sys.read().nics, 2);
}

TEST(NodeReader, FacesOfOneAdapterCountOnce) {
  Sys sys;
  sys.infiniband("mlx5_0", "pci/1", "4: ACTIVE", "100 Gb/sec (4X EDR)");
  sys.net("ib0", "pci/1", "up", 100000);
  sys.net("eth7", "pci/8", "up", 100000);
  sys.write("devices/pci/8/physfn/here", "");  // a virtual function of an adapter
  EXPECT_EQ(sys.read().nics, 1);
}

TEST(NodeReader, LinksAreTheFastestAdaptersTogether) {
  Sys sys;
  EXPECT_EQ(sys.read().link_bytes_per_s, 0) << "none tells its rate";
  sys.net("eth0", "pci/0", "up", 25000);
  sys.net("eth1", "pci/1", "up", 25000);
  EXPECT_FALSE(sys.read().rdma);
  EXPECT_DOUBLE_EQ(sys.read().link_bytes_per_s, 6.25e9);
  sys.infiniband("mlx5_0", "pci/2", "1: DOWN", "200 Gb/sec (4X HDR)");
  EXPECT_FALSE(sys.read().rdma);
  sys.infiniband("mlx5_1", "pci/3", "4: ACTIVE", "200 Gb/sec (4X HDR)");
  EXPECT_TRUE(sys.read().rdma);
  EXPECT_DOUBLE_EQ(sys.read().link_bytes_per_s, 25e9);
}

TEST(NodeReader, SlingshotIsTakenForWhatItIs) {
  Sys sys;
  sys.net("hsn0", "pci/0", "up", 200000);
  sys.write("class/cxi/cxi0/device", "");
  EXPECT_TRUE(sys.read().rdma);
}

TEST(NodeReader, TheEnvironmentMayKeepMessagesToTcp) {
  NodeParts ethernet, fast;
  fast.rdma = true;
  EXPECT_EQ(fabric_of(ethernet, {}), Fabric::tcp);
  EXPECT_EQ(fabric_of(ethernet, {"verbs", "rc", ""}), Fabric::tcp);
  EXPECT_EQ(fabric_of(fast, {}), Fabric::rdma);
  for (const char* list : {"tcp;ofi_rxm", "sockets", "tcp,self,sm", "self,vader,tcp"})
    EXPECT_EQ(fabric_of(fast, {list, "", ""}), Fabric::tcp) << list;
  EXPECT_EQ(fabric_of(fast, {"", "tcp,sm", ""}), Fabric::tcp);
  EXPECT_EQ(fabric_of(fast, {"", "", "tcp,self"}), Fabric::tcp);
  for (const char* list : {"verbs", "rc,tcp", "all", "self,sm", "^tcp", ",;"})
    EXPECT_EQ(fabric_of(fast, {"", list, ""}), Fabric::rdma) << list;
}

TEST(NodeReader, ReadsTheNodeItIsOn) {
  const NodeParts parts = read_node_parts("/sys");
  EXPECT_GE(parts.nics, 1);
  EXPECT_GE(count_numas(parts, first(4096)), 1);
}

}  // namespace
}  // namespace collio::machine
