#include "agent/stack/lent_names.hpp"

#include <algorithm>
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

void put_in(const Guard& guard, std::uintptr_t* entries, std::uint32_t count, std::uintptr_t sp,
            const ucontext_t* registers) {
  const std::uintptr_t code = lent_frames::code();
  if (code == 0 || std::none_of(entries, entries + count, lent_frames::is_marked)) [[likely]]
    return;
  const StackBounds& own = guard.thread().bounds;
  if (const Name name = g_name.value.load(std::memory_order_acquire); name != nullptr && sp >= own.low && sp < own.high)
    name(guard, {entries, count, sp, own.high, registers});
  std::replace_if(entries, entries + count, lent_frames::is_marked, code);
}

void prepare() {
  pages::wipe_in_child(g_name);
  lent_frames::prepare();
}

}  // namespace prof::lent_names
