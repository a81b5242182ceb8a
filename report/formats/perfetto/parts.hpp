// What a process has in a Perfetto trace. Each function returns the number of packets that it wrote.
#pragma once

#include <cstddef>
#include <cstdint>

#include "report/fold/call_tree.hpp"
#include "report/formats/perfetto/tracks.hpp"

namespace prof::formats::perfetto {

// The events of its trace.
std::size_t write_events(Sequence& sequence, Tracks& tracks, const show::Subject& subject, std::size_t process);

// Memory over time.
std::size_t write_counters(Sequence& sequence, Tracks& tracks, const model::Process& process);

// The kinds of memory of which something is live or was allocated, and what was live at the peak, as heaps. `tree` is
// the process's.
std::size_t write_heaps(Sequence& sequence, Tracks& tracks, const model::Process& process, const fold::CallTree& tree);

// CPU time of one thread, by its stacks: one StackSample each, with its whole time, and a PerfSample for each
// `one_of`-th sample.
std::size_t write_cpu(Sequence& sequence, Tracks& tracks, const model::Process& process, const model::Thread& thread,
                      const fold::CallTree& tree, std::uint64_t one_of);

}  // namespace prof::formats::perfetto
