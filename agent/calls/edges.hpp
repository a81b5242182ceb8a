// The functions and the entries of a shadow's cache: how they are found and made.
#pragma once

#include "agent/calls/shadow.hpp"

namespace prof::python::calls {

// An entry that stands for nothing.
extern constinit Edge g_nothing;

inline std::size_t cache_size(const Fresh& fresh) { return std::size_t{1} << (64 - fresh.cache_shift); }
// An empty cache. False: no memory for it.
bool make_cache(Fresh& fresh);

// The entry of (caller, callee), wherever it stands; null: there is none. `stale` is one whose address is re-used.
Edge* find_edge(const Shadow& s, const Function* caller, const Callee& callee, Edge*& stale);
// Makes it, in place of `stale` if that is not null. `known_name`: of a C function whose callable is out of reach, else
// null. Null: no memory for it.
Edge* make_edge(const Guard& guard, Shadow& s, Function* caller, const Callee& callee, const char* known_name,
                Edge* stale);

// A code object is its text: one that is made anew is the same function. Null: no memory for it.
Function* code_function_of(const Guard& guard, Kept& k, const Callee& callee);

}  // namespace prof::python::calls
