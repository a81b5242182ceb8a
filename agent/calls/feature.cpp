#include "agent/thread/feature.hpp"
#include "agent/calls/audit.hpp"
#include "agent/calls/exact.hpp"
#include "agent/calls/shadow.hpp"
#include "agent/python/interpreter.hpp"

namespace prof::python::calls {
namespace {

void meet_python() { prepare_python(install_audit_hook); }

void end_thread(ThreadState&) { drop_shadow(); }

}  // namespace

extern constinit const Feature feature{
    .prepare = prepare, .begin = meet_python, .end_thread = end_thread, .before_end = book};

}  // namespace prof::python::calls
