// Waiting for requests of POSIX asynchronous input and output, which every signal ends.
#include <aio.h>

#include "interpose/hook/hook.hpp"
#include "interpose/wait/booking.hpp"
#include "interpose/wait/timeout.hpp"

PROF_REAL_LATE(aio_suspend);

PROF_WAIT_FUNCTION(aio_suspend);

using prof::wait::Call;
using prof::wait::WaitClass;

PROF_EXPORT int aio_suspend(const aiocb* const requests[], int n, const timespec* timeout) {
  Call call(function_aio_suspend, WaitClass::Poll);
  const int r = prof::for_timespec(call, timeout, [=](const timespec* t) { return real_aio_suspend(requests, n, t); });
  prof::ended(call, r);
  return r;
}

PROF_EXPORT int aio_suspend64(const aiocb64* const requests[], int n, const timespec* timeout) {
  Call call(function_aio_suspend, WaitClass::Poll);
  const auto* same = reinterpret_cast<const aiocb* const*>(requests);
  const int r = prof::for_timespec(call, timeout, [=](const timespec* t) { return real_aio_suspend(same, n, t); });
  prof::ended(call, r);
  return r;
}
