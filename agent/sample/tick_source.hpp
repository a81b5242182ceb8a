// What sends a thread its ticks: a timer on its CPU clock; or a perf event on its task clock, with a timer beside it
// for the time in the kernel. For this folder: what others may ask is in ticks.hpp.
#pragma once

#include <cstdint>

#include "agent/thread/thread_state.hpp"

namespace prof::ticks {

inline constexpr int kNoTimer = 0;  // as in a state whose memory was given back while another thread looks at it

// The signal that sends ticks from now on; 0: none. Ordinary code.
void use_signal(int signal);

// Nanoseconds between ticks: as --cpu-hz asks; as they come; and of the timers beside perf events. Any context.
//
// They do not come at the round number that was asked for: of loops that take a multiple or a part of it, the same
// place would be met each time. Three percent off, since what a tick takes itself can draw a loop that is near into
// step. Timers' gaps are drawn at random as well (draw_next).
std::uint64_t asked_period_ns();
std::uint64_t period_ns();
std::uint64_t timer_beside_events_ns();

// What a tick of the kernel's own stands for, in nanoseconds; 0: not known. Any context, after find_kernel_tick, which
// is a process event: start.
std::uint64_t kernel_tick_ns();
void find_kernel_tick();

// Starts what sends ticks to the thread; notes in its record where nothing does. Ordinary code, in that thread.
void start(ThreadState& t);
// The same for all threads whose ticks are not paused. Ordinary code, with signals held.
void start_all();
// A thread that is young no more: its timer expires once a period. Ticks, in that thread.
void settle(ThreadState& t);

// Where a timer alone ticks: puts its next tick somewhere between half a period and one and a half after the last one
// was due, so that no loop stays in step with it; on average it is a period. Timers expire on the kernel's own ticks,
// and what is in step with those is met at few places in any case. `cpu`: the thread's CPU clock. Ticks, in that
// thread.
void draw_next(ThreadState& t, std::uint64_t cpu);

// Whether the time of the thread, which may be another one that ends, is sampled. Any context.
void mark_unsampled(ThreadState& t, bool unsampled);

}  // namespace prof::ticks
