// Ranges of the program's own, as it tells them through NVTX or ITT (or a framework's operators): the nested ones of a
// thread are the outermost frames of every stack that it takes, so that all metrics can be told by range.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/thread/guard.hpp"

namespace prof::range {

// Begins a range in the calling thread; returns its level among those of its domain (0 the outermost), negative when it
// cannot be told of. Ends the domain's innermost one, which need not be the thread's; returns its level, negative when
// none is open. `payload`: a number of the program's, for the trace alone. Ordinary code.
int push(std::string_view text, std::string_view domain, std::uint64_t payload = 0);
int pop(std::string_view domain);

// A range that may end on another thread: its id, never 0; kNoStarted when it cannot be told of. Other ids than those
// of open ranges are ignored, and counted. Ordinary code.
inline constexpr std::uint64_t kNoStarted = UINT64_MAX;
std::uint64_t start(std::string_view text, std::string_view domain, std::uint64_t payload = 0);
void end(std::uint64_t id);

// A moment: a range without time below the innermost one. Ordinary code.
void mark(std::string_view text, std::string_view domain, std::uint64_t payload = 0);

// The node of the calling thread's innermost range, under which its stacks hang; 0: none is open. Any context.
std::uint32_t root_node();

// Sets the injection doors' environment variables unless they are set: NVTX and ITT then call us. At start.
void offer_to_libraries();

// A thread begins, with no range; and ends, with what it left open.
void begin_thread(ThreadState& t);
void end_thread(ThreadState& t);

// Once at start.
void prepare_ranges();

}  // namespace prof::range
