// Functions of CUPTI that a program has by dlsym from the library's own handle, as tools do that load CUPTI themselves
// (JAX, Triton's Proton, ctypes): they get ours, so that they are served like those that are linked with it.
//
// Of one libcupti: where a process looks into several, only the first one's functions are replaced, since ours could
// not tell which of them is meant.
#pragma once

#include <atomic>
#include <cstddef>

namespace prof::gpu {

struct LookedUp {
  const char* name;
  void* ours;
  std::atomic<void*> theirs{nullptr};  // as it was looked up
};
#define PROF_LOOKED_UP(function) \
  { #function, reinterpret_cast < void*>(&function) }

extern LookedUp cupti_functions[];
extern const std::size_t cupti_function_count;

// What dlsym(handle, name) is to give instead of what it finds; null: that. Ordinary code; takes the loader's lock, as
// dlsym does.
void* instead_of(void* handle, const char* name, const void* caller);

// The function of that name as the object at `caller` has looked it up; null `caller`: as anybody has. Null: nobody
// has.
void* looked_up(const char* name, const void* caller);

}  // namespace prof::gpu
