// Locks of asyncio that are held while a task waits for something else.
#pragma once

#include <string>

#include "report/fold/own_code.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// A sentence about the first `async with` of the user's own Python code that takes a lock, by its name, and awaits
// something in its block: other tasks that want the lock wait as long. Whether any does, nobody recorded. Empty: there
// is none, or the source is not at hand.
std::string held_await_text(const Subject& subject, const fold::OwnCode& own);

}  // namespace prof::show
