// Where the interpreter's evaluation loop is in memory, learned from frames that surely were runs of it.
#pragma once

#include <cstdint>

namespace prof::python {

// Any context; lock-free.
bool in_eval_loop(std::uintptr_t address);
// `address` was seen in a run of the loop: the whole of its function, as its call frame information bounds it, is loop.
void learn_eval_loop(std::uintptr_t address);

// Distance from the object that CFrames chains link to the end of its frame; one constant in each build. 0: not known.
std::uintptr_t cframe_distance();
void learn_cframe_distance(std::uintptr_t distance);

}  // namespace prof::python
