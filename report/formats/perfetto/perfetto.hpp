// A trace for https://ui.perfetto.dev in Perfetto's own format.
#pragma once

#include <cstddef>
#include <cstdint>

#include "report/formats/write.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

struct PerfettoOptions {
  bool whole_names = false;
  std::uint64_t most_samples = 1'000'000;  // PerfSamples: of a run of days there may be more than any viewer opens
};

struct PerfettoResult {
  std::size_t packets = 0;          // 0: there is nothing to write
  std::size_t samples = 0;          // CPU samples of the run
  std::uint64_t one_sample_of = 1;  // so many CPU samples are one PerfSample
  std::uint64_t overwritten = 0;    // events that the rings no longer had
};

// Processes and threads; the events of a trace as slices of their threads and streams, with arrows from calls to what
// they launched and from operators to their backward functions; memory over time as counters; the heap and CPU time as
// stacks with sums, these at made-up times between the start and the end of their thread. Times count from the
// start of the run, and the file says what clocks had then. Focus and ignore choose stacks.
PerfettoResult perfetto_trace(const show::Subject& subject, const PerfettoOptions& options, const Write& write);

}  // namespace prof::formats
