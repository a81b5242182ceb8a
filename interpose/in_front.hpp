// Who answers a name first: the executable, then what is preloaded, in the order of the list.
#pragma once

namespace prof {

// Whether the program's calls of `name` come to us, whose definition is at `ours`. Once at start.
bool comes_to_us(const char* name, const void* ours);

}  // namespace prof
