// Waiting for descriptors, by sets of bits.
#include <sys/select.h>

#include <cstdint>

#include "agent/thread/thread_state.hpp"
#include "interpose/hook/hook.hpp"
#include "interpose/wait/booking.hpp"
#include "interpose/wait/timeout.hpp"

PROF_REAL_LATE(select);
PROF_REAL_LATE(pselect);

PROF_WAIT_FUNCTION(select);
PROF_WAIT_FUNCTION(pselect);

using prof::files::Use;
using prof::wait::Call;
using prof::wait::WaitClass;

namespace {

constexpr int kNone = -1, kSeveral = -2;

// Whether `set`, of `bytes` bytes, lies on the calling thread's stack, where it can be read without fear: anywhere else
// a bad address must get the kernel's answer.
bool on_stack(const fd_set* set, std::size_t bytes) {
  const auto& stack = prof::tls.state->bounds;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto at = reinterpret_cast<std::uintptr_t>(set);
  return here >= stack.low && here < at && at < stack.high && bytes <= stack.high - at;
}

// The only descriptor in all three sets; kNone, or kSeveral, also for what cannot be told.
int only_one(int n, const fd_set* const (&sets)[3]) {
  if (n < 0 || n > FD_SETSIZE) return kSeveral;
  const int words = (n + 63) / 64;
  int found = kNone;
  for (const fd_set* set : sets) {
    if (set == nullptr || words == 0) continue;
    if (!on_stack(set, static_cast<std::size_t>(words) * 8)) return kSeveral;
    const auto* bits = reinterpret_cast<const std::uint64_t*>(set);
    for (int i = 0; i < words; ++i) {
      std::uint64_t word = bits[i];
      if (i == words - 1 && n % 64 != 0) word &= (std::uint64_t{1} << n % 64) - 1;
      if (word == 0) continue;
      const int fd = i * 64 + __builtin_ctzll(word);
      if ((word & (word - 1)) != 0 || (found != kNone && found != fd)) return kSeveral;
      found = fd;
    }
  }
  return found;
}

// Who asks for nothing waits for the time to pass.
WaitClass class_of(int n, const fd_set* in, const fd_set* out, const fd_set* exceptional) {
  return n == 0 || (in == nullptr && out == nullptr && exceptional == nullptr) ? WaitClass::Sleep : WaitClass::Poll;
}

int selected(Call& call, int only, int r) {
  if (only >= 0)
    prof::booked(call, only, Use::What::Poll, r);
  else
    prof::ended(call, r);
  return r;
}

}  // namespace

// Linux writes the time that is left into `timeout`, also when the call is interrupted: it can be passed again as it
// is. The sets are written only where the call succeeds.
PROF_EXPORT int select(int n, fd_set* in, fd_set* out, fd_set* exceptional, timeval* timeout) {
  Call call(function_select, class_of(n, in, out, exceptional));
  const int only = call ? only_one(n, {in, out, exceptional}) : kSeveral;
  return selected(call, only, prof::resumed([=] { return real_select(n, in, out, exceptional, timeout); }));
}

PROF_EXPORT int pselect(int n, fd_set* in, fd_set* out, fd_set* exceptional, const timespec* timeout,
                        const sigset_t* mask) {
  Call call(function_pselect, class_of(n, in, out, exceptional));
  const int only = call ? only_one(n, {in, out, exceptional}) : kSeveral;
  return selected(call, only, prof::for_timespec(call, timeout, mask, [=](const timespec* t, const sigset_t* m) {
                    return real_pselect(n, in, out, exceptional, t, m);
                  }));
}
