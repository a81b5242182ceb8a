// Changes the environment while another thread is in system(), and looks for what the kernel put behind it.
//   environment_changes cleared | unset NAME | auxiliary
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "victim.h"

static void* run_shell(void* unused) {
  EXPECT(system("sleep 0.3") == 0);
  return unused;
}

static void change_meanwhile(void) {
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, run_shell, NULL) == 0);
  usleep(100000);
  EXPECT(setenv("CHANGED", "new", 1) == 0 && unsetenv("REMOVED") == 0);
  EXPECT(pthread_join(thread, NULL) == 0);
  EXPECT(strcmp(getenv("CHANGED"), "new") == 0 && getenv("REMOVED") == NULL &&
         strcmp(getenv("KEPT"), "as it was") == 0);
}

static unsigned long page_behind(char** environment) {
  while (*environment != NULL) ++environment;
  for (const ElfW(auxv_t)* a = (const void*)(environment + 1); a->a_type != AT_NULL; ++a) {
    if (a->a_type == AT_PAGESZ) return a->a_un.a_val;
  }
  return 0;
}

int main(int argc, char** argv, char** environment) {
  EXPECT(argc >= 2);
  if (strcmp(argv[1], "auxiliary") == 0) {
    EXPECT(page_behind(environment) == 4096);
    return 0;
  }
  if (strcmp(argv[1], "cleared") == 0) EXPECT(clearenv() == 0 && setenv("PATH", "/bin:/usr/bin", 1) == 0);
  EXPECT(setenv("CHANGED", "old", 1) == 0 && setenv("REMOVED", "something", 1) == 0 &&
         setenv("KEPT", "as it was", 1) == 0);
  if (argc > 2) EXPECT(unsetenv(argv[2]) == 0);
  change_meanwhile();
  if (argc > 2) EXPECT(getenv(argv[2]) == NULL);
  return 0;
}
