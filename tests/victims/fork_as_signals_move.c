// One thread takes one real-time signal after the other while another forks: a child is made with the signals' actions
// as they were, and with memory as it is a little later. Each child uses the processor and must end well; the thread
// that forks must have the signals blocked that it had.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

enum { processes = 8, last_signal = 62, first_signal = 40 };

static int done;

static void on_signal(int number) { (void)number; }

static void* take_signals(void* unused) {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_handler = on_signal;
  for (int s = last_signal; s >= first_signal; --s) {
    EXPECT(sigaction(s, &action, NULL) == 0);
    usleep(300);
  }
  __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  return unused;
}

static void expect_none_blocked(void) {
  sigset_t blocked;
  EXPECT(pthread_sigmask(SIG_SETMASK, NULL, &blocked) == 0);
  for (int s = first_signal; s <= last_signal; ++s) EXPECT(sigismember(&blocked, s) == 0);
}

static void wait_for(pid_t pid) {
  int status = 0;
  EXPECT(waitpid(pid, &status, 0) == pid);
  if (status != 0) fprintf(stderr, "child ended with status %x\n", status);
  EXPECT(status == 0);
}

static void forks(void) {
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, take_signals, NULL) == 0);
  pid_t children[10000];
  int count = 0;
  while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE) && count < 10000) {
    const pid_t pid = fork();
    EXPECT(pid >= 0);
    if (pid == 0) {
      BURN_NS(2 * 1000 * 1000);
      _exit(0);
    }
    children[count++] = pid;
    expect_none_blocked();
  }
  for (int i = 0; i < count; ++i) wait_for(children[i]);
  EXPECT(pthread_join(thread, NULL) == 0);
}

int main(void) {
  for (int i = 0; i < processes; ++i) {
    const pid_t pid = fork();
    EXPECT(pid >= 0);
    if (pid == 0) {
      forks();
      _exit(0);
    }
    wait_for(pid);
  }
  puts("done");
  return 0;
}
