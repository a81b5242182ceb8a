// Tasks of event loops, and what happened in them.
#pragma once

#include <cstdint>
#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/fold/selection.hpp"

namespace prof::fold {

struct TaskRow {
  static constexpr std::uint32_t kUnknown = UINT32_MAX;
  std::uint32_t function = 0;          // id in Symbols: its name, and its coroutine's as the module; where nothing was
                                       // seen but that the loop waited for it, the coroutine's function
  std::uint32_t coroutine = kUnknown;  // id in Symbols of the coroutine's function; kUnknown: it was in no stack
  model::Metrics inside;               // of stacks in which it stands, each once
  std::int64_t awaited_ns = 0;         // blocked: the loop waited, with nothing to do, and it was the task it ran for
};

struct TaskRows {
  std::vector<TaskRow> rows;  // by CPU time, then by blocked time
  model::Metrics all;         // of stacks in which any of them stands
  std::int64_t awaited_ns() const;
};

// Whether it is the function in which a loop of asyncio waits; below it stand the coroutines that its main task awaits.
// Others wait by the same functions: subprocess for what a child writes.
bool is_wait_of_loop(const CallTree& tree, std::uint32_t node);

// `tree`: of the run and the selection.
TaskRows tasks(const model::Run& run, const CallTree& tree, const Selection& selection);

}  // namespace prof::fold
