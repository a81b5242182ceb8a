// How many timers this process may have. Each holds one of the pending signals that the system allows the user
// (RLIMIT_SIGPENDING, in all processes together): with none left the host's own timer_create and sigqueue fail. A
// quarter of them is never taken. Small numbers of timers are taken without a look at what is in use, which costs some
// tens of microseconds; else one look serves for many threads.
#pragma once

#include <cstdint>

namespace prof::ticks {

// Takes the room for one timer; false: there is none to be had now. Ordinary code.
bool take_timer_room();
// Any context.
void give_timer_room_back();

// Whether perf events may be used. Where a signal of theirs finds no room among the pending ones, the kernel sends
// SIGIO instead, which kills. One is pending for a thread now and then, and more of them only while a thread holds back
// all signals past libc; so there must be room for seconds of such ticks. Looks once. Ordinary code.
bool room_for_events();
// The same under a new limit. False: never again in this process. Ordinary code.
bool room_for_events_under(std::uint64_t limit);

// In a forked child, which has none of its parent's timers.
void renew_timer_room();

}  // namespace prof::ticks
