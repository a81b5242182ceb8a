#include "interpose/lock/lock.hpp"

#include <threads.h>

#include <cstring>
#include <initializer_list>

#include "agent/unwind/objects.hpp"

namespace prof::locks {

void begin(bool recorded) {
  begin_mutexes(recorded);
  begin_read_write_locks(recorded);
  begin_spin_locks(recorded);
  begin_semaphores(recorded);
}

bool are_libcs(const void* lock, const void* trylock) {
  for (const void* function : {lock, trylock}) {
    Object o{};
    if (!object_at(reinterpret_cast<std::uintptr_t>(function), o)) return false;
    const char* slash = std::strrchr(o.name, '/');
    const char* name = slash != nullptr ? slash + 1 : o.name;
    if (std::strcmp(name, "libc.so.6") != 0 && std::strcmp(name, "libpthread.so.0") != 0) return false;
  }
  return true;
}

int error_of_c11(int result) {
  switch (result) {
    case thrd_success:
      return 0;
    case thrd_timedout:
      return ETIMEDOUT;
    case thrd_busy:
      return EBUSY;
    case thrd_nomem:
      return ENOMEM;
    default:
      return EINVAL;
  }
}

}  // namespace prof::locks
