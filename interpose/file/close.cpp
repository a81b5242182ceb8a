// Closing. It is never tried again: the descriptor is gone, whatever close says.
#include <unistd.h>

#include "interpose/hook/hook.hpp"
#include "interpose/wait/booking.hpp"

PROF_REAL_LATE(close);
PROF_REAL_LATE_AS(close_range, int(unsigned, unsigned, int));
PROF_REAL_LATE_AS(closefrom, void(int));

PROF_WAIT_FUNCTION(close);

using prof::files::Use;
using prof::wait::Call;

PROF_EXPORT int close(int fd) {
  const prof::files::Closing closing = prof::files::closing(fd);
  Call call(function_close, closing.what);
  const int r = real_close(fd);
  if (call) {
    call.done(r < 0 ? errno : 0);
    prof::files::used(closing, call, {.what = Use::What::Other, .failed = r < 0});
  }
  return r;
}
PROF_EXPORT __attribute__((alias("close"))) int __close(int);

PROF_EXPORT int close_range(unsigned first, unsigned last, int flags) noexcept {
  constexpr int kOnExecOnly = 1 << 2;
  const auto real = real_close_range.get();
  if (real == nullptr) {
    errno = ENOSYS;
    return -1;
  }
  if ((flags & kOnExecOnly) == 0) prof::files::closed_range(first, last);
  return real(first, last, flags);
}

PROF_EXPORT void closefrom(int first) noexcept {
  prof::files::closed_range(first < 0 ? 0U : static_cast<unsigned>(first), ~0U);
  real_closefrom(first);
}
