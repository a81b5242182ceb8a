// Flat folds: by function, by module, and the neighbours of a function.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/fold/call_tree.hpp"

namespace prof::fold {

// self: the function's own (tottime). cumulative: stacks that the function is anywhere on, each stack once however
// often the function recurs on it (cumtime).
struct FunctionRow {
  std::uint32_t function = 0;  // id in Symbols
  model::Metrics self;
  model::Metrics cumulative;
};
// Every function that is on a selected stack; ordered by cpu.ns of self, then of cumulative, then by blocked time, then
// by time on GPUs, descending, then by name.
// Ranges of the program's own and tasks are left out, unless they have figures of their own: they are no functions. The
// sum of self over all rows is the tree's total. With Figures::Times all others are 0, and functions without these are
// left out.
std::vector<FunctionRow> functions(const CallTree& tree, Figures figures = Figures::All);

// The file that a function's code is in: a library, an executable, a source file of Python; empty: none.
const std::string& module_of(const symbols::Function& function);

struct ModuleRow {
  std::string module;  // path; empty: no module (special frames and anonymous code)
  model::Metrics self;
  model::Metrics cumulative;  // each stack once
};
// Calls of APIs, work of devices and ranges are in no module; blocking calls in one by what they wait for.
std::vector<ModuleRow> modules(const CallTree& tree);

// One side of a function: how much of the function's figures came from one caller, or went to one callee.
struct Edge {
  std::uint32_t function = 0;  // the caller or callee; kNoCaller: the stack begins here
  model::Metrics self;         // callers: of the function itself, called from there. callees: of the callee itself
  model::Metrics cumulative;   // of stacks with that edge, each once
};
inline constexpr std::uint32_t kNoCaller = UINT32_MAX;
struct Neighbours {
  FunctionRow row;
  std::vector<Edge> callers, callees;  // ordered by cumulative cpu.ns, descending
};
Neighbours neighbours(const CallTree& tree, std::uint32_t function);

}  // namespace prof::fold
