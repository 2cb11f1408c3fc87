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
  int node = 0;    ///< that enters, or has the message's slot
  int window = 0;  ///< an index
  int team = 0;    ///< whose message it is
  int group = 0;   ///< of its slot
  std::int64_t batch = 0;
};

struct TwoLayerWindow {
  bool open = false;  ///< has its slot; of a read: has been read
  int group = 0;      ///< of the slot
  int parts = 0;      ///< parties that are done: the node itself, and teams of other nodes
  double begun_s = 0;
  std::vector<TwoLayerEvent> pending;  ///< messages that came before it was open
};

/// Where a node is on one of its courses.
struct TwoLayerLane {
  flow::Course course = flow::Course::home;
  flow::Batch batch;  ///< the next one
  bool more = false;
};

struct TwoLayerNode {
  std::unique_ptr<flow::WindowOrder> order;
  std::array<TwoLayerLane, 2> lanes{TwoLayerLane{flow::Course::home, {}, false},
                                    TwoLayerLane{flow::Course::transit, {}, false}};
  bool waits = false;
  double free_s = 0;      ///< its ranks have passed all batches before
  double copying_s = 0;   ///< that they were at work
  std::vector<int> left;  ///< slots in use of each group
  flow::InTransit in_transit;
  std::array<std::int64_t, flow::InTransit::batches> bytes_out{};
};

}  // namespace collio::simulate
