// Parts of the log that nobody writes for now: those of threads that have ended. The file keeps them; of the process's
// resident memory they are no part any more, as soon as all of a page rests.
#pragma once

#include "agent/contract/format.hpp"

namespace prof::log {

// Nobody stores to the chunk, from now until `wake`. Who does nevertheless takes a page fault, and nothing is lost. A
// chunk that rests must not be told to rest. Ordinary code; lock-free.
void rest(const ChunkHeader& chunk);
void wake(const ChunkHeader& chunk);

// Once at start.
void prepare_resting();

}  // namespace prof::log
