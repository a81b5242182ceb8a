#include "agent/thread/feature.hpp"
#include "agent/calls/exact.hpp"
#include "agent/calls/shadow.hpp"

namespace prof::python::calls {
namespace {

void end_thread(ThreadState&) { drop_shadow(); }

}  // namespace

extern constinit const Feature feature{.prepare = prepare, .end_thread = end_thread, .before_end = book};

}  // namespace prof::python::calls
