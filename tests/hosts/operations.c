// The operations by name. A step takes one by its weight, whether or not it is enabled: what is left out of a run does
// not change what the others do.
#include <stdio.h>

#include "tests/hosts/host.h"

#define FOR_EACH_OPERATION(X) \
  X(allocate, 12, true)       \
  X(exchange, 8, false)       \
  X(map, 8, true)             \
  X(remap, 4, true)           \
  X(copy, 8, true)            \
  X(objects, 4, false)        \
  X(throw_up, 4, false)       \
  X(load, 5, false)           \
  X(fork_child, 4, true)      \
  X(kill_child, 2, false)     \
  X(vfork_child, 3, true)     \
  X(spawn, 3, false)          \
  X(exec_self, 1, false)      \
  X(descriptors, 3, false)    \
  X(limits, 3, false)         \
  X(endings, 3, false)        \
  X(jail, 2, false)           \
  X(control, 2, false)        \
  X(reset_signals, 3, false)  \
  X(threads, 6, false)        \
  X(cancel, 5, false)         \
  X(realtime, 1, false)       \
  X(alternate, 6, false)      \
  X(overflow, 3, false)       \
  X(recurse, 5, true)         \
  X(faults, 5, true)          \
  X(actions, 6, false)        \
  X(storm, 8, false)          \
  X(queue, 5, true)           \
  X(timers, 5, false)         \
  X(masks, 5, true)           \
  X(jump, 8, true)            \
  X(coroutines, 6, true)      \
  X(waits, 8, true)           \
  X(deadlines, 6, true)       \
  X(pipes, 6, true)           \
  X(files, 4, true)           \
  X(mutexes, 6, false)        \
  X(semaphores, 4, false)     \
  X(park, 4, false)           \
  X(own_code, 6, true)

#define DECLARE(name, weight, in_child) operation_function name##_operation;
FOR_EACH_OPERATION(DECLARE)

#define ENTRY(name, weight, in_child) {#name, name##_operation, weight, in_child},
const struct operation operations[] = {FOR_EACH_OPERATION(ENTRY)};
const unsigned operation_count = sizeof(operations) / sizeof(operations[0]);

void name_enabled(char* to, size_t room, bool plain) {
  static const char names[] = ",allocate,map,copy,threads,waits,mutexes,recurse,coroutines,objects,throw_up,";
  size_t used = 0;
  to[0] = 0;
  for (unsigned i = 0; i < operation_count; ++i) {
    char name[40];
    snprintf(name, sizeof(name), ",%s,", operations[i].name);
    if (!enabled[i] || (plain && !strstr(names, name))) continue;
    used += (size_t)snprintf(to + used, room - used, "%s%s", used ? "," : "", operations[i].name);
    CHECK(used < room);
  }
}

static unsigned pick(struct step* s) {
  unsigned total = 0;
  for (unsigned i = 0; i < operation_count; ++i) total += operations[i].weight;
  unsigned left = (unsigned)below(s, total), i = 0;
  while (left >= operations[i].weight) left -= operations[i++].weight;
  return i;
}

void run_random(struct step* s) {
  const unsigned i = pick(s);
  if (!enabled[i] || (s->forked && !operations[i].in_child)) return;
  struct slot* slot = own_slot;
  if (slot && !s->forked) slot->operation = operations[i].name;
  struct step its = {.random = draw(s), .outcome = 0, .forked = s->forked};
  const uint64_t seed = its.random;
  operations[i].run(&its);
  fold(s, its.outcome);
  if (!slot || s->forked) return;
  slot->outcomes[i] += scramble(its.outcome ^ seed);
  ++slot->counts[i];
}
