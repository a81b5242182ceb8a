#include "interpose/cuda/cupti_lookup.hpp"

#include <dlfcn.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "agent/core/process.hpp"
#include "agent/thread/guard.hpp"
#include "agent/unwind/objects.hpp"
#include "interpose/cuda/caller_scope.hpp"

namespace prof::gpu {
namespace {

// Where objects begin that have looked functions up.
constexpr std::size_t kMostCallers = 16;
constinit std::atomic<std::uintptr_t> g_callers[kMostCallers]{};
// Where the libcupti begins that they looked into.
constinit std::atomic<std::uintptr_t> g_library{0};

std::uintptr_t start_of(const void* address) {
  Object object{};
  return object_at(reinterpret_cast<std::uintptr_t>(address), object) ? object.start : 0;
}

bool is_the_library(std::uintptr_t start) {
  std::uintptr_t known = g_library.load(std::memory_order_acquire);
  if (start == known) return start != 0;
  if (known != 0 && start_of(reinterpret_cast<const void*>(known)) == known) return false;  // it is still there
  return g_library.compare_exchange_strong(known, start) || known == start;
}

void note_caller(std::uintptr_t start) {
  for (std::atomic<std::uintptr_t>& place : g_callers) {
    std::uintptr_t known = place.load(std::memory_order_relaxed);
    if (known == start || (known == 0 && (place.compare_exchange_strong(known, start) || known == start))) return;
  }
}

bool has_looked(std::uintptr_t start) {
  for (const std::atomic<std::uintptr_t>& place : g_callers) {
    if (start != 0 && place.load(std::memory_order_relaxed) == start) return true;
  }
  return false;
}

LookedUp* entry(const char* name) {
  for (std::size_t i = 0; i < cupti_function_count; ++i) {
    if (std::strcmp(cupti_functions[i].name, name) == 0) return &cupti_functions[i];
  }
  return nullptr;
}

}  // namespace

void* instead_of(void* handle, const char* name, const void* caller) {
  if (std::strncmp(name, "cupti", 5) != 0 || is_ours(caller) || !programs_own() ||
      process().options.cuda != CudaMode::Device || process().stage.load(std::memory_order_relaxed) != Stage::Ready)
    return nullptr;
  LookedUp* function = entry(name);
  if (function == nullptr) return nullptr;
  const RealCall nested;
  const int saved = errno;
  void* found = real_dlsym()(handle, name);
  errno = saved;
  if (found == nullptr || is_ours(found) || !is_the_library(start_of(found))) return nullptr;
  // The others, too: what one of them means may depend on what the program does by another one.
  for (std::size_t i = 0; i < cupti_function_count; ++i)
    cupti_functions[i].theirs.store(real_dlsym()(handle, cupti_functions[i].name), std::memory_order_release);
  dlerror();
  errno = saved;
  note_caller(start_of(caller));
  return function->ours;
}

void* looked_up(const char* name, const void* caller) {
  if (g_library.load(std::memory_order_acquire) == 0 || (caller != nullptr && !has_looked(start_of(caller))))
    return nullptr;
  const LookedUp* function = entry(name);
  return function != nullptr ? function->theirs.load(std::memory_order_acquire) : nullptr;
}

}  // namespace prof::gpu
