// How long threads waited for locks that other threads held.
#pragma once

#include <cstdint>

#include "report/findings/evidence.hpp"
#include "report/findings/thread_time.hpp"

namespace prof::findings::lock_contention {

enum class Held { Nothing, Lock, Interpreter };  // a lock of the program's own, Python's global lock

struct Contention {
  explicit Contention(const Evidence& evidence) : lines(evidence) {}
  std::int64_t ns = 0, calls = 0;
  std::int64_t worst_ns = 0;  // of the one thread, or of those one after the other, that lost the largest share
  std::int64_t in_a_row = 1;  // how many these are
  double lost = 0;            // that share: of the steps' time, else of the process's
  double share = 0;           // of the life of the threads that waited for it, or computed
  bool of_program = false;    // the program's thread is the one that lost most
  std::int64_t threads = 0;
  bool joins = false;       // the main thread has nothing to do itself, so that one of the others holds the lock
  std::int64_t beside = 0;  // threads of the user's own code but the main one, whether they waited for it or not
  std::int64_t still = 0;   // threads that waited for it to the end, for most of what they waited
  std::int64_t interpreted_ns = 0;  // CPU time of these threads in the interpreter itself
  std::int64_t cpu_ns = 0;          // of all threads of the process; in a VM, but for its locks
  bool vm = false;                  // a VM of Java or .NET
  TimeByPlace lines;
};

// Of the process of the program's thread.
Contention contention(const Evidence& evidence, const ThreadOf& program, Held what);

}  // namespace prof::findings::lock_contention
