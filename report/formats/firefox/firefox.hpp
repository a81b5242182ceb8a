// Profiles for https://profiler.firefox.com: its processed format, version 70.
#pragma once

#include <cstddef>

#include "report/formats/write.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

struct FirefoxOptions {
  model::Measure measure = model::Measure::CpuTime;  // the weight of samples
  bool whole_names = false;
};

// A thread for each selected thread that has a value of the measure or events in a trace, and for each process's main
// thread; what cannot be told by thread is the main thread's. A stack stands once in its thread, with its whole value
// as weight: the times of samples put them one behind the other and mean nothing. The trace's events are markers, those
// of streams of devices in threads of their own; resident memory, heap and memory of devices are counters; the heap is
// the main thread's allocations. Returns the number of threads with something in them; writes nothing when there are
// none.
std::size_t firefox(const show::Subject& subject, const FirefoxOptions& options, const Write& write);

}  // namespace prof::formats
