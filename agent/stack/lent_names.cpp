#include "agent/stack/lent_names.hpp"

#include <atomic>

#include "agent/core/pages.hpp"
#include "agent/thread/thread_state.hpp"
#include "agent/unwind/lent_frames.hpp"

namespace prof::lent_names {
namespace {

PROF_WIPED constinit pages::Wiped<std::atomic<Name>> g_name{};

}  // namespace

void name_by(Name how, std::uintptr_t code) {
  g_name.value.store(how, std::memory_order_release);
  lent_frames::mark(code);
}

void put_in(const Guard& guard, std::uintptr_t* frames, std::uint32_t depth, std::uintptr_t sp,
            const ucontext_t* registers) {
  const std::uintptr_t code = lent_frames::code();
  if (code == 0) [[likely]]
    return;
  const StackBounds& own = guard.thread().bounds;
  const Name name = g_name.value.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < depth; ++i) {
    if (!lent_frames::is_marked(frames[i])) continue;
    const std::uintptr_t bp = lent_frames::frame_pointer(frames[i]);
    std::uint64_t entry = 0;
    if (name != nullptr && sp >= own.low && bp > sp && bp + 16 <= own.high)
      entry = name(guard, {bp, sp, i == 0 ? registers : nullptr});
    frames[i] = entry != 0 ? entry : code;
  }
}

void prepare() {
  pages::wipe_in_child(g_name);
  lent_frames::prepare();
}

}  // namespace prof::lent_names
