// What a log says of its process. Defined in life/describe.cpp, which knows all that there is to say.
#pragma once

namespace prof::log {

// Writes the Info chunk of the log that has just been made. Ordinary and signal contexts alike.
void describe_process();
// Writes what only matters where something is recorded, when the log first grows: the schema, and which processors
// there are. A process that starts and ends at once does without.
void describe_rest();

}  // namespace prof::log
