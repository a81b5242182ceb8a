// Methods that HotSpot's interpreter runs, by what stands in their frames.
//
// Source: HotSpot's frame_x86.hpp and templateInterpreterGenerator_x86.cpp (generate_fixed_frame), the same in 17 to
// 25: three words below the frame pointer stands the Method, eight below it where its bytecode goes on after a call,
// 0 in native methods; the bytecode that runs is at r13.
#pragma once

#include <cstdint>

#include "agent/unwind/objects.hpp"

namespace prof::java {

// From now on frames of the interpreter's code, which is at `code`, show what they run, if the VM's library says where
// it keeps that. Ordinary code.
void name_interpreted(const Object& vm, std::uintptr_t code);

// Once at start.
void prepare_interpreted();

}  // namespace prof::java
