// Which run this process belongs to, and where its logs go.
#pragma once

namespace prof {

// From PROF_RUN, which a parent of the same run left for us, or anew: a run id, and PROF_OUT or a directory named
// prof-YYYYmmdd-HHMMSS-PID below the working directory. Creates nothing. Also finds libprof.so's own absolute path, and
// the rank in a distributed job. Process event: start.
void identify_run();

}  // namespace prof
