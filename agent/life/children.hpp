// How this process's children ended, as far as the program asked.
#pragma once

namespace prof {

// Notes the end of child `pid` with `status` as wait(2) gives it; stops and continues are not ends. Needs a log.
// Ordinary code.
void note_child(int pid, int status);

// Once at start.
void prepare_children();

}  // namespace prof
