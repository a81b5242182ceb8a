// Event loops of asyncio in stacks.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/finding.hpp"
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

// Whether it is a function of the hub by which greenlets of gevent or eventlet take turns; and whether there is one.
bool is_of_hub(const symbols::Function& function);
bool has_hub(const model::Process& process);

// Whether much of what runs in the loop is of other tasks than those that it was seen to wait for, which wait beside
// them: their outermost functions are others. Servers in the same loop that answer nobody but the program itself do not
// count: it is they who are awaited.
bool runs_other_tasks(const Evidence& evidence, const ThreadOf& program);

// The task for which the stack ran; empty: none that is known. And those of the program's thread.
std::string name_of_task(const fold::CallTree& lines, std::uint32_t node);
std::set<std::string> tasks_of(const Evidence& evidence, const ThreadOf& program);

// Whether the coroutine of that name is what runs for each connection: it is given to start_server(), by the text of
// the files of these places, or of their callers.
bool is_given_to_server(symbols::SourceFiles& files, const std::vector<Place>& places, std::string_view task);

// How many connections the process took, where the coroutine of that name is given to its server: so many such tasks
// there may be at once. 0: it is not, or not known.
std::int64_t connections_served(const Evidence& evidence, const ThreadOf& program, symbols::SourceFiles& files,
                                const std::vector<Place>& places, std::string_view task);

// Whether the loop had anybody who had to wait, as far as is known: long turns after which it never found an event, in
// a program of one kind of tasks, held up nobody.
bool others_wait(const Evidence& evidence, const ThreadOf& program);

// How many waits stood in one turn of the loop, on average: so many tasks wait in it, or one that could let them wait
// together. 0: not known. `lines`: locations; `long_calls`: those calls of theirs that make a turn a long one.
double waits_in_a_turn(const Evidence& evidence, const std::set<std::uint32_t>& lines, std::int64_t long_calls);

// Where what is awaited at the finding's first place stands in the block of an asyncio.Lock, says so and names its
// line: the others wait for that.
void tell_of_lock(Finding& finding, symbols::SourceFiles& files);

}  // namespace prof::findings
