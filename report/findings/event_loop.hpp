// Event loops of asyncio in stacks.
#pragma once

#include "report/symbols/symbols.hpp"

namespace prof::findings {

// Whether it is asyncio's function that runs callbacks: what is done below it, the loop's own wait aside, keeps all
// other tasks waiting.
bool runs_callbacks(const symbols::Function& function);

}  // namespace prof::findings
