// What each stack of a tree does: several folds and the rules ask for it.
#pragma once

#include <string>
#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/fold/own/activity.hpp"

namespace prof::fold {

struct Doing {
  explicit Doing(const CallTree& tree);

  // By node of the tree.
  const std::string& name(std::uint32_t node) const { return activities.name(below_own[node].name); }

  Activities activities;
  std::vector<Activity> below_own;  // by node: activities_below_own()
  std::vector<bool> idle;           // by node: idle_waits()
};

// Of a line tree; made when it is first asked for, and kept by the tree. The first call is not for several threads at
// once.
const Doing& doing(const CallTree& tree);

}  // namespace prof::fold
