// Event loops of asyncio in stacks.
#pragma once

#include "report/findings/thread_time.hpp"
#include "report/symbols/source_files.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::findings {

// The most tasks that one asyncio.gather() of the program's was seen to wait for, so many as may run at once; 0: not
// known.
std::int64_t gathered_at_once(const Evidence& evidence, const ThreadOf& program);

// Whether the node's stack goes through a line of the user's own that calls asyncio.gather(), by the text.
bool gathers(const Evidence& evidence, symbols::SourceFiles& files, std::uint32_t node);

// Whether it is asyncio's function that runs callbacks: what is done below it, the loop's own wait aside, keeps all
// other tasks waiting.
bool runs_callbacks(const symbols::Function& function);

// Whether it is the function that waits for the loop; below it stand the coroutines that are awaited.
bool selects(const symbols::Function& function);

// Whether much of what runs in the loop is of other tasks than those that it was seen to wait for, which wait beside
// them: their outermost functions are others.
bool runs_other_tasks(const Evidence& evidence, const ThreadOf& program);

}  // namespace prof::findings
