#include "agent/life/stillness.hpp"

#include <ctime>

#include "agent/core/checked_copy.hpp"
#include "agent/core/clock.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/tls.hpp"
#include "agent/life/start.hpp"
#include "agent/thread/threads.hpp"

namespace prof {
namespace {

// Another thread's thread-local storage stands as far from its base as ours; the thread may end meanwhile, which unmaps
// it.
bool is_inside(const ThreadState& t, std::uintptr_t own_base) {
  const std::uintptr_t place = t.base + (reinterpret_cast<std::uintptr_t>(&tls) - own_base);
  Tls other;
  return t.base != 0 && copy_checked(other, place) && other.state == &t && other.busy != 0;
}

bool is_still() {
  if (threads::any_starting()) return false;
  std::uintptr_t own_base;
  asm("mov %%fs:0, %0" : "=r"(own_base));
  bool still = true;
  threads::for_each([&](const ThreadState& t) {
    if (t.base != own_base) still = still && !is_inside(t, own_base);
  });
  return still;
}

}  // namespace

void wait_for_stillness(std::uint64_t most_ns) {
  const std::uint64_t end = clock::monotonic() + most_ns;
  while (!is_still() && clock::monotonic() < end) {
    timespec shortly{0, 20'000};
    raw::call(SYS_nanosleep, raw::word(&shortly), 0);
  }
}

}  // namespace prof
