// Operators that may end on another thread than they began on: those whose work is waited for elsewhere, as collectives
// of the distributed package.
#pragma once

#include <cstdint>

#include "agent/ops/local.hpp"

namespace prof::ops {

// Remembers an operator that began; false: there are too many. Finds and forgets one; false: it is not known. Any
// thread; ordinary code; takes a short lock, `take_detached` only where there is any.
bool put_detached(const Open& open);
bool take_detached(const RecordFunction* function, Open& open);

// Whether there may be one. A load.
bool any_detached();

// Once at start.
void prepare_detached();

}  // namespace prof::ops
