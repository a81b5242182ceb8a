// Calls that CUPTI told the beginning of, and whose end it does not tell of any longer.
#include "agent/gpu/device.hpp"
#include "agent/gpu/local.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/cupti_buffers.hpp"

using namespace prof;
using namespace prof::test;

TEST_CASE("agent: a call that another user of callbacks took the end of is left") {
  Fixture f;
  ThreadState* const before = tls.state;
  tls.state = &f.guard.thread();
  gpu::Local& mine = gpu::local(*tls.state);
  tls.call_depth = 0;
  CHECK_FALSE(gpu::leave_lost_call());
  mine.told_call = {f.t, f.call, kDomainRuntime, kLaunchKernel, 0};
  mine.told_from = 1;  // there is no subscription
  tls.call_depth = 1;
  tls.call_node = f.call;
  CHECK(gpu::leave_lost_call());
  CHECK(tls.call_depth == 0);
  CHECK(tls.call_node == 0);
  CHECK(mine.told_call.started == 0);
  CHECK_FALSE(gpu::leave_lost_call());
  tls.state = before;
}
