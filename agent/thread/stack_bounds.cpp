#include "agent/thread/stack_bounds.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/resource.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "agent/core/raw.hpp"

extern "C" void* __libc_stack_end;  // ld.so's: the main thread's stack pointer at the program's entry

namespace prof::threads {
namespace {

constexpr std::uintptr_t kUnlimitedMainStack = 128 << 20;

// glibc's descriptor of a thread has one after the other the lower end of what was mapped for the stack, its size, and
// how much of that is guard (struct pthread in nptl/descr.h: stackblock, stackblock_size, guardsize). At which of its
// words differs between releases: it is learned from the first thread, where libc's answer says what they must be.
constexpr std::uint32_t kNotLearned = 0, kUnknown = UINT32_MAX;
constinit std::atomic<std::uint32_t> g_place{kNotLearned};  // the first one's number, plus 1
constinit std::uint32_t g_bytes = 0;                        // of a descriptor

const std::uintptr_t* descriptor() { return reinterpret_cast<const std::uintptr_t*>(pthread_self()); }

StackBounds read_at(const std::uintptr_t* words) { return {words[0] + words[2], words[0] + words[1]}; }

StackBounds asked() {
  pthread_attr_t attr;
  if (pthread_getattr_np(pthread_self(), &attr) != 0) return {};
  void* low = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attr, &low, &size);
  pthread_attr_destroy(&attr);
  const auto start = reinterpret_cast<std::uintptr_t>(low);
  return {start, start + size};
}

std::uint32_t place_of(const StackBounds& bounds) {
  const std::uintptr_t* words = descriptor();
  std::uint32_t found = kUnknown;
  for (std::uint32_t i = 0; (i + 3) * sizeof(*words) <= g_bytes; ++i) {
    const StackBounds here = read_at(words + i);
    if (here.low != bounds.low || here.high != bounds.high) continue;
    if (found != kUnknown) return kUnknown;
    found = i + 1;
  }
  return found;
}

bool holds(const StackBounds& bounds, const void* frame) {
  const auto at = reinterpret_cast<std::uintptr_t>(frame);
  return bounds.low < at && at < bounds.high && bounds.high - bounds.low < std::uintptr_t{1} << 40;
}

}  // namespace

StackBounds bounds_of_main() {
  const auto top = reinterpret_cast<std::uintptr_t>(__libc_stack_end);
  rlimit limit{};
  std::uintptr_t size = kUnlimitedMainStack;
  if (raw::call(SYS_prlimit64, 0, RLIMIT_STACK, 0, raw::word(&limit)) == 0 && limit.rlim_cur < size)
    size = limit.rlim_cur;
  return {top > size ? top - size : 0, top + 64};
}

StackBounds bounds_of_thread() {
  const std::uint32_t place = g_place.load(std::memory_order_relaxed);
  if (place != kNotLearned && place != kUnknown) {
    const StackBounds read = read_at(descriptor() + place - 1);
    // A thread that runs on another stack is rare, and asked.
    if (holds(read, __builtin_frame_address(0))) return read;
  }
  const StackBounds bounds = asked();
  if (place == kNotLearned && holds(bounds, __builtin_frame_address(0)))
    g_place.store(place_of(bounds), std::memory_order_relaxed);
  return bounds;
}

// A look-up takes the loader's lock, which a library that starts a thread while it is loaded may hold, and wait for it.
void prepare_stack_bounds() {
  // What libc tells libthread_db.
  const auto* bytes = static_cast<const std::uint32_t*>(dlsym(RTLD_DEFAULT, "_thread_db_sizeof_pthread"));
  if (bytes != nullptr) g_bytes = *bytes;
}

}  // namespace prof::threads
