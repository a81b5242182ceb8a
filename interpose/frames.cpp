// Call frame information of code that is made at run time, as its makers register it with the unwinder. Whose unwinder
// it is depends on who calls: a maker that was loaded for one library alone has another one than the program.
#include <link.h>

#include <atomic>
#include <string_view>

#include "agent/core/checked_copy.hpp"
#include "agent/jit/unwind_tables.hpp"
#include "agent/unwind/elf_symbols.hpp"
#include "interpose/cuda/call.hpp"
#include "interpose/hook/hook.hpp"

namespace {

using Registered = void(const void* section);

// The function of the one libgcc that is loaded; null: there is none, or more than one. Without the loader's lock,
// which somebody may hold who waits for the calling thread; what is read of its list may change meanwhile.
void* in_libgcc(const char* name) {
  constexpr unsigned kMostObjects = 65536;
  void* found = nullptr;
  unsigned libraries = 0, i = 0;
  link_map map{};
  for (const link_map* at = _r_debug.r_map; at != nullptr && i < kMostObjects; at = map.l_next, ++i) {
    prof::Object object{};
    if (!prof::copy_checked(&map, reinterpret_cast<std::uintptr_t>(at), sizeof(map))) return nullptr;
    if (map.l_ld == nullptr || !prof::object_at(reinterpret_cast<std::uintptr_t>(map.l_ld), object) ||
        !std::string_view(object.name).ends_with("/libgcc_s.so.1"))
      continue;
    ++libraries;
    found = reinterpret_cast<void*>(prof::exported_symbol(object, name).address);
  }
  return libraries == 1 ? found : nullptr;
}

// One of the two functions. What the program itself has is what everybody's calls come to; it is looked up before there
// is a second thread.
struct Function {
  const char* name;
  prof::gpu::Asked asked;
  std::atomic<void*> libgccs{nullptr};
  std::atomic<std::uint32_t> generation{0};  // of the loader, when that was found

  Registered* real(Registered* of_program, const void* caller) {
    if (of_program != nullptr) return of_program;
    const std::uint32_t now = prof::loader_generation();
    void* known = generation.load(std::memory_order_acquire) == now ? libgccs.load(std::memory_order_relaxed) : nullptr;
    if (known == nullptr) {
      known = in_libgcc(name);
      libgccs.store(known, std::memory_order_relaxed);
      generation.store(now, std::memory_order_release);
    }
    return reinterpret_cast<Registered*>(known != nullptr ? known : asked.real(caller));
  }
};

}  // namespace

PROF_REAL_LATE_AS(__register_frame, Registered);
PROF_REAL_LATE_AS(__deregister_frame, Registered);

#define PROF_FRAMES(name_, told, ...)                                                                            \
  PROF_EXPORT void name_(const void* section) {                                                                  \
    static constinit Function function{#name_,                                                                   \
                                       {#name_, {{prof::gpu::Library::Runtime, prof::gpu::Role::Plain, 0}, 0}}}; \
    const void* const caller = __builtin_return_address(0);                                                      \
    if (Registered* const real = function.real(real_##name_.get(), caller); real != nullptr) real(section);      \
    told(section __VA_OPT__(, ) __VA_ARGS__);                                                                    \
  }

PROF_FRAMES(__register_frame, prof::jit::tables_registered, caller)
PROF_FRAMES(__deregister_frame, prof::jit::tables_given_back)
