// The dynamic loader. dlopen is not wrapped: a frame of ours between it and its caller would change where it searches.
#include "agent/unwind/objects.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL(dlclose);

PROF_EXPORT int dlclose(void* handle) noexcept {
  prof::modules_closing();
  const int r = real_dlclose(handle);
  prof::modules_closed();
  return r;
}
