// Where NVTX and ITT look for a tool.
#include "agent/core/process.hpp"
#include "agent/core/variables.hpp"
#include "agent/range/ranges.hpp"

namespace prof::range {

void offer_to_libraries() {
  const Options& o = process().options;
  // A forked or started child that is not followed is switched off by PROF_RUN, and its libraries are told so.
  if (!o.ranges) return;
  offer_ourselves("NVTX_INJECTION64_PATH");
  offer_ourselves("INTEL_LIBITTNOTIFY64");
}

}  // namespace prof::range
