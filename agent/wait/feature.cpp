#include "agent/thread/feature.hpp"
#include "agent/wait/call.hpp"
#include "agent/wait/locks.hpp"
#include "agent/wait/use.hpp"

namespace prof::wait {
namespace {

void prepare() {
  prepare_uses();
  prepare_locks();
}

}  // namespace

extern constinit const Feature feature{.prepare = prepare,
                                       .begin_thread = begin_thread,
                                       .leave_calls = end_thread,
                                       .end_thread = note_last_use,
                                       .sign_of_life = look_now_and_then,
                                       .note_threads = note_uses};

}  // namespace prof::wait
