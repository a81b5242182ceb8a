// Becomes somebody else who may not write where the run's logs are, or moves to a root directory from which they cannot
// be reached, and goes on: threads, children, allocations.
#include <grp.h>

#include "victim.h"

static void* work(void* unused) {
  burn_ms(50);
  for (int i = 0; i < 20000; ++i) free(malloc(1000 + (size_t)i));
  return unused;
}

int main(int argc, char** argv) {
  burn_ms(50);
  const int jailed = argc > 1;
  if (jailed) {
    EXPECT(chroot(argv[1]) == 0 && chdir("/") == 0);
  } else {
    EXPECT(setgroups(0, NULL) == 0);
    EXPECT(setresgid(65534, 65534, 65534) == 0);
    EXPECT(setresuid(65534, 65534, 65534) == 0);
  }
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, work, NULL) == 0 && pthread_join(thread, NULL) == 0);
  for (int i = 0; i < 3; ++i) {
    const pid_t pid = fork();
    if (pid == 0) {
      work(NULL);
      if (i == 2 && !jailed) execl("/bin/true", "/bin/true", (char*)NULL);
      _exit(0);
    }
    int status;
    EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
  }
  dprintf(1, "done\n");
  return 0;
}
