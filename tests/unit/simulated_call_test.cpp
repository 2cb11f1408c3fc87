// Calls in virtual time: every byte is counted, every window ends, and nothing is faster than what it is made
// of.
#include <gtest/gtest.h>

#include <random>

#include "interleaved_job.hpp"
#include "simulate/published_run.hpp"
#include "simulate/two_layer_run.hpp"
#include "simulate/two_phase_run.hpp"

namespace collio::simulate {
namespace {

using policy::Path;
using test::interleaved;

CallSetting setting_of(const machine::Topology& topology, const Job& job, const std::string& hints = "") {
  std::vector<std::string> warnings;
  CallSetting setting{topology, job, {}, {}, policy::parse_hints(policy::split_hints(hints, warnings))};
  for (int node = 0; node < job.nodes(); ++node) setting.nodes.push_back(node);
  EXPECT_TRUE(warnings.empty() && setting.hints.warnings.empty());
  return setting;
}

std::int64_t windows_of(const policy::Domains& domains) {
  std::int64_t windows = 0;
  for (int d = 0; d < domains.count; ++d) windows += domains.rounds(d);
  return windows;
}

Outcome run(const CallSetting& s, Path path) {
  const PlannedCall call = plan_call(s, digest_of(s.job), path);
  EXPECT_EQ(call.plan.path, path) << policy::reason_text(call.plan);
  const Outcome outcome = path == Path::two_layer ? run_two_layer(s, call) : run_two_phase(s, call);
  EXPECT_EQ(outcome.windows, windows_of(call.plan.domains));
  return outcome;
}

void expect_bounds(const Outcome& o, const std::string& what) {
  for (const Phase& phase : o.phases)
    EXPECT_LE(phase.seconds, o.seconds * (1 + 1e-9)) << what << ": " << phase.name;
  EXPECT_GT(o.seconds, 0) << what;
  EXPECT_LE(o.mean_windows, o.most_windows + 1e-9) << what;
}

TEST(SimulatedCalls, RandomJobsComeToTheirEnd) {
  std::mt19937 dice(7);
  const auto roll = [&](int low, int high) { return std::uniform_int_distribution(low, high)(dice); };
  for (int i = 0; i < 300; ++i) {
    const int nodes = roll(2, 6), per_node = roll(2, 5);
    const Job job = interleaved(nodes * per_node, per_node, roll(1, 5000), roll(1, 3000));
    const machine::Topology topology = machine::SingleSwitch{nodes, {1e9, 1e-6}};
    const std::string hints = "cb_nodes=" + std::to_string(roll(1, nodes)) +
                              ";collio_window=" + std::to_string(roll(4096, 1 << 18)) +
                              ";nc_num_aggrs_per_node=" + std::to_string(roll(1, per_node - 1)) +
                              ";cb_buffer_size=" + std::to_string(roll(1 << 16, 1 << 22));
    CallSetting setting = setting_of(topology, job, hints);
    setting.reads = roll(0, 1) == 1;
    setting.model.storage.asynchronous = roll(0, 1) == 1;
    setting.model.storage.targets = roll(1, 4);
    for (const Path path : {Path::two_layer, Path::two_phase})
      expect_bounds(run(setting, path), hints + (setting.reads ? " read" : " write"));
    expect_bounds(run_published(setting, digest_of(job), {}), "romio");
  }
}

TEST(SimulatedCalls, StorageThatIsSlowDecides) {
  const Job job = interleaved(8, 2, 4096, 4096);
  const machine::Topology topology = machine::SingleSwitch{4, {1e9, 1e-6}};
  CallSetting setting = setting_of(topology, job, "cb_nodes=4;collio_window=1048576");
  setting.model.storage = {.targets = 4, .call_s = 0.1, .target_call_s = 0};
  for (const bool reads : {false, true})
    for (const Path path : {Path::two_layer, Path::two_phase}) {
      setting.reads = reads;
      const Outcome outcome = run(setting, path);
      EXPECT_GT(outcome.seconds, 32 * 0.1) << "an aggregator makes its calls one after the other";
      EXPECT_LT(outcome.seconds, 32 * 0.1 * 1.1);
    }
}

TEST(SimulatedCalls, ARankBesideTheAggregatorReceivesDuringStorageCalls) {
  const machine::Topology topology = machine::SingleSwitch{8, {10e9, 1e-6}};
  const Job job = interleaved(32, 4, 4096, 8192);
  CallSetting setting = setting_of(topology, job, "cb_nodes=1;collio_window=4194304");
  setting.model.node.message_s = 1e-3;
  setting.model.storage = {.targets = 8, .call_s = 0.03, .target_call_s = 0};
  const double overlapped_s = run(setting, Path::two_layer).seconds;
  setting.model.storage.asynchronous = false;
  EXPECT_LT(run(setting, Path::two_layer).seconds, 1.01 * overlapped_s);
}

TEST(SimulatedCalls, NodesThatShareCoresHaveNoMoreThanThese) {
  const Job job = interleaved(16, 2, 4096, 1000);
  const machine::Topology topology = machine::SingleSwitch{8, {100e9, 1e-6}};
  CallSetting setting = setting_of(topology, job);
  setting.model.storage = {.file_system = FileSystem::memory, .call_s = 0, .target_call_s = 0};
  setting.model.storage.target_bytes_per_s = setting.model.storage.writer_bytes_per_s = 1e12;
  setting.model.node.copy_bytes_per_s = 0.1e9;
  for (const Path path : {Path::two_layer, Path::two_phase}) {
    setting.model.node.processors = 0;
    const double apart_s = run(setting, path).seconds;
    setting.model.node.processors = 2;
    const double shared_s = run(setting, path).seconds;
    const double between_nodes = 16 * 4096 * 1000 * 7 / 8.;
    EXPECT_GT(shared_s, 2 * between_nodes / 0.1e9 / 2) << "all that is packed and placed, on two cores";
    EXPECT_GT(shared_s, 3 * apart_s);
    setting.hints.aggregators = 1;
    const double one_s = run(setting, path).seconds;
    setting.model.node.processors = 0;
    setting.model.node.cores = 0.25;
    EXPECT_GT(run(setting, path).seconds, 2 * one_s)
        << "a rank that works while others wait has a whole core";
    setting.model.node.cores = 0;
    setting.hints.aggregators = 0;
  }
}

TEST(SimulatedCalls, WindowsAreShortWhereFewNodesHaveBytesAtAPlace) {
  // An array in 8 slabs, each of 8 nodes that have a stripe of every plane: at a time these alone have bytes,
  // for all 64 aggregators.
  const std::int64_t stripe = 4 << 20, piece = 16 << 10, planes = 128;
  const Job job{512, 8, {0, 8 * planes * 8 * stripe}, [=](int rank) {
                  const int slab = rank / 64, row = rank / 8 % 8, column = rank % 8;
                  return std::vector{core::Pattern::contiguous(0, piece)
                                         .repeated({stripe / piece / 8, 8 * piece})
                                         .repeated({planes, 8 * stripe})
                                         .shifted((slab * planes * 8 + row) * stripe + column * piece)};
                }};
  const machine::Topology topology = machine::SingleSwitch{64, {25e9, 1e-6}};
  CallSetting setting = setting_of(topology, job);
  setting.model.storage.targets = 64;
  setting.model.storage.stripe_bytes = stripe;
  setting.model.storage.target_bytes_per_s = 5e9;
  setting.model.storage.writer_bytes_per_s = 2e9;
  const PlannedCall call = plan_call(setting, digest_of(job), Path::two_layer);
  EXPECT_TRUE(call.plan.domains.dealt());
  EXPECT_LT(call.plan.domains.window_bytes, stripe);
  const double chosen_s = run(setting, Path::two_layer).seconds;
  setting.hints.window_bytes = stripe;
  EXPECT_LT(chosen_s, 0.9 * run(setting, Path::two_layer).seconds) << "windows as long as stripes";
}

TEST(SimulatedCalls, DomainsArePlacedByTheNetworkIfSaid) {
  // Each node has a quarter of the file, the last node the first one: in order, all bytes pass the links.
  const std::int64_t block = 4 << 20;
  const Job job{
      8, 2, {0, 8 * block}, [&](int rank) {
        return std::vector{core::Pattern::contiguous((2 * (3 - rank / 2) + rank % 2) * block, block)};
      }};
  const machine::Topology topology = machine::SingleSwitch{4, {1e9, 1e-6}};
  CallSetting setting = setting_of(topology, job, "cb_nodes=4;collio_domains=aligned");
  for (const Path path : {Path::two_layer, Path::two_phase}) {
    setting.model.placed = false;
    EXPECT_EQ(run(setting, path).link.bytes / block, 2);
    setting.model.placed = true;
    EXPECT_LT(run(setting, path).link.bytes, block / 100);
  }
}

TEST(SimulatedCalls, AReceiverThatExpectsAllRanksIsSlow) {
  const machine::Topology topology = machine::SingleSwitch{64, {10e9, 1e-6}};
  const Job job = interleaved(64 * 32, 32, 64, 1024);
  CallSetting setting = setting_of(topology, job);
  setting.model.storage.targets = 8;
  const Outcome romio = run_published(setting, digest_of(job), {}),
                tam = run_published(setting, digest_of(job), {.local_aggregators = 128});
  EXPECT_EQ(romio.most_receives, 64 * 32);
  EXPECT_EQ(tam.most_receives, 128);
  EXPECT_EQ(tam.local_aggregators, 128);
  EXPECT_GT(romio.seconds, 4 * tam.seconds);
}

TEST(SimulatedCalls, PublishedWritesHaveContiguousDomainsWhereAHintSaysSo) {
  const machine::Topology topology = machine::SingleSwitch{4, {10e9, 1e-6}};
  const Job job = interleaved(16, 4, 4096, 1024);
  CallSetting lustre = setting_of(topology, job, "cb_nodes=4"),
              gpfs = setting_of(topology, job, "cb_nodes=4;collio_domains=aligned");
  lustre.model.storage.targets = gpfs.model.storage.targets = 2;
  const Outcome dealt = run_published(lustre, digest_of(job), {4, 0}),
                contiguous = run_published(gpfs, digest_of(job), {4, 0});
  EXPECT_EQ(dealt.window_bytes, 1 << 20);
  EXPECT_EQ(contiguous.window_bytes, 16 << 20) << "cb_buffer_size";
  EXPECT_EQ(dealt.rounds, 16);
  EXPECT_EQ(contiguous.rounds, 1);
}

TEST(SimulatedCalls, LayoutsAreIgnoredWhereAHintSaysSo) {
  const machine::Topology topology = machine::SingleSwitch{4, {10e9, 1e-6}};
  const Job job = interleaved(16, 4, 4096, 1024);
  for (const bool ignored : {false, true}) {
    CallSetting setting = setting_of(topology, job, ignored ? "collio_layout=disable" : "");
    setting.model.storage.targets = 3;
    const PlannedCall call = plan_call(setting, digest_of(job), Path::two_phase);
    EXPECT_EQ(call.machine.storage.layout.known(), !ignored);
    EXPECT_EQ(call.seats.size() % 3 == 0, !ignored) << call.seats.size();
    EXPECT_EQ(policy::reason_text(call.plan).find("stripes of") == std::string::npos, ignored);
  }
}

TEST(SimulatedCalls, OnlyRanksWithBytesInADomainDescribeThem) {
  const int ranks = 256;
  const machine::Topology topology = machine::SingleSwitch{32, {10e9, 1e-6}};
  const Job blocks{ranks, 8, {0, ranks * std::int64_t{65536}}, [](int rank) {
                     return std::vector{core::Pattern::contiguous(rank * std::int64_t{65536}, 65536)};
                   }};
  const CallSetting setting = setting_of(topology, blocks, "collio_domains=aligned");
  const Outcome outcome = run_published(setting, digest_of(blocks), {16, 0});
  EXPECT_EQ(outcome.aggregators, 16);
  EXPECT_EQ(outcome.messages, 2 * ranks) << "a list and a block of each";
}

}  // namespace
}  // namespace collio::simulate
