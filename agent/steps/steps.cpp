#include "agent/steps/steps.hpp"

#include "agent/capture/window.hpp"
#include "agent/core/clock.hpp"
#include "agent/core/lock.hpp"
#include "agent/core/process.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/steps/tracker.hpp"
#include "agent/thread/feature.hpp"

namespace prof::steps {
namespace {

struct State {
  Lock lock;  // of `tracker`
  Tracker tracker;
  std::atomic<bool> backward_elsewhere;  // backward operators run on other threads than the step's
};
PROF_WIPED constinit pages::Wiped<State> g_state{};

bool wanted() { return process().options.steps; }

// `with(tracker)`, unless another thread is at it. What it recorded may want room in the log, which is taken with
// nobody kept out.
template <class With>
void with_tracker(const Guard& guard, With with) {
  State& s = g_state.value;
  std::uint32_t wanted_room = 0;
  {
    const HeldLock locked(s.lock);
    if (!locked) return count_loss(log::Loss::Contended);
    with(s.tracker);
    wanted_room = s.tracker.wanted_room();
  }
  if (wanted_room == 0) return;
  log::ChunkHeader* room = Records::take_room(wanted_room);
  {
    const HeldLock locked(s.lock);
    if (locked && s.tracker.wanted_room() == wanted_room) return s.tracker.give_room(guard, room);
  }
  if (room != nullptr) log::give_up_chunk(room);
}

// While the thread waited for another one, until when a collective was at work; 0: none was.
std::uint64_t collective_until(std::uint64_t began, std::uint64_t ended) {
  const Shared& s = shared.value;
  if (s.collectives.load(std::memory_order_relaxed) > 0) return ended;
  const std::uint64_t last = s.collective_ended.load(std::memory_order_relaxed);
  return last <= began ? 0 : last < ended ? last : ended;
}

}  // namespace

PROF_WIPED constinit pages::Wiped<Shared> shared{};

Mark range_begins(const Guard& guard, std::string_view text, std::string_view domain, std::uint64_t frame,
                  bool outermost, std::uint64_t now) {
  if (!wanted() || frame == 0) return Mark::None;
  // Most ranges are nothing to the steps, which is known without a lock.
  Mark mark = Tracker::mark_of_range(text, domain, outermost);
  if (mark == Mark::None) return mark;
  if (mark == Mark::Outermost && (guard.thread().tid != process().pid || !g_state.value.tracker.may_take_outermost()))
    return Mark::None;
  Mark taken = Mark::None;
  with_tracker(guard, [&](Tracker& tracker) { taken = tracker.range_begins(guard, mark, text, domain, frame, now); });
  return taken;
}

void range_ends(const Guard& guard, Mark mark, std::uint64_t frame, std::uint64_t now) {
  with_tracker(guard, [&](Tracker& tracker) { tracker.range_ends(guard, mark, frame, now); });
}

void function_begins(const Guard& guard, std::uint64_t frame, std::uint64_t now) {
  with_tracker(guard, [&](Tracker& tracker) { tracker.asked_begins(guard, frame, now); });
}

void function_ends(const Guard& guard, std::uint64_t now) {
  with_tracker(guard, [&](Tracker& tracker) {
    if (is_owner(guard.thread())) tracker.asked_ends(guard, now);
  });
}

const char* function_pattern() {
  const Options& o = process().options;
  return std::string_view(o.step).starts_with("nvtx:") ? "" : o.step;
}

[[gnu::noinline]] void note_operator(const Guard& guard, Role role, std::uint64_t now) {
  if (!wanted()) {
    shared.value.quiet.store(true, std::memory_order_relaxed);
    return;
  }
  const std::uint32_t owner = shared.value.owner.load(std::memory_order_relaxed);
  if (owner != 0 && owner != guard.thread().tid) return;
  with_tracker(guard, [&](Tracker& tracker) { tracker.operator_begins(guard, role, now); });
}

[[gnu::noinline]] void note_late_operator(const Guard& guard, std::uint64_t now) {
  with_tracker(guard, [&](Tracker& tracker) { tracker.operator_begins_late(guard, now); });
}

[[gnu::noinline]] void note_backward(const Guard& guard, std::uint64_t now) {
  // The gap before it, which the end of the first of them would hide.
  if (is_owner(guard.thread()) && shared.value.times.are_past(now)) note_late_operator(guard, now);
  std::uint64_t none = 0;
  if (!shared.value.times.backward_began.compare_exchange_strong(none, now, std::memory_order_relaxed)) return;
  g_state.value.backward_elsewhere.store(!is_owner(guard.thread()), std::memory_order_relaxed);
  // What computes after it is news.
  shared.value.quiet.store(false, std::memory_order_relaxed);
}

void note_wait(const Guard& guard, log::WaitClass what, std::uint64_t began, std::uint64_t ended, std::uint64_t ns,
               bool (*in_operator)(const ThreadState&)) {
  with_tracker(guard, [&](Tracker& tracker) {
    tracker.waited(what, ns);
    // Between operators, who sleeps or reads is about something else; who waits for a thread or a device, waits for
    // them.
    if (!in_operator(guard.thread())) {
      if (what == log::WaitClass::Lock || what == log::WaitClass::Gpu)
        tracker.waited_for_operators(began, ended);
      else
        tracker.waited_outside(began, ended);
    }
    // The thread that waits for the backward operators of another one does not wait for what those communicate.
    if (what != log::WaitClass::Lock || g_state.value.backward_elsewhere.load(std::memory_order_relaxed)) return;
    if (const std::uint64_t until = collective_until(began, ended); until > began)
      tracker.took(StepPart::Communication, began, until);
  });
}

void note_part(const Guard& guard, StepPart part, std::uint64_t began, std::uint64_t ended) {
  with_tracker(guard, [&](Tracker& tracker) { tracker.took(part, began, ended); });
}

void prepare_steps() {
  pages::wipe_in_child(shared);
  pages::wipe_in_child(g_state);
}

void after_fork() {
  if (process().options.schedule.active != 0) capture::want_details(false, clock::monotonic());
}

extern constinit const Feature feature{.prepare = prepare_steps, .after_fork = after_fork};

}  // namespace prof::steps
