#include "agent/unwind/libunwind.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstring>

#include "agent/core/process.hpp"
#include "agent/core/text.hpp"
#include "agent/log/conditions.hpp"
#include "agent/unwind/objects.hpp"
#include "agent/unwind/step.hpp"

namespace prof {
namespace {

using Backtrace = int (*)(void**, int);
std::atomic<Backtrace> g_backtrace{nullptr};

}  // namespace

void prepare_libunwind() {
  const Process& p = process();
  if (!p.options.libunwind) return;
  const char* slash = std::strrchr(p.agent_path, '/');
  Text<4200> beside;
  beside << std::string_view(p.agent_path, slash == nullptr ? 0 : static_cast<std::size_t>(slash - p.agent_path) + 1)
         << "libunwind.so.8";
  void* library = dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) g_backtrace = reinterpret_cast<Backtrace>(dlsym(library, "unw_backtrace"));
  dlerror();  // our failure is not the program's
  if (g_backtrace == nullptr) note_condition(log::kNoUnwinder);
}

bool libunwind_chosen() { return g_backtrace.load(std::memory_order_relaxed) != nullptr; }

WalkResult libunwind_walk(std::uintptr_t* frames, std::uint32_t room) {
  const int found =
      g_backtrace.load(std::memory_order_relaxed)(reinterpret_cast<void**>(frames), static_cast<int>(room));
  WalkResult result{0, found == static_cast<int>(room), found <= 0, false, false};
  for (int i = 0; i < found; ++i) {
    // A trailing zero marks the outermost frame in some versions.
    if (frames[i] == 0 || is_own_code(frames[i] - 1)) continue;
    if (!is_user_code(frames[i])) {
      result.broken = true;
      break;
    }
    frames[result.depth++] = frames[i] - 1;
  }
  return result;
}

void forget_libunwind() { g_backtrace = nullptr; }

}  // namespace prof
