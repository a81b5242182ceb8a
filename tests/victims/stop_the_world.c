// Stops the world by signals, as Boehm's collector and Mono's do: the thread that is stopped waits in its handler, and
// the collector goes on with whatever the stopped one was at. Every call here may be made while a thread is stopped
// anywhere: none of them takes a lock in libc.
#include <fcntl.h>
#include <semaphore.h>

#include "victim.h"

#define MUTATORS 2

static sem_t stopped;
static volatile sig_atomic_t resumed;
static volatile long rounds;
static pthread_t mutators[MUTATORS];

static void stop(int signal) {
  (void)signal;
  const int saved = errno;
  sigset_t mask;
  sigfillset(&mask);
  sigdelset(&mask, SIGUSR2);
  sem_post(&stopped);
  while (!resumed) sigsuspend(&mask);
  sem_post(&stopped);
  errno = saved;
}

static void go_on(int signal) { (void)signal; }

static void give_up(int signal) {
  (void)signal;
  dprintf(2, "it hangs after %ld rounds\n", rounds);
  _exit(VICTIM_FAILED);
}

static void map_some(long bytes) {
  void* p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(p != MAP_FAILED);
  EXPECT(munmap(p, bytes) == 0);
}

static void look_for(long number, long who) {
  char name[] = "/tmp/none/00/0000000";
  for (int i = 19; number != 0; number /= 10) name[i--] = (char)('0' + number % 10);
  name[10] = (char)('0' + who);
  const int fd = open(name, O_RDONLY);
  if (fd >= 0) close(fd);
}

static void* mutate(void* who) {
  for (long i = 0;; ++i) {
    map_some(8192);
    if (i % 8 == 0) look_for(i % 1000000, (long)who);
  }
  return NULL;
}

static void wait_for_all(void) {
  for (int i = 0; i < MUTATORS; ++i) {
    while (sem_wait(&stopped) != 0) EXPECT(errno == EINTR);
  }
}

static void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler};
  sigfillset(&action.sa_mask);
  EXPECT(sigaction(signal, &action, NULL) == 0);
}

int main(int argc, char** argv) {
  const long count = argument(argc, argv, 1, 3000), mappings = argument(argc, argv, 2, 1000);
  sem_init(&stopped, 0, 0);
  for (long i = 0; i < mappings; ++i)
    EXPECT(mmap(NULL, 8192, i & 1 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
           MAP_FAILED);
  handle(SIGUSR1, stop);
  handle(SIGUSR2, go_on);
  signal(SIGALRM, give_up);
  sigset_t alarm_only;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarm_only, NULL);
  for (long i = 0; i < MUTATORS; ++i) EXPECT(pthread_create(&mutators[i], NULL, mutate, (void*)i) == 0);
  pthread_sigmask(SIG_UNBLOCK, &alarm_only, NULL);
  uint32_t random = 1;
  for (rounds = 0; rounds < count; ++rounds) {
    alarm(20);
    resumed = 0;
    for (int i = 0; i < MUTATORS; ++i) pthread_kill(mutators[i], SIGUSR1);
    wait_for_all();
    map_some(65536);
    if (rounds % 8 == 0) look_for(rounds, 9);
    resumed = 1;
    for (int i = 0; i < MUTATORS; ++i) pthread_kill(mutators[i], SIGUSR2);
    wait_for_all();
    for (volatile uint32_t k = next_random(&random) % 3000; k > 0; --k) continue;
  }
  fact("rounds", rounds);
  _exit(0);
}
