// Python's objects: the blocks that the interpreter's own allocators (domains MEM and OBJ) hand out, which malloc never
// sees but as whole arenas.
//
// Our functions stand in front of the interpreter's, whichever it was told to use, and change neither blocks nor sizes:
// blocks from before are freed as ever, and who puts itself in front of us (tracemalloc, debug hooks) works as ever.
// What the interpreter's allocator hands on to malloc is malloc's.
#pragma once

namespace prof::python {

// Puts them in place, if the user asked for it; once. With the GIL, or before there are threads.
void watch_objects();

}  // namespace prof::python
