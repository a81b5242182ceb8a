// The kinds of waits that a program's thread can have at its lines: which is which, and what is said of each.
#pragma once

#include <cstdint>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/look.hpp"

namespace prof::findings::waiting {

// What to say where the calls are so short that the system's own work for them is what takes the time.
struct OfShortCalls {
  const char *title, *what, *advice;
};

struct Kind {
  const Rule* rule;
  const char* title;
  const char* what;  // behind "7 calls"
  const char* advice;
  std::int64_t least_calls = 1;  // fewer are no fault
  const OfShortCalls* of_short = nullptr;
};

extern const Kind kSync, kLoop, kHub, kAwaits, kNetwork, kSleep, kAsyncSleep, kChild, kFile, kPipe;

// What runs beside the program's thread's waits.
struct Beside {
  bool alone = true;       // what runs in the loop holds up nobody, and is as if it ran without one
  bool greenlets = false;  // they take turns by a hub of gevent's or eventlet's
};

// Of which kind the wait is; null: of none.
const Kind* kind_of(const Evidence& evidence, const LineTime& time, const Beside& beside);

}  // namespace prof::findings::waiting
