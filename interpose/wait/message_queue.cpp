// POSIX message queues, which wait as pipes do, and for whom the kernel restarts what a signal ended.
#include <mqueue.h>

#include "interpose/hook/hook.hpp"
#include "interpose/wait/booking.hpp"

PROF_REAL_LATE(mq_send);
PROF_REAL_LATE(mq_timedsend);
PROF_REAL_LATE(mq_receive);
PROF_REAL_LATE(mq_timedreceive);

PROF_WAIT_FUNCTION(mq_send);
PROF_WAIT_FUNCTION(mq_timedsend);
PROF_WAIT_FUNCTION(mq_receive);
PROF_WAIT_FUNCTION(mq_timedreceive);

using prof::files::Use;
using prof::wait::Call;
using prof::wait::WaitClass;

PROF_EXPORT int mq_send(mqd_t queue, const char* message, size_t bytes, unsigned priority) {
  Call call(function_mq_send, WaitClass::Pipe);
  const int r = real_mq_send(queue, message, bytes, priority);
  prof::booked(call, queue, Use::What::Write, r, static_cast<ssize_t>(bytes));
  return r;
}

PROF_EXPORT int mq_timedsend(mqd_t queue, const char* message, size_t bytes, unsigned priority, const timespec* until) {
  Call call(function_mq_timedsend, WaitClass::Pipe);
  const int r = real_mq_timedsend(queue, message, bytes, priority, until);
  prof::booked(call, queue, Use::What::Write, r, static_cast<ssize_t>(bytes));
  return r;
}

PROF_EXPORT ssize_t mq_receive(mqd_t queue, char* message, size_t room, unsigned* priority) {
  Call call(function_mq_receive, WaitClass::Pipe);
  const ssize_t r = real_mq_receive(queue, message, room, priority);
  prof::moved(call, queue, Use::What::Read, r);
  return r;
}

PROF_EXPORT ssize_t mq_timedreceive(mqd_t queue, char* message, size_t room, unsigned* priority,
                                    const timespec* until) {
  Call call(function_mq_timedreceive, WaitClass::Pipe);
  const ssize_t r = real_mq_timedreceive(queue, message, room, priority, until);
  prof::moved(call, queue, Use::What::Read, r);
  return r;
}
