// Independent pieces of work on as many threads as there are processors.
#pragma once

#include <cstddef>
#include <functional>

namespace prof::read {

// Calls work(i) for each i below `count`, each once and in no order, on at most `threads` threads, the caller's among
// them; 0: as many as there are processors. The first exception is thrown again, once all threads are done.
void in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

}  // namespace prof::read
