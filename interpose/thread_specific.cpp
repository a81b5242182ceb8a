// Thread-specific values, for the one moment that all thread states of Python interpreters have in common: each is
// stored under the interpreter's key when its thread takes it.
#include <pthread.h>

#include "agent/calls/exact.hpp"
#include "agent/python/interpreter.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL(pthread_setspecific);

PROF_EXPORT int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
  const int error = real_pthread_setspecific(key, value);
  if (value != nullptr) {
    prof::python::thread_state_made(__builtin_return_address(0));
    prof::python::calls::thread_value_set(value);
  }
  return error;
}
