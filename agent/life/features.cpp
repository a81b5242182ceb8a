// The features, in the order in which they are prepared: one may use those above it, as its files may include theirs.
#include "agent/thread/feature.hpp"

// clang-format off
#define PROF_FEATURES(ROW) \
  ROW(capture) ROW(trace) ROW(heap) ROW(memory) ROW(copy) ROW(steps) ROW(range) ROW(ops) ROW(loops) ROW(wait) ROW(files) \
  ROW(gpu) ROW(jit) ROW(java) ROW(shell) ROW(python::imports) ROW(python::calls) ROW(ticks)
// clang-format on

#define PROF_DECLARED(space)    \
  namespace prof::space {       \
  extern const Feature feature; \
  }
PROF_FEATURES(PROF_DECLARED)

namespace prof {
namespace {

#define PROF_LISTED(space) &space::feature,
constexpr const Feature* kFeatures[] = {PROF_FEATURES(PROF_LISTED)};

}  // namespace

std::span<const Feature* const> features() { return kFeatures; }

}  // namespace prof
