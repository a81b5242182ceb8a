// The window in which the program is recorded: all its life, unless PROF_DELAY, PROF_DURATION or PROF_CAPTURE_RANGE
// narrow it. Inside it are CPU samples, calls of APIs, ranges, events of the trace and what devices do; the books of
// memory go on outside, since what is live can only be known from the start.
//
// Within it, PROF_SCHEDULE may narrow what costs more: details. The totals go on without them.
//
// No thread watches the time: it is looked at where samples, calls and ranges pass, and a window opens and ends at its
// own instant all the same, whenever that is noticed.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "agent/core/clock.hpp"
#include "agent/core/text.hpp"

namespace prof::capture {

struct State {
  std::atomic<std::uint64_t> due;  // when it will open or end by itself; UINT64_MAX: never
  std::atomic<bool> open;
  std::atomic<bool> detailed;
  bool narrowed;             // there is a window at all
  std::atomic<bool> traced;  // open, detailed, and there is a trace
};
extern constinit State state;
void pass(std::uint64_t now);

// Whether what happens at `now` (CLOCK_MONOTONIC, not long ago) is recorded. Two loads. Any context.
inline bool is_open(std::uint64_t now) {
  if (now >= state.due.load(std::memory_order_relaxed)) [[unlikely]]
    pass(now);
  return state.open.load(std::memory_order_relaxed);
}

// The same of this moment: the clock is asked only where a window may open or end by itself. Any context.
inline bool is_open() {
  if (state.due.load(std::memory_order_relaxed) != UINT64_MAX) [[unlikely]]
    return is_open(clock::monotonic());
  return state.open.load(std::memory_order_relaxed);
}

// Whether details are recorded now: the trace, and of operators shapes, memory, FLOPs and Python frames. A load. Any
// context.
inline bool with_details() { return state.detailed.load(std::memory_order_relaxed); }
// A schedule wants details from `now` on, or no more. Ordinary code; one at a time.
void want_details(bool wanted, std::uint64_t now);
// Whether details were recorded at the instant `ns`, now or in the past; of many times the last ones are known. Any
// context.
bool was_detailed(std::uint64_t ns);

// Whether the instant `ns`, now or in the past, lies in a window: for records of devices, which come late. Of many
// windows the last ones are known. Any context.
bool covers(std::uint64_t ns);
// Of what began at `began` and still goes on in an open window: when it began or the window did, whichever was later.
std::uint64_t since(std::uint64_t began);
// How much of the time from `began` to `ended`, which is about now, lies in windows, in ns. Any context.
std::uint64_t within_windows(std::uint64_t began, std::uint64_t ended);
inline std::uint64_t within(std::uint64_t began, std::uint64_t ended) {
  if (state.narrowed) [[unlikely]]
    return within_windows(began, ended);
  return ended > began ? ended - began : 0;
}

// The program says where it wants to be recorded: cudaProfilerStart and Stop. Does nothing unless PROF_CAPTURE_RANGE
// asks for them. Any context.
void profiler_started();
void profiler_stopped();

// Whether PROF_CAPTURE_RANGE=nvtx:TEXT or nvtx:TEXT@DOMAIN names a range; and those began and ended, on any thread.
bool names(std::string_view text, std::string_view domain);
void range_began(std::uint64_t now);
void range_ended(std::uint64_t now);

// Whether somebody takes records of what was done before: then PROF_STOP_ON_EXIT waits for `end_if_due`, which is
// called when they have been taken. Ordinary code.
void records_come(bool later);
void end_if_due();
bool end_is_due();

// What InfoKey::Window says so far; nothing when there is no window.
void describe_window(TextBuilder& text);

// Once at start, when the options are known. A forked child goes on with its parent's window.
void prepare_window();

}  // namespace prof::capture
