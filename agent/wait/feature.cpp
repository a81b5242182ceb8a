#include <cstddef>

#include "agent/thread/feature.hpp"
#include "agent/wait/call.hpp"
#include "agent/wait/functions.hpp"
#include "agent/wait/local.hpp"
#include "agent/wait/locks.hpp"
#include "agent/wait/use.hpp"

namespace prof::wait {
namespace {

void prepare() {
  prepare_uses();
  prepare_locks();
}

// Most threads need no more than these.
constexpr std::size_t kUsualFunctions = 10;
static_assert(offsetof(ThreadCalls, counters) + kUsualFunctions * sizeof(FunctionCounters) <= Room::kFirstPageBytes);

void give(ThreadState& t, void* room) { local(t).calls = static_cast<ThreadCalls*>(room); }

}  // namespace

extern constinit const Feature feature{.prepare = prepare,
                                       .begin_thread = begin_thread,
                                       .leave_calls = end_thread,
                                       .end_thread = note_last_use,
                                       .sign_of_life = look_now_and_then,
                                       .note_threads = note_uses,
                                       .room = {sizeof(ThreadCalls), give, Room::Where::FirstPage}};

}  // namespace prof::wait
