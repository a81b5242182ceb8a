// What the hooks of a trainer took, and functions that the user watches.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/fold/selection.hpp"
#include "report/fold/time/functions.hpp"

namespace prof::fold {

struct Action {
  std::string name;
  model::Metrics sampled;  // times of what happened in it, inner actions included; of functions within themselves once
  // Where all of its functions were counted exactly.
  struct Exact {
    std::int64_t calls = 0;
    std::int64_t ns = 0;  // wall time
  };
  std::optional<Exact> exact;

  // Wall time: exact, or of samples CPU time and time in blocking calls.
  std::int64_t ns() const;
};

struct Actions {
  std::vector<Action> rows;   // most wall time first
  std::int64_t wall_ns = 0;   // of the processes that ran any
  bool waits_known = false;   // blocking calls were recorded
  bool device_known = false;  // it is known what devices did
};

// `tree`: of functions, with Python's frames, of what `selection` takes of the run.
Actions actions(const CallTree& tree, const model::Run& run, const Selection& selection);

// The functions below the actions that are `wanted`, these included, as functions() has them: times in the actions
// alone.
std::vector<FunctionRow> functions_in_actions(const CallTree& tree, const model::Run& run, const Selection& selection,
                                              const std::function<bool(const std::string&)>& wanted);

}  // namespace prof::fold
