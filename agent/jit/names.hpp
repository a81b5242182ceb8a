// Names of functions that were made at run time.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/thread/guard.hpp"

namespace prof::jit {

// The frame word of a function as its maker calls it, which begins at `line` of the file `source`; 0 and empty: not
// known. 0: there is no room for its name. Of so many names only one is left for all others.
std::uint64_t frame_of(const Guard& guard, std::string_view name, std::string_view source, std::uint32_t line);
// The same for a method whose lines are known: its frame word where no line of it is meant.
std::uint64_t method_frame_of(const Guard& guard, std::string_view name, std::string_view source, std::uint32_t line);
// The same for a trace of LuaJIT's, which begins at its line `at`.
std::uint64_t trace_frame_of(const Guard& guard, std::string_view name, std::string_view source, std::uint32_t line,
                             std::uint32_t at);
// That method's at one of its lines. Hook contexts.
std::uint64_t at_line(std::uint64_t method_frame, std::uint32_t line);

}  // namespace prof::jit
