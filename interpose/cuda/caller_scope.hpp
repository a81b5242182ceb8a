// What a name means to a calling object, as if our own definitions were not there.
#pragma once

#include "agent/gpu/calls.hpp"

namespace prof::gpu {

// libc's dlsym: the exported one (probe.S) stands before it. Never null.
using Dlsym = void* (*)(void* handle, const char* name);
Dlsym real_dlsym();

// The handle that dlopen gives for the program itself, which searches the global scope. What a name means there: of our
// own RTLD_DEFAULT that cannot be asked, since this library is bound to itself first.
void* program();
void* in_program(const char* name);

// Whether the address is in libprof.so itself; also while the agent is off.
bool is_ours(const void* address);

// The definition of `name` that the loader would bind the object at `caller` to; null: there is none. Ordinary code;
// takes the loader's lock, and leaves no error message behind.
void* in_caller_scope(const char* name, const void* caller);

}  // namespace prof::gpu
