// Ends in the way that is asked for, after having done a known amount of work.
#include "victim.h"

static void* thread_exits(void* unused) {
  (void)unused;
  exit(11);
}

static void at_exit(void) { dprintf(1, "at exit\n"); }
static void at_quick_exit_function(void) { dprintf(1, "at quick exit\n"); }

static void* outlive(void* unused) {
  (void)unused;
  burn_ms(50);
  exit(12);
}

int main(int argc, char** argv) {
  EXPECT(argc > 1);
  const char* how = argv[1];
  EXPECT(atexit(at_exit) == 0);
  EXPECT(at_quick_exit(at_quick_exit_function) == 0);
  burn_ms(60);
  for (int i = 0; i < 5000; ++i) free(malloc(1000));
  char* nothing[] = {NULL};
  pthread_t t;
  if (strcmp(how, "return") == 0) return 10;
  if (strcmp(how, "exit") == 0) exit(10);
  if (strcmp(how, "_exit") == 0) _exit(10);
  if (strcmp(how, "_Exit") == 0) _Exit(10);
  if (strcmp(how, "quick_exit") == 0) quick_exit(10);
  if (strcmp(how, "exit_group") == 0) syscall(SYS_exit_group, 10);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "segv") == 0) *(volatile int*)16 = 1;
  if (strcmp(how, "term") == 0) raise(SIGTERM);
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  if (strcmp(how, "thread-exit") == 0 && pthread_create(&t, NULL, thread_exits, NULL) == 0) pthread_join(t, NULL);
  if (strcmp(how, "main-leaves") == 0 && pthread_create(&t, NULL, outlive, NULL) == 0) pthread_exit(NULL);
  if (strcmp(how, "exec-fails") == 0) {
    char* arguments[] = {(char*)"none", NULL};
    EXPECT(execve("/does/not/exist", arguments, nothing) == -1 && errno == ENOENT);
    EXPECT(execvp("does-not-exist-either", arguments) == -1 && errno == ENOENT);
    EXPECT(execl("/etc/passwd", "x", (char*)NULL) == -1 && errno == EACCES);
    burn_ms(60);
    for (int i = 0; i < 5000; ++i) free(malloc(1000));
    return 13;
  }
  return VICTIM_FAILED;
}
