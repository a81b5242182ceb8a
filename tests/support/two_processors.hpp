// Programs whose figures depend on how many processors there are run on two of them.
#pragma once

#include <sched.h>

#include <algorithm>

namespace prof::test {

// How many of two processors this process may use.
inline int processors() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::min(2, CPU_COUNT(&set)) : 1;
}

// Leaves the child two processors, however many there are: for Command::before_exec.
inline void keep_two() {
  cpu_set_t set, two;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return;
  CPU_ZERO(&two);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++cpu) {
    if (CPU_ISSET(cpu, &set)) CPU_SET(cpu, &two);
  }
  sched_setaffinity(0, sizeof two, &two);
}

}  // namespace prof::test
