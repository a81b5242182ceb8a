// What the parts of the host fuzzer share. A host is a program that does everything a program may do: several threads
// run random sequences of operations, each of which checks what it gets and leaves the thread as it found it. All that
// happens follows from a seed; what an operation folds into its outcome never depends on timing.
#pragma once

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#else
#include <stdatomic.h>
#endif

// One operation at work.
struct step {
  uint64_t random;   // state of its own generator
  uint64_t outcome;  // what it came to
  bool forked;       // it runs in a forked child of a program of several threads
};

// The next random number of a step; one below `n`; one from `low` to `high`; whether to do what is done once in `n`.
uint64_t draw(struct step* s);
uint64_t below(struct step* s, uint64_t n);
uint64_t between(struct step* s, uint64_t low, uint64_t high);
bool once_in(struct step* s, uint64_t n);
// Folds a value into the outcome; the order counts.
void fold(struct step* s, uint64_t value);
uint64_t scramble(uint64_t value);

// Bytes that follow from a seed, and whether they are there.
void fill(void* to, size_t size, uint64_t seed);
bool filled(const void* from, size_t size, uint64_t seed);

// An operation that gets what it must not get ends the program: status 1, and a line on stderr with seed and step.
#define CHECK(condition) ((condition) ? (void)0 : failed(__FILE__, __LINE__, #condition))
void failed(const char* file, int line, const char* condition) __attribute__((noreturn));
// Prints a line on stderr by write() alone.
void say(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Operations, and in which places they may run.
typedef void operation_function(struct step*);
struct operation {
  const char* name;
  operation_function* run;
  unsigned weight;
  bool in_child;  // legal in a forked child of a program of several threads
};
extern const struct operation operations[];
extern const unsigned operation_count;
extern bool enabled[64];
// The names of those that are enabled, with commas between them; with `plain` only those that a program does that has
// little: few descriptors, few signals that may wait, no file to write to.
void name_enabled(char* to, size_t room, bool plain);
// Runs a random one; in a child one of those that are legal there.
void run_random(struct step* s);

#ifndef __cplusplus
// The threads of the fuzzer, which live until all are done.
enum { max_slots = 64 };
struct slot {
  pthread_t thread;
  _Atomic pid_t tid;
  _Atomic unsigned step;
  _Atomic(const char*) operation;
  _Atomic int64_t since_ns;
  uint64_t random;
  uint64_t outcomes[64];
  unsigned counts[64];
};
extern struct slot slots[max_slots];
extern unsigned slot_count;
extern _Thread_local struct slot* own_slot;  // null in threads that operations start
#endif
extern uint64_t the_seed;
extern int exec_depth;             // how many execs of itself lie above this process
extern const char* own_directory;  // where the program and its libraries lie

// Ends the program in one of many ways.
void end_program(unsigned way);

int64_t now_ns(void);
pid_t own_tid(void);
// Burns CPU time of the thread.
void burn_us(unsigned us);
// Sleeps as long and no shorter, whatever signals come.
void sleep_us(unsigned us);

// Blocks all signals for a while, but those of faults.
struct quiet {
  sigset_t before;
};
struct quiet be_quiet(void);
void be_loud(const struct quiet* q);
void all_but_faults(sigset_t* set);

// Runs `body` in a forked child and returns its answer. `end`: a wait status that is expected of it; -1 for one that
// ends by itself, after its answer.
typedef uint64_t child_function(struct step*, void* argument);
uint64_t in_child(struct step* s, child_function* body, void* argument, int end);
// waitpid without interruption; the status.
int reap(pid_t pid);

// The signals that the host uses; each has one meaning. See signals.c.
#define SIGNAL_STORM SIGUSR1
#define SIGNAL_STORM_2 SIGURG
#define SIGNAL_QUEUED (SIGRTMIN + 1)
#define SIGNAL_TIMER (SIGRTMIN + 2)
#define SIGNAL_JUMP (SIGRTMIN + 3)
#define SIGNAL_PARK (SIGRTMIN + 4)
#define SIGNAL_RESUME (SIGRTMIN + 5)
void install_handlers(void);
void install_faults(void);
void install_jumps(void);
void install_parking(void);
// Each thread of the fuzzer has an alternate stack while it lives.
void take_alternate_stack(void);
void drop_alternate_stack(void);
// Whether this seed's program runs code that it wrote itself: such a thread has a signal stack under libprof, on which
// the handler of an overflow can run.
bool has_own_code(void);

#ifdef __cplusplus
}
#endif
