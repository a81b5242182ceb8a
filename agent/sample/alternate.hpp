// Alternate signal stacks that a tick must not land on.
//
// The kernel puts a tick's frame on the thread's alternate stack where it has one, which is right for programs that run
// code on stacks of a few KiB (Go, OCaml) and give their threads such a stack for that. But one may be too small for
// the frames of this processor, or its memory may be gone: harmless as long as no signal comes. Such a thread has no
// ticks until it has another alternate stack, or none.
#pragma once

#include <signal.h>

#include <cstddef>

#include "agent/sample/ticks.hpp"

namespace prof::ticks {

// The calling thread is about to have the alternate stack `next`: no tick may land on one that cannot take it. Any
// context; nothing in a thread that is not registered.
void before_alternate(const stack_t& next);
// It has `now`. Any context.
void after_alternate(const stack_t& now);
void after_alternate(ThreadState& t, const stack_t& now);

// The thread ends.
void forget_alternate(ThreadState& t);

// Memory is unmapped, or its protection changed: whose alternate stack it is gets no more ticks. Any context.
void alternate_gone(const void* start, std::size_t bytes);

// Once at start.
void prepare_alternate();

}  // namespace prof::ticks
