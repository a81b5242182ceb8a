// Profiles for `go tool pprof`, speedscope, Grafana Pyroscope and whatever else reads pprof's profile.proto.
#pragma once

#include <cstddef>

#include "report/formats/write.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

struct PprofOptions {
  // What pprof shows first, and with it the kind of profile, which has
  //   CPU time or samples:           samples/count, cpu/nanoseconds
  //   allocations, allocated, live:  alloc_objects/count, alloc_space/bytes, inuse_objects/count, inuse_space/bytes
  //   any other:                     that one number
  model::Measure measure = model::Measure::CpuTime;
  bool whole_names = false;
};

// One sample for each stack of each process, and of each thread where the figures can be told by thread, with the
// labels "process" and "thread". What is in use is 0 throughout where threads were selected. Not compressed: readers
// take both. Returns the number of samples; writes nothing when there are none.
std::size_t pprof(const show::Subject& subject, const PprofOptions& options, const Write& write);

}  // namespace prof::formats
