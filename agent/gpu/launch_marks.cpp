#include "agent/gpu/launch_marks.hpp"

#include <cerrno>

#include "agent/core/pages.hpp"
#include "agent/core/raw.hpp"

namespace prof::gpu {
namespace {

struct Marks {
  LaunchMark all[kLaunchMarks];
};
PROF_WIPED constinit pages::Wiped<Marks> g_marks{};

LaunchMark* claim(std::uint32_t tid) {
  for (LaunchMark& mark : g_marks.value.all) {
    std::uint32_t none = 0;
    if (mark.tid.load(std::memory_order_relaxed) == 0 && mark.tid.compare_exchange_strong(none, tid)) return &mark;
  }
  return nullptr;
}

}  // namespace

LaunchMark* const launch_marks = g_marks.value.all;

void mark_launch(ThreadState& t, std::uint64_t at) {
  LaunchMark*& mine = local(t).launch_mark;
  // A forked child finds them all zero.
  if (mine == nullptr || mine->tid.load(std::memory_order_relaxed) != t.tid) [[unlikely]] {
    mine = claim(t.tid);
    if (mine == nullptr) return;
  }
  mine->at.store(at, std::memory_order_relaxed);
}

bool has_ended(std::uint32_t tid) {
  return raw::call(SYS_tgkill, static_cast<long>(raw::pid()), static_cast<long>(tid), 0) == -ESRCH;
}

void prepare_launch_marks() { pages::wipe_in_child(g_marks); }

}  // namespace prof::gpu
