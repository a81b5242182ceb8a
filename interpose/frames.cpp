// Call frame information of code that is made at run time, as its makers register it with the unwinder. Whose unwinder
// it is depends on who calls: a maker that was loaded for one library alone has another one than the program.
#include <link.h>

#include <atomic>
#include <cstring>
#include <string_view>

#include "agent/core/checked_copy.hpp"
#include "agent/jit/unwind_tables.hpp"
#include "agent/unwind/elf_symbols.hpp"
#include "interpose/cuda/call.hpp"
#include "interpose/hook/hook.hpp"

namespace {

using Registered = void(const void* section);

// The object's name, copied: another thread may unload it. Empty: it has none, or it is too long.
std::string_view name_of(const link_map& map, char (&room)[512]) {
  constexpr std::size_t kPage = 4096;
  const auto at = reinterpret_cast<std::uintptr_t>(map.l_name);
  const std::size_t to_page_end = kPage - at % kPage;
  const std::size_t first = to_page_end < sizeof(room) ? to_page_end : sizeof(room);
  if (at == 0 || !prof::copy_checked(room, at, first)) return {};
  std::size_t length = strnlen(room, first);
  if (length == first && first < sizeof(room) && prof::copy_checked(room + first, at + first, sizeof(room) - first))
    length = strnlen(room, sizeof(room));
  return length < sizeof(room) ? std::string_view(room, length) : std::string_view();
}

// Whether the object itself, or one that it needs, has the function: then the program's only libgcc may not be the one
// that its calls come to. All of these stay loaded while the caller does.
bool has_another(const prof::Object& caller, const char* name, const link_map& map, std::string_view path) {
  if (path.ends_with("/libgcc_s.so.1")) return false;
  prof::Object object{};
  if (path == caller.name) return prof::exported_symbol(caller, name).address != 0;
  std::string_view file = path;
  file.remove_prefix(file.rfind('/') + 1);
  return prof::needs(caller, file) && prof::object_at(reinterpret_cast<std::uintptr_t>(map.l_ld), object) &&
         prof::exported_symbol(object, name).address != 0;
}

// The function of the one libgcc that is loaded; null: there is none, or more than one, or the caller may mean another
// one's. Without the loader's lock, which somebody may hold who waits for the calling thread; what is read of its list
// may change meanwhile.
void* in_libgcc(const char* name, const void* caller) {
  constexpr unsigned kMostObjects = 65536;
  void* found = nullptr;
  prof::Object calling{};
  if (!prof::object_at(reinterpret_cast<std::uintptr_t>(caller), calling)) return nullptr;
  unsigned libraries = 0, i = 0;
  link_map map{};
  for (const link_map* at = _r_debug.r_map; at != nullptr && i < kMostObjects; at = map.l_next, ++i) {
    prof::Object object{};
    if (!prof::copy_checked(&map, reinterpret_cast<std::uintptr_t>(at), sizeof(map))) return nullptr;
    char room[512];
    const std::string_view path = name_of(map, room);
    if (map.l_ld == nullptr) continue;
    if (has_another(calling, name, map, path)) return nullptr;
    if (!path.ends_with("/libgcc_s.so.1") || !prof::object_at(reinterpret_cast<std::uintptr_t>(map.l_ld), object))
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
  std::atomic<std::uint64_t> found_for{0};  // the calling object and the generation of the loader

  Registered* real(Registered* of_program, const void* caller) {
    if (of_program != nullptr) return of_program;
    prof::Object calling{};
    if (!prof::object_at(reinterpret_cast<std::uintptr_t>(caller), calling))
      return reinterpret_cast<Registered*>(asked.real(caller));
    const std::uint64_t now = (calling.start >> 12) << 28 ^ prof::loader_generation();
    void* known = found_for.load(std::memory_order_acquire) == now ? libgccs.load(std::memory_order_relaxed) : nullptr;
    if (known == nullptr) {
      known = in_libgcc(name, caller);
      if (known != nullptr) {
        found_for.store(0, std::memory_order_relaxed);
        libgccs.store(known, std::memory_order_release);
        found_for.store(now, std::memory_order_release);
      }
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
