// The dynamic loader. dlopen is not wrapped: a frame of ours between it and its caller would change where it searches.
#include "agent/unwind/objects.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL(dlclose);

PROF_EXPORT int dlclose(void* handle) noexcept {
  const int r = real_dlclose(handle);
  prof::modules_changed();  // after: what this call unmapped may be looked up until then
  return r;
}
