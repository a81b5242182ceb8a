// The features, in the order in which they are prepared: one may use those above it, as its files may include theirs.
#include "agent/thread/feature.hpp"

#define PROF_FEATURE(space)     \
  namespace prof::space {       \
  extern const Feature feature; \
  }
PROF_FEATURE(capture)
PROF_FEATURE(trace)
PROF_FEATURE(heap)
PROF_FEATURE(memory)
PROF_FEATURE(copy)
PROF_FEATURE(steps)
PROF_FEATURE(range)
PROF_FEATURE(ops)
PROF_FEATURE(wait)
PROF_FEATURE(files)
PROF_FEATURE(gpu)
PROF_FEATURE(python::imports)
PROF_FEATURE(python::exact)
PROF_FEATURE(ticks)

namespace prof {
namespace {

constexpr const Feature* kFeatures[] = {
    &capture::feature, &trace::feature,           &heap::feature,          &memory::feature, &copy::feature,
    &steps::feature,   &range::feature,           &ops::feature,           &wait::feature,   &files::feature,
    &gpu::feature,     &python::imports::feature, &python::exact::feature, &ticks::feature,
};

}  // namespace

std::span<const Feature* const> features() { return kFeatures; }

}  // namespace prof
