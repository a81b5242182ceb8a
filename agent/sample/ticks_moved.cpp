// The program wants our signal for itself, or lowers a limit that ticks count against: they come by another signal, or
// from another source.
#include <atomic>
#include <optional>

#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/signals_held.hpp"
#include "agent/log/conditions.hpp"
#include "agent/sample/tick_signal.hpp"
#include "agent/sample/tick_source.hpp"
#include "agent/sample/ticks.hpp"
#include "agent/sample/timer_room.hpp"
#include "agent/thread/threads.hpp"

namespace prof::ticks {
namespace {

PROF_WIPED_AT_START constinit pages::Wiped<std::atomic<bool>> g_changing{};

// Of those who stop and start the ticks of all threads one at a time, with signals held: a handler of the host that
// came in between would find it taken. The others try again for a while, and leave the ticks as they are.
class Changing {
 public:
  Changing() {
    for (int tries = 0; !mine_ && tries < kTries; ++tries) {
      mine_ = !g_changing.value.exchange(true, std::memory_order_acquire);
      if (!mine_) raw::call(SYS_sched_yield);
    }
  }
  ~Changing() {
    if (mine_) g_changing.value.store(false, std::memory_order_release);
  }
  Changing(const Changing&) = delete;
  Changing& operator=(const Changing&) = delete;
  explicit operator bool() const { return mine_; }

 private:
  static constexpr int kTries = 100;
  const SignalsHeld held_;
  bool mine_ = false;
};

// The signal that they use then; 0: none; nothing where they were not moved.
std::optional<int> move_ticks(std::uint64_t wanted, bool received) {
  const Changing changing;
  const int old = signal_number();
  if (!changing || old == 0) return std::nullopt;
  if (process().stage.load(std::memory_order_relaxed) != Stage::Ready) {  // nothing ticks any more
    use_signal(0);
    return std::nullopt;
  }
  const int next = free_signal(wanted | raw::bit(old));
  const int s = next != 0 && install(next) ? next : 0;
  use_signal(s);
  note_condition(s != 0 ? log::kSignalMoved : log::kNoFreeSignal);
  threads::for_each([](ThreadState& t) { stop(t); });
  discard_pending(old);
  if (received) install(old);  // threads in which it is not blocked, as the host believes, must not die of it
  if (s != 0) start_all();
  return s;
}

void leave_signal_for(std::uint64_t wanted, bool received) {
  if (signal_number() == 0) return;
  if (const std::optional<int> s = move_ticks(wanted, received); s && *s != 0) raw::mask(SIG_UNBLOCK, raw::bit(*s));
}

}  // namespace

void prepare_moves() { pages::wipe_in_child(g_changing); }

void renew_signal() {
  const int s = signal_number();
  if (s != 0 && is_default(s) && !install(s)) use_signal(0);
}

void leave_signal() { leave_signal_for(0, false); }

void leave_signal_to_receivers(std::uint64_t wanted) { leave_signal_for(wanted, true); }

void before_signal_limit(std::uint64_t limit) {
  const int s = signal_number();
  if (s == 0 || process().stage.load(std::memory_order_relaxed) != Stage::Ready || room_for_events_under(limit)) return;
  const Changing changing;
  if (!changing) return;
  threads::for_each([](ThreadState& t) {
    if (t.perf_page == nullptr) return;
    stop(t);
    start(t);
  });
}

}  // namespace prof::ticks
