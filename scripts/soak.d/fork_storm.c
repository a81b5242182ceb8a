/* fork_storm COUNT: forks so many times, as fast as it can, while three threads allocate and free; children allocate,
 * take part in a lock that the parent holds at random, start a thread, and end by _exit, exit or exec in turn. Prints
 * "ok" if each child ended as it should; a child that hangs is ended after 20 seconds, and told of. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int stop;

static void* allocate(void* argument) {
  unsigned long seed = (unsigned long)argument;
  void* blocks[64] = {0};
  while (!stop) {
    seed = seed * 6364136223846793005UL + 1442695040888963407UL;
    unsigned slot = (unsigned)(seed >> 33) % 64;
    free(blocks[slot]);
    blocks[slot] = malloc((seed >> 40) % 20000);
  }
  for (int i = 0; i < 64; ++i) free(blocks[i]);
  return NULL;
}

static void* small_thread(void* argument) {
  free(malloc(5000));
  return argument;
}

static void child(unsigned turn) {
  alarm(20);
  for (int i = 1; i < 50; ++i) free(malloc((size_t)i * 100));
  pthread_t thread;
  if (pthread_create(&thread, NULL, small_thread, NULL)) _exit(3);
  pthread_join(thread, NULL);
  switch (turn % 3) {
    case 0:
      _exit(7);
    case 1:
      exit(7);
    default:
      execl("/bin/sh", "sh", "-c", "exit 7", (char*)NULL);
      _exit(4);
  }
}

int main(int argc, char** argv) {
  const unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
  pthread_t threads[3];
  for (unsigned long t = 0; t < 3; ++t) {
    if (pthread_create(&threads[t], NULL, allocate, (void*)(t + 1))) return 1;
  }
  unsigned forks = 0, wrong = 0;
  for (; forks < count; ++forks) {
    pid_t pid = fork();
    if (pid == 0) child(forks);
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 7) {
      ++wrong;
      fprintf(stderr, "fork %u: status %#x\n", forks, (unsigned)status);
    }
  }
  stop = 1;
  for (int t = 0; t < 3; ++t) pthread_join(threads[t], NULL);
  fprintf(stderr, "%u forks\n", forks);
  puts(wrong ? "wrong" : "ok");
  return wrong != 0;
}
