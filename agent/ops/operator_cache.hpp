// Which node and record an operator has below another one: learned once in each thread.
#pragma once

#include <cstdint>

#include "agent/ops/inputs.hpp"
#include "agent/ops/local.hpp"
#include "agent/thread/guard.hpp"

namespace prof::ops {

// The operator that `inputs` are of, below the node `parent` (0: it is the outermost one), told apart by its shapes if
// they are wanted; null: there is no room for it. Good until the thread's next one. Hook contexts.
const CachedOperator* cached_operator(const Guard& guard, Thread& mine, Scope scope, Inputs& inputs, bool shapes,
                                      std::uint32_t parent);
// The same of one whose shapes are not wanted.
const CachedOperator* cached_operator(const Guard& guard, Thread& mine, Scope scope, const RecordFunction* function,
                                      std::uint32_t parent);

}  // namespace prof::ops
