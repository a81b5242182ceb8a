// The CPU ticks: for each thread a timer on its own CPU clock that sends it our signal, so that threads which wait are
// left in peace. Above what the kernel's timers can do (they expire on the scheduler's tick, 100 to 1000 times a
// second) perf events on the thread's task clock take over, where they are allowed.
#pragma once

#include <signal.h>

#include "agent/thread/guard.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::ticks {

// Chooses the signal and installs the handler. Process event: start. Afterwards `arm` works.
void prepare();

// Before anybody else knows of the calling thread's state: it has no ticks yet. Ordinary code.
void begin(ThreadState& t);
// Starts and stops the ticks of the calling thread. Ordinary code.
void arm(ThreadState& t);
void disarm(ThreadState& t);
// Stops the ticks and nothing else. Any context.
void stop(ThreadState& t);
// Stops the ticks of a thread on which none may land for now; and starts them again, if that was why it has none. Any
// context.
void pause(ThreadState& t);
void go_on(ThreadState& t);

// The signal that our ticks use; 0: none.
int signal_number();

// Before the signal can be left. Process event: start.
void prepare_moves();

// A child has its signals' actions as they were when its memory was not copied yet, which may say that another thread
// has moved the ticks meanwhile: sees to it that the signal does not end it. Process event: a fork, in the child,
// before anything ticks there.
void renew_signal();

// The host is about to use our signal: moves all ticks to another one, or stops them if none is free. Ordinary code.
void leave_signal();

// The host is about to receive our signal with others (raw::bit), without a handler: the same, to none of them. What is
// sent to threads that the host believes to block it waits there; others it ends, as it does alone. Ordinary code.
void leave_signal_to_receivers(std::uint64_t wanted);

// The host is about to set how many of its signals may be pending (RLIMIT_SIGPENDING). Where that leaves too little
// room for perf events (timer_room.hpp), the kernel's timers tick instead, from now on. Ordinary code.
void before_signal_limit(std::uint64_t limit);

// A perf event's pending signal would outlive an exec and kill the new program (timers' signals do not): to be called
// by the thread that execs, before.
void before_exec(ThreadState& t);

// Takes back what before_exec did. Ordinary code.
void after_failed_exec(ThreadState& t);

// How much a tick books where `passed` nanoseconds of CPU time passed since the thread's last sample; 0: it is no
// sample. Ticks.
//
// All of it, but for two cases. Where a perf event ticks, which sees user mode alone, its tick books one period; the
// rest passed in the kernel and waits for the timer beside it to tick in a system call, or for having become much. And
// a thread is young until it has used a period: its timer expires on each tick of the kernel's, of which the first
// books what that stands for, more than passed. So a thread that lives for a twentieth of a tick is sampled once in
// twenty times and stands for the other nineteen (Horvitz and Thompson's estimate: a value over the probability with
// which it is seen); to wait for a period to pass would see next to none of them.
std::uint64_t booked_by(ThreadState& t, const siginfo_t& info, bool in_system_call, std::uint64_t passed);

// Ticks are held back while the thread forks, and one that waited comes when that is over: what passed before the fork
// is no part of it, and is left to the ticks that meet what the program does between its forks. begin_fork: the thread
// itself, in ordinary code; it ends with ThreadState::fork set to 0. since_fork: CPU time since then, in nanoseconds,
// of the thread's `cpu`; a fork of more than an hour counts less. Ticks.
void begin_fork(ThreadState& t);
std::uint64_t since_fork(const ThreadState& t, std::uint64_t cpu);

// The handler for ticks, once it stands on a stack of the agent's own: see entry.cpp.
void on_tick(int signal, siginfo_t* info, void* context);
// Books what ticks found the agent at work for, and no tick has booked since: at the thread's end.
void book_rest(const Guard& guard);
// The handler as the kernel calls it.
extern "C" void prof_tick_entry(int signal, siginfo_t* info, void* context);

}  // namespace prof::ticks
