#include "planner/model.hpp"

#include <array>

#include "options.hpp"

namespace collio::planner {
namespace {

using bench::json;
using bench::UsageError;
using simulate::NodeCosts;
using simulate::StorageCosts;

template <class Costs>
struct Number {
  const char* name;
  double Costs::*member;
  /// allowed, and more
  double least;
};

constexpr double above_0 = 1e-300;
constexpr std::array node_numbers{
    Number<NodeCosts>{"cores", &NodeCosts::cores, 0},
    Number<NodeCosts>{"place_bytes_per_s", &NodeCosts::place_bytes_per_s, above_0},
    Number<NodeCosts>{"copy_bytes_per_s", &NodeCosts::copy_bytes_per_s, above_0},
    Number<NodeCosts>{"memory_bytes_per_s", &NodeCosts::memory_bytes_per_s, above_0},
    Number<NodeCosts>{"carry_bytes_per_s", &NodeCosts::carry_bytes_per_s, 0},
    Number<NodeCosts>{"place_piece_s", &NodeCosts::place_piece_s, 0},
    Number<NodeCosts>{"describe_piece_s", &NodeCosts::describe_piece_s, 0},
    Number<NodeCosts>{"merge_piece_s", &NodeCosts::merge_piece_s, 0},
    Number<NodeCosts>{"compare_s", &NodeCosts::compare_s, 0},
    Number<NodeCosts>{"pass_s", &NodeCosts::pass_s, 0},
    Number<NodeCosts>{"message_s", &NodeCosts::message_s, 0},
    Number<NodeCosts>{"match_s", &NodeCosts::match_s, 0},
};
constexpr std::array storage_numbers{
    Number<StorageCosts>{"call_s", &StorageCosts::call_s, 0},
    Number<StorageCosts>{"target_call_s", &StorageCosts::target_call_s, 0},
    Number<StorageCosts>{"target_bytes_per_s", &StorageCosts::target_bytes_per_s, above_0},
    Number<StorageCosts>{"writer_bytes_per_s", &StorageCosts::writer_bytes_per_s, above_0},
    Number<StorageCosts>{"node_bytes_per_s", &StorageCosts::node_bytes_per_s, above_0},
    Number<StorageCosts>{"lock_s", &StorageCosts::lock_s, 0},
};

double number(const json& value, const std::string& name, double least) {
  const double given = value.is_number() ? value.get<double>() : -1;
  if (given >= least && given < 1e30) return given;
  throw UsageError("--model: " + name + " is " + value.dump() + "; allowed: a number " +
                   (least > 0 ? "above 0" : "of 0 or more"));
}

constexpr std::array file_systems{std::pair{"network", simulate::FileSystem::network},
                                  std::pair{"local", simulate::FileSystem::local},
                                  std::pair{"memory", simulate::FileSystem::memory}};

simulate::FileSystem file_system_of(const json& value) {
  for (const auto& [name, kind] : file_systems)
    if (value == name) return kind;
  throw UsageError("--model: file_system is " + value.dump() + "; allowed: network, local, memory");
}

std::int64_t whole(const json& value, const std::string& name, std::int64_t most) {
  const std::int64_t given = value.is_number_integer() ? value.get<std::int64_t>() : 0;
  if (given >= 1 && given <= most) return given;
  throw UsageError("--model: " + name + " is " + value.dump() + "; allowed: 1 to " + std::to_string(most));
}

template <class Costs, class Numbers>
bool read_number(Costs& costs, const Numbers& numbers, const std::string& key, const json& value) {
  for (const auto& one : numbers)
    if (key == one.name) return costs.*one.member = number(value, key, one.least), true;
  return false;
}

void read_storage(StorageCosts& costs, const std::string& key, const json& value) {
  if (read_number(costs, storage_numbers, key, value)) return;
  if (key == "targets")
    costs.targets = static_cast<int>(whole(value, key, 1 << 20));
  else if (key == "stripe_bytes")
    costs.stripe_bytes = whole(value, key, std::int64_t{1} << 40);
  else if (key == "file_system")
    costs.file_system = file_system_of(value);
  else if (key == "asynchronous" && value.is_boolean())
    costs.asynchronous = value.get<bool>();
  else
    throw UsageError("--model: storage." + key + " is not known, or not " + value.dump());
}

machine::Fabric fabric_of(const json& value) {
  if (value == "rdma") return machine::Fabric::rdma;
  if (value == "tcp") return machine::Fabric::tcp;
  throw UsageError("--model: fabric is " + value.dump() + "; allowed: rdma, tcp");
}

}  // namespace

simulate::Model read_model(const std::string& text) {
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object()) throw UsageError("--model: no JSON object");
  simulate::Model model;
  for (const auto& [room, values] : document.items()) {
    if (room == "fabric") {
      model.fabric = fabric_of(values);
      continue;
    }
    if (room == "placed" && values.is_boolean()) {
      model.placed = values.get<bool>();
      continue;
    }
    if ((room != "node" && room != "storage") || !values.is_object())
      throw UsageError("--model: '" + room + "'; allowed: node, storage, placed, fabric");
    for (const auto& [key, value] : values.items()) {
      if (room == "node" && key == "processors")
        model.node.processors = static_cast<int>(whole(value, key, 1 << 20));
      else if (room == "node" && key == "eager_bytes")
        model.node.eager_bytes = whole(value, key, std::int64_t{1} << 40);
      else if (room == "storage")
        read_storage(model.storage, key, value);
      else if (!read_number(model.node, node_numbers, key, value))
        throw UsageError("--model: node." + key + " is not known");
    }
  }
  return model;
}

json json_of(const simulate::Model& model) {
  json node, storage;
  for (const auto& one : node_numbers) node[one.name] = model.node.*one.member;
  node["eager_bytes"] = model.node.eager_bytes;
  if (model.node.processors > 0) node["processors"] = model.node.processors;
  for (const auto& one : storage_numbers) storage[one.name] = model.storage.*one.member;
  for (const auto& [name, kind] : file_systems)
    if (model.storage.file_system == kind) storage["file_system"] = name;
  storage["targets"] = model.storage.targets;
  storage["stripe_bytes"] = model.storage.stripe_bytes;
  storage["asynchronous"] = model.storage.asynchronous;
  return {{"node", node},
          {"storage", storage},
          {"placed", model.placed},
          {"fabric", model.fabric == machine::Fabric::tcp ? "tcp" : "rdma"}};
}

}  // namespace collio::planner
