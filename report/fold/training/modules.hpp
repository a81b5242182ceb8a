// Modules of PyTorch as they called each other, with all that happened in them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/fold/call_tree.hpp"

namespace prof::fold {

// A module at one place: what of a program's modules has the same classes and the same calling lines from the outermost
// module inwards is one.
struct ModuleNode {
  std::uint32_t parent = 0;
  std::uint32_t depth = 0;                 // of the outermost modules: 1
  std::string name;                        // the class that defines forward()
  std::uint32_t function = 0;              // forward(): id in Symbols
  std::uint32_t called_from = UINT32_MAX;  // location; UINT32_MAX: not known
  model::Metrics self;                     // without the modules inside
  model::Metrics total;
  // What backward functions did for operators that were called in it: wall time, exact, and time on devices.
  std::int64_t self_backward_ns = 0, backward_ns = 0;
  std::int64_t self_backward_gpu_ns = 0, backward_gpu_ns = 0;
};

// nodes[0] stands for the whole: its total is that of the selection, its self what was in no module; nothing where
// there are no others. Parents stand before their children.
struct Modules {
  std::vector<ModuleNode> nodes;
  bool live_known = true, device_known = false, waits_known = false;
  // Whether it is known which operator made a backward function: where operators were recorded with the frames of
  // Python that called them, and no stacks are chosen.
  bool backward_known = false;
  std::int64_t backward_calls = 0;  // of backward functions
  std::int64_t unlinked = 0;        // of them, it was not known what made so many: they are in no module
};

// `tree` is the line_tree() of what `selection` takes of the run.
Modules module_tree(const model::Run& run, const CallTree& tree, const Selection& selection);

// Names from the outermost module to that one: "ResNet", "Sequential", "BasicBlock".
std::vector<std::string> path_of(const Modules& modules, std::uint32_t node);

}  // namespace prof::fold
