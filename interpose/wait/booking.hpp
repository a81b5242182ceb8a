// How an interposed function ends its record: the call, and what it did to its descriptor.
#pragma once

#include <sys/types.h>

#include <cerrno>

#include "agent/files/descriptors.hpp"
#include "agent/wait/call.hpp"

namespace prof {

// The real function returned `r`: below 0, it failed, and errno says why. `bytes`: how many it moved, where that is not
// what it returned.
inline void booked(wait::Call& call, int fd, files::Use::What what, ssize_t r, ssize_t bytes) {
  if (!call) return;
  const bool failed = r < 0;
  call.done(failed ? errno : 0, failed ? 0 : static_cast<std::uint64_t>(bytes));
  files::used(fd, call, {.what = what, .failed = failed, .bytes = failed ? 0 : bytes});
}
inline void moved(wait::Call& call, int fd, files::Use::What what, ssize_t bytes) {
  booked(call, fd, what, bytes, bytes);
}
// For calls that move nothing.
inline void booked(wait::Call& call, int fd, files::Use::What what, ssize_t r) { booked(call, fd, what, r, 0); }
// For calls that concern no descriptor.
inline void ended(wait::Call& call, long r) {
  if (call) call.done(r < 0 ? errno : 0);
}

}  // namespace prof
