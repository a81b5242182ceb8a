// Who answers a name first: the executable, then what is preloaded, in the order of the list.
#pragma once

namespace prof {

// Whether the program's calls of `name` come to us. Without asking the loader: who stands before us may hold a lock in
// which it waits for itself. While no other thread may change the loader's list.
bool comes_to_us(const char* name);

}  // namespace prof
