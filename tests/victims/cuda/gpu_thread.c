// What a process with a GPU may do that the profiler's own thread must stand: gpu_thread HOW.
#include <dlfcn.h>
#include <signal.h>

#include "cuda_api.h"

KERNEL(work_200us)
KERNEL(endless_30000000us)
KERNEL(long_4000000us)

static void work(int count) {
  for (int i = 0; i < count; ++i) CUDA(LAUNCH(work_200us, NULL));
  CUDA(cudaDeviceSynchronize());
}

static void* in_thread(void* count) {
  work(*(int*)count);
  return NULL;
}

// Some work that is done at once, and behind it what takes long.
static void* launch_long(void* unused) {
  (void)unused;
  void* stream = NULL;
  CUDA(cudaStreamCreate(&stream));
  for (int i = 0; i < 5; ++i) CUDA(LAUNCH(work_200us, stream));
  CUDA(LAUNCH(long_4000000us, stream));
  return NULL;
}

// What comes first in each of the two is what the GPU waits for.
static void after_sleep(void) {
  const struct timespec rest = {0, 30000000};
  nanosleep(&rest, NULL);
  work(1);
}
static void after_spin(void) {
  const int64_t until = now_ns() + 30000000;
  while (now_ns() < until) {
  }
  work(1);
}

// Past all functions that stand before CUPTI's.
static void on_callback(void* user, int domain, uint32_t id, const void* data) {
  (void)user, (void)domain, (void)id, (void)data;
}
static int subscribe_past(void) {
  static const char kName[] = "libcupti.so.12";  // and of its symbols' version
  void* const cupti = dlopen(kName, RTLD_NOW | RTLD_NOLOAD);
  if (cupti == NULL) return 0;  // nobody has it
  void* subscriber = NULL;
  int (*subscribe)(void**, void (*)(void*, int, uint32_t, const void*), void*);
  *(void**)&subscribe = dlvsym(cupti, "cuptiSubscribe", kName);
  EXPECT(subscribe != NULL);
  return subscribe(&subscriber, on_callback, NULL);
}

static volatile sig_atomic_t handled_by;
static void on_signal(int number) {
  (void)number;
  handled_by = (int)syscall(SYS_gettid);
}

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "";
  if (strcmp(how, "rights") == 0) {  // libc asks every thread to change them, and waits for each
    work(5);
    EXPECT(setgid(getgid()) == 0);
    EXPECT(setuid(getuid()) == 0);
    work(5);
  } else if (strcmp(how, "exec-fails") == 0) {
    work(5);
    EXPECT(execl("/nowhere/at/all", "x", (char*)NULL) == -1);
    work(5);
  } else if (strcmp(how, "endless") == 0) {  // its end is not waited for
    work(5);
    CUDA(LAUNCH(endless_30000000us, NULL));
    fact("launched", 1);
    _exit(0);
  } else if (strcmp(how, "signals") == 0) {  // none is handled by a thread that the program did not make
    work(5);
    struct sigaction action = {0};
    action.sa_handler = on_signal;
    EXPECT(sigaction(SIGUSR1, &action, NULL) == 0);
    sigset_t all;
    sigfillset(&all);
    EXPECT(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);  // the only thread of the program's own
    for (int i = 0; i < 20; ++i) EXPECT(kill(getpid(), SIGUSR1) == 0);
    work(100);
    EXPECT(handled_by == 0);
    EXPECT(pthread_sigmask(SIG_UNBLOCK, &all, NULL) == 0);
    EXPECT(handled_by == getpid());
  } else if (strcmp(how, "threads") == 0) {  // many short ones
    int count = 2;
    for (int i = 0; i < 50; ++i) {
      pthread_t thread;
      EXPECT(pthread_create(&thread, NULL, in_thread, &count) == 0);
      EXPECT(pthread_join(thread, NULL) == 0);
    }
  } else if (strcmp(how, "apart") == 0) {  // one thread's work goes on while the other's comes and goes
    pthread_t thread;
    work(1);
    EXPECT(pthread_create(&thread, NULL, launch_long, NULL) == 0);
    const struct timespec rest = {0, 100000000};
    for (int i = 0; i < 40; ++i) {
      nanosleep(&rest, NULL);
      CUDA(LAUNCH(work_200us, NULL));
    }
    EXPECT(pthread_join(thread, NULL) == 0);
    CUDA(cudaDeviceSynchronize());
    after_sleep();
  } else if (strcmp(how, "subscribe") == 0) {  // with a library of that name
    if (argc > 2) EXPECT(dlopen(argv[2], RTLD_NOW) != NULL);
    work(5);
    fact("subscribed_past", subscribe_past());
  } else if (strcmp(how, "idle") == 0) {
    work(1);
    for (int i = 0; i < 10; ++i) {
      after_sleep();
      after_spin();
    }
  } else {
    return VICTIM_FAILED;
  }
  fact("done", 1);
  return 0;
}
