#include "agent/thread/thread_state.hpp"

#include "agent/core/pages.hpp"

namespace prof {

constinit thread_local Tls tls __attribute__((tls_model("initial-exec"))) = {
    &nobody_state, ThreadPhase::New, 0, 0, 0, 0, nothing_counted, 0, 0, false, false, false, false, 0, 0};

PROF_LARGE constinit ThreadState nobody_state{};
alignas(4096) PROF_LARGE constinit std::byte nothing_counted[kNothingCountedBytes]{};

}  // namespace prof
