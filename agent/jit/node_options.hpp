// Node, by the variable that it reads its options from.
#pragma once

namespace prof::jit {

// Has Node, this process or one that it starts, list its functions in /tmp/perf-PID.map, where --js on asks for it.
// Process event: start.
void ask_node();

}  // namespace prof::jit
