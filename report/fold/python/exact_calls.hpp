// Exactly counted calls, over processes and threads: cProfile's table and who called whom.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/fold/selection.hpp"
#include "report/model/profile.hpp"

namespace prof::fold {

// A Python function, or a C function that Python code called.
struct CalledFunction {
  std::string name;         // co_name; of a C function what cProfile calls it: "<built-in method builtins.len>"
  std::string qualname;     // empty before Python 3.11 and of C functions
  std::string file;         // co_filename; empty for C functions
  std::int64_t line = 0;    // co_firstlineno
  model::CallMetric total;  // of all edges that lead here

  const std::string& display_name() const { return qualname.empty() ? name : qualname; }
};

struct CallEdge {
  std::optional<std::uint32_t> caller;  // index into ExactCalls::functions; none: called before calls were counted
  std::uint32_t callee = 0;
  model::CallMetric metric;
};

struct ExactCalls {
  std::vector<CalledFunction> functions;  // unique; ordered by total.self_ns, descending, then by file, line and name
  std::vector<CallEdge> edges;            // unique; ordered by callee, then by edge_outer_ns, descending
  bool empty() const { return edges.empty(); }
};

// Of the selected processes and threads; focus and ignore mean nothing here: an edge is no stack. A function that
// several processes ran is one.
ExactCalls exact_calls(const model::Run& run, const Selection& selection);

}  // namespace prof::fold
