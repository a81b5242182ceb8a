// Event loops: what holds one up. A thread that waits for one epoll set again and again runs a loop; from where such a
// wait returns to where it begins again is one turn of it, in which nothing else of the loop can run. Turns of
// log::kHoldLeast and more are recorded exactly, on one context that was seen in them, by a tick or in a blocking call:
// each is chosen as likely as it was long, so that of many turns each context gets its part.
//
// What the loop does by itself between two waits (timers of its own, poll or select in place of epoll) is not told
// apart. A thread that has used such a set now and then, for something else, has long "turns" as well: whether there is
// a loop on the stack is for the reader to judge.
#pragma once

#include <cstdint>

#include "agent/loops/local.hpp"

namespace prof::loops {

// A new set has this descriptor: turns of one that had it before are over. The calling thread's loops alone. Ordinary
// code and handlers; two loads.
void made(int set);

// The calling thread began to wait for `set` at `at` (CLOCK_MONOTONIC ns), and got `events`, fewer than 0 for none. To
// be called before that wait is booked, which would count as seen in the turn. Keeps errno. Ordinary code and handlers;
// a few loads for turns that are not recorded.
void turn_ended(int set, std::uint64_t at, int events);
// The wait is over since `at`. The same contexts.
void turn_begins(int set, std::uint64_t at);

// The thread was in the context `node` for `ns`, up to now: its own CPU time, or a blocking call. Tick and hook.
inline void seen(ThreadState& t, std::uint32_t node, std::uint64_t ns) {
  Turns* turns = local(t).turns;
  if (turns == nullptr) [[likely]]
    return;
  for (Turn& turn : turns->of) {
    if (turn.since == 0) continue;
    turn.seen_ns += ns;
    turn.random = turn.random * 1664525 + 1013904223;  // Numerical Recipes' generator: no more than that is needed
    __extension__ using Wide = unsigned __int128;
    if (static_cast<std::uint64_t>(Wide{turn.random} * turn.seen_ns >> 32) < ns) turn.node = node;
  }
}

}  // namespace prof::loops
