// Exact calls of one thread: a shadow of its call stack, and the counters of each (caller, callee) that it has met.
//
// Counted as cProfile counts (Modules/_lsprof.c): calls at their beginning, times at their end, in the words of the log
// itself, so that a log is right whenever its process dies. A call costs one look into a small cache that goes from
// (caller, code object) straight to the counters; a return costs none. No guard is entered on these two paths: they
// touch nothing that a tick touches. What makes something new enters by a HookGuard.
//
// The cache goes by address, and addresses of code objects are re-used: an entry counts while what stands at the
// address is what it was made for (name, file, line table, first line; of a C function its name and its address).
//
// All functions are called by the interpreter's callbacks, with the GIL, for the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/calls/arena.hpp"
#include "agent/calls/counter.hpp"
#include "agent/contract/format.hpp"
#include "agent/core/pages.hpp"
#include "agent/python/api.hpp"
#include "agent/thread/guard.hpp"

namespace prof::python::calls {

struct OpenLines;

// A function as one thread sees it.
struct Function {
  std::uint32_t level;      // how many times it is on the stack
  std::uint32_t code;       // its id in the log
  const char* name;         // of a C function; null: a code object
  std::uintptr_t identity;  // of a C function its definition, of a code object its id
  const void* text;         // of a C function its name in the definition, to tell a re-used address
  Function* next;           // in the thread's list of this hash
};

// One caller and what it calls.
struct alignas(64) Edge {
  const void* key;     // code object, or definition of a C function
  Function* caller;    // null: nobody
  const void* has[3];  // what stands at `key`
  std::int32_t first_line;
  std::uint32_t level;  // how many times it is on the stack
  Function* callee;
  log::CallWords* words;  // in the log
};
static_assert(sizeof(Edge) == 64);

struct Frame {
  Edge* edge;
  Function* function;    // its callee
  std::uint64_t start;   // ticks
  std::uint64_t nested;  // ticks in calls that ended
};

// Gone in a forked child (zero): a rate of 0 and no room lead both paths to the one that makes things.
struct Fresh {
  std::uint64_t rate;  // see counter_rate
  const Frame* last;   // the last frame there is room for
  Edge** cache;
  unsigned cache_shift;
};
// A forked child's memory of its parent: which calls are open.
struct Kept {
  Frame* top;  // innermost open call; `frames` itself: none
  Frame* frames;
  std::uint32_t room, used_edges;
  std::uint64_t beyond;  // open calls that found no room
  Function** functions;  // by hash of identity
  std::uint32_t function_slots, function_count;
  Arena arena;
  OpenLines* lines;  // see lines.cpp; null: none yet
};
struct alignas(pages::kPage) Shadow {
  Fresh fresh;
  alignas(pages::kPage) Kept kept;
  Shadow* next;
  Shadow* previous;
};

// What is called: what stands at `key` and how to describe it.
struct Callee {
  const void* key;
  const void* has[3];
  std::int32_t first_line;
  PyObject* c_function;  // of a C function: the callable; else null
  PyObject* self;        // of a method that is not bound: its first argument

  bool is(const Edge& e) const {
    return e.key == key && e.has[0] == has[0] && e.has[1] == has[1] && e.has[2] == has[2] && e.first_line == first_line;
  }
};

// What a thread without a shadow has.
static_assert(sizeof(Shadow) == kNothingCountedBytes && alignof(Shadow) <= 4096);
inline Shadow& no_shadow() { return *reinterpret_cast<Shadow*>(nothing_counted); }

// The calling thread's; of a thread without one an empty one, whose every use leads to the paths below.
inline Shadow& shadow() { return *static_cast<Shadow*>(tls.exact); }

// The ways that make something. `enter_slowly` counts the call of `callee`, whatever it takes.
void enter_slowly(const Callee& callee);
void leave_slowly(const void* key, bool raised);
// Counts a call by a caller whose own calls are not counted; null: nobody.
void enter_from(const Callee* caller, const Callee& callee);

inline std::size_t cache_slot(const void* key, const Function* caller, unsigned shift) {
  const auto mixed = reinterpret_cast<std::uintptr_t>(key) ^ reinterpret_cast<std::uintptr_t>(caller) << 7;
  return static_cast<std::size_t>(mixed * 0x9e3779b97f4a7c15ULL >> shift);
}

inline void push(Kept& k, Edge& e) {
  ++e.words->calls;
  if (e.callee->level++ == 0) ++e.words->primitive;
  if (e.level++ == 0) ++e.words->edge_calls;
  Frame* top = k.top + 1;
  top->edge = &e;
  top->function = e.callee;
  top->nested = 0;
  k.top = top;
  top->start = now();
}

inline void pop(Kept& k, std::uint64_t ended, std::uint64_t rate, bool raised) {
  Frame* top = k.top;
  Edge& e = *top->edge;
  // Counters of two processors may differ by a little: no time is below zero.
  const std::uint64_t total = ended > top->start ? ended - top->start : 0;
  const std::uint64_t total_ns = nanoseconds(total, rate);
  e.words->self_ns += nanoseconds(total > top->nested ? total - top->nested : 0, rate);
  if (--e.callee->level == 0) e.words->outer_ns += total_ns;
  if (--e.level == 0) e.words->edge_outer_ns += total_ns;
  if (raised) ++e.words->raised;
  --top;
  top->nested += total;
  k.top = top;
}

// A call begins. False: it has to be counted by enter_slowly, which needs so much that nothing of it stands here.
[[gnu::always_inline]] inline bool enter(const Callee& callee) {
  Shadow& s = shadow();
  Frame* top = s.kept.top;
  if (top >= s.fresh.last) [[unlikely]]
    return false;
  Edge* e = s.fresh.cache[cache_slot(callee.key, top->function, s.fresh.cache_shift)];
  if (e->caller != top->function || !callee.is(*e)) [[unlikely]]
    return false;
  push(s.kept, *e);
  return true;
}

// A call of what `key` stands for ends.
[[gnu::always_inline]] inline void leave(const void* key, bool raised) {
  const std::uint64_t ended = now();
  Shadow& s = shadow();
  if (s.fresh.rate == 0 || s.kept.top->edge->key != key) [[unlikely]]
    return leave_slowly(key, raised);
  pop(s.kept, ended, s.fresh.rate, raised);
}

// The same for functions that are watched: what is not the innermost watched call is none.
inline void leave_watched(const void* key, bool raised) {
  Shadow& s = shadow();
  if (s.fresh.rate == 0 || s.kept.top->edge->key == key) leave(key, raised);
}

// The calling thread's shadow, made if need be; null: no memory for it.
Shadow* own_shadow(const Guard& guard);

// Books the time of the thread's open calls so far; they go on. Before the process ends or execs, ordinary code.
void book_open_calls();
// The same for all threads. With the GIL, when no thread will run Python code any more.
void book_all_open_calls();
// The calling thread's open calls are closed: nobody will tell of their ends.
void close_open_calls();
// The calling thread ends.
void drop_shadow();

void prepare_shadows();

}  // namespace prof::python::calls
