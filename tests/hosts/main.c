// Runs the operations in several threads, watches them, and prints what they came to: one line an operation, and all of
// it in one number. Status 0: all came to an end; 1: an operation got what it must not get; 3: something hung.
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/hosts/host.h"

struct slot slots[max_slots];
unsigned slot_count = 4;
_Thread_local struct slot* own_slot;
uint64_t the_seed = 1;
int exec_depth;
const char* own_directory;
bool enabled[64];

static unsigned step_count = 200;
static unsigned patience_s = 60;
static bool stops;
static int ending = -1;
static pthread_barrier_t start_line, finish_line;

void say(const char* format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  if (length > 0 && write(2, line, (size_t)length < sizeof(line) ? (size_t)length : sizeof(line)) < 0) _exit(5);
}

void failed(const char* file, int line, const char* condition) {
  const int error = errno;
  const struct slot* slot = own_slot;
  say("host: pid %d seed %llu thread %d step %u %s: %s:%d: not so: %s (errno %d)\n", getpid(),
      (unsigned long long)the_seed, slot ? (int)(slot - slots) : -1, slot ? slot->step : 0,
      slot && slot->operation ? slot->operation : "?", file, line, condition, error);
  // A thread that an operation started: one of these.
  for (unsigned i = 0; i < slot_count && !slot; ++i)
    say("host: thread %u step %u %s\n", i, slots[i].step, slots[i].operation ? slots[i].operation : "?");
  if (stops) kill(getpid(), SIGSTOP);
  _exit(1);
}

static void run_slot(struct slot* slot) {
  own_slot = slot;
  slot->tid = own_tid();
  take_alternate_stack();
  pthread_barrier_wait(&start_line);
  for (unsigned i = 0; i < step_count; ++i) {
    slot->step = i;
    struct step s = {.random = scramble(slot->random + i), .outcome = 0, .forked = false};
    slot->since_ns = now_ns();
    run_random(&s);
  }
  slot->operation = "waits for the others";
  slot->since_ns = 0;
  // Nobody sends a signal to a thread that has ended: all end together.
  pthread_barrier_wait(&finish_line);
  drop_alternate_stack();
}

static void* run_thread(void* slot) {
  run_slot(slot);
  return NULL;
}

// Ends the program when one step takes too long, and says who stood where.
static void* watch(void* unused) {
  for (;;) {
    const struct timespec while_ns = {0, 200000000};
    nanosleep(&while_ns, NULL);
    for (unsigned i = 0; i < slot_count; ++i) {
      const int64_t since = slots[i].since_ns;
      if (since == 0 || now_ns() - since < patience_s * 1000000000LL) continue;
      for (unsigned k = 0; k < slot_count; ++k)
        say("host: pid %d seed %llu thread %u (tid %d) step %u %s for %lld ms\n", getpid(),
            (unsigned long long)the_seed, k, slots[k].tid, slots[k].step, slots[k].operation ? slots[k].operation : "?",
            slots[k].since_ns ? (long long)(now_ns() - slots[k].since_ns) / 1000000 : 0LL);
      say("host: HANGS\n");
      if (stops) kill(getpid(), SIGSTOP);
      _exit(3);
    }
  }
  return unused;
}

static void choose(const char* names, bool on) {
  char list[1024];
  snprintf(list, sizeof(list), "%s", names);
  for (char *rest, *name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
    unsigned found = 0;
    for (unsigned i = 0; i < operation_count; ++i)
      if (strcmp(operations[i].name, name) == 0) enabled[i] = on, found = 1;
    if (!found) say("host: no operation %s\n", name), exit(2);
  }
}

static void usage(void) {
  say("usage: host [--seed N] [--threads N] [--steps N] [--only OP,...] [--without OP,...] [--patience SECONDS] "
      "[--stop] [--list]\n");
  exit(2);
}

static void read_arguments(int argc, char** argv) {
  for (unsigned i = 0; i < operation_count; ++i) enabled[i] = true;
  for (int i = 1; i < argc; ++i) {
    const char* option = argv[i];
    if (strcmp(option, "--list") == 0) {
      for (unsigned k = 0; k < operation_count; ++k) puts(operations[k].name);
      exit(0);
    }
    if (strcmp(option, "--stop") == 0) {
      stops = true;
      continue;
    }
    const char* value = argv[++i];
    if (!value) usage();
    if (strcmp(option, "--seed") == 0) {
      the_seed = strtoull(value, NULL, 10);
    } else if (strcmp(option, "--threads") == 0) {
      slot_count = (unsigned)atoi(value);
    } else if (strcmp(option, "--steps") == 0) {
      step_count = (unsigned)atoi(value);
    } else if (strcmp(option, "--patience") == 0) {
      patience_s = (unsigned)atoi(value);
    } else if (strcmp(option, "--depth") == 0) {
      exec_depth = atoi(value);
    } else if (strcmp(option, "--end") == 0) {
      ending = atoi(value);
    } else if (strcmp(option, "--without") == 0) {
      choose(value, false);
    } else if (strcmp(option, "--only") == 0) {
      memset(enabled, 0, sizeof(enabled));
      choose(value, true);
    } else {
      usage();
    }
  }
  if (slot_count < 1 || slot_count > max_slots) usage();
}

static const char* directory_of_program(void) {
  static char path[512];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
  if (length <= 0) return ".";
  path[length] = 0;
  *strrchr(path, '/') = 0;
  return path;
}

static void* leave(void* unused) { pthread_exit(unused); }

int main(int argc, char** argv) {
  own_directory = directory_of_program();
  read_arguments(argc, argv);
  if (ending >= 0) end_program((unsigned)ending);
  install_handlers();
  install_faults();
  install_jumps();
  install_parking();
  // The first pthread_exit of a program loads a library, which needs more stack than a small one has.
  pthread_t first, watcher;
  CHECK(pthread_create(&first, NULL, leave, NULL) == 0 && pthread_join(first, NULL) == 0);
  const struct quiet q = be_quiet();
  CHECK(pthread_create(&watcher, NULL, watch, NULL) == 0);
  be_loud(&q);

  pthread_barrier_init(&start_line, NULL, slot_count);
  pthread_barrier_init(&finish_line, NULL, slot_count);
  for (unsigned i = 0; i < slot_count; ++i) slots[i].random = scramble(the_seed * max_slots + i) << 20;
  for (unsigned i = 1; i < slot_count; ++i) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (i % 2 == 0) pthread_attr_setstacksize(&attributes, 512 << 10);
    CHECK(pthread_create(&slots[i].thread, &attributes, run_thread, &slots[i]) == 0);
    pthread_attr_destroy(&attributes);
  }
  slots[0].thread = pthread_self();
  run_slot(&slots[0]);
  for (unsigned i = 1; i < slot_count; ++i) CHECK(pthread_join(slots[i].thread, NULL) == 0);

  uint64_t all = 0;
  for (unsigned k = 0; k < operation_count; ++k) {
    uint64_t outcome = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < slot_count; ++i) outcome += slots[i].outcomes[k], count += slots[i].counts[k];
    if (count) printf("%s %u %016llx\n", operations[k].name, count, (unsigned long long)outcome);
    all = scramble(all + outcome);
  }
  printf("end %016llx\n", (unsigned long long)all);
  return 0;
}
