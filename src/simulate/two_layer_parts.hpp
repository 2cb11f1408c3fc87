// What a two-layer call in virtual time consists of: messages and what happens to them, windows, nodes.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "flow/in_transit.hpp"
#include "flow/window_order.hpp"

namespace collio::simulate {

struct TwoLayerEvent {
  enum Kind { enter, send, arrive, part, stored, answer, answered, free } kind = enter;
  /// that enters, or has the message's slot
  int node = 0;
  /// an index
  int window = 0;
  /// whose message it is
  int team = 0;
  /// of its slot
  int group = 0;
  std::int64_t batch = 0;
};

struct TwoLayerWindow {
  /// has its slot; of a read: has been read
  bool open = false;
  /// of the slot
  int group = 0;
  /// parties that are done: the node itself, and teams of other nodes
  int parts = 0;
  double begun_s = 0;
  /// messages that came before it was open
  std::vector<TwoLayerEvent> pending;
};

/// Where a node is on one of its courses.
struct TwoLayerLane {
  flow::Course course = flow::Course::home;
  /// the next one
  flow::Batch batch;
  bool more = false;
};

struct TwoLayerNode {
  std::unique_ptr<flow::WindowOrder> order;
  std::array<TwoLayerLane, 2> lanes{TwoLayerLane{flow::Course::home, {}, false},
                                    TwoLayerLane{flow::Course::transit, {}, false}};
  bool waits = false;
  /// its ranks have passed all batches before
  double free_s = 0;
  /// that they were at work
  double copying_s = 0;
  /// slots in use of each group
  std::vector<int> left;
  flow::InTransit in_transit;
  std::array<std::int64_t, flow::InTransit::batches> bytes_out{};
};

}  // namespace collio::simulate
