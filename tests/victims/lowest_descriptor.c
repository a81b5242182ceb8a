// Opens files beside threads that burn, start, end, map code and make the profiler's log grow, and looks whether each
// gets the lowest free number; its children look for descriptors that are not the program's.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "victim.h"

static volatile int done;

static void* burns(void* unused) {
  while (!done) __asm__ volatile("");
  return unused;
}
static void* burns_briefly(void* unused) {
  burn_ms(30);
  return unused;
}
static void* starts_others(void* unused) {
  while (!done) {
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, burns_briefly, NULL) == 0 && pthread_join(thread, NULL) == 0);
  }
  return unused;
}
// Each chain of calls is another one to the profiler: its log grows.
static void* left(long bits, int depth);
static void* right(long bits, int depth);
static void* nest(long bits, int depth) {
  if (depth == 0) return malloc(100);
  return bits & 1 ? left(bits >> 1, depth - 1) : right(bits >> 1, depth - 1);
}
static void* left(long bits, int depth) { return nest(bits, depth); }
static void* right(long bits, int depth) { return nest(bits, depth); }
static void* allocates(void* unused) {
  for (long i = 0; !done; ++i) free(nest(i, 18));
  return unused;
}

// The profiler looks where code comes from that a program maps itself.
enum { kOwnFile = 50 };
static void* maps_code(void* unused) {
  while (!done) {
    void* code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, kOwnFile, 0);
    EXPECT(code != MAP_FAILED && munmap(code, 4096) == 0);
  }
  return unused;
}

static int open_descriptors(void) {
  int n = 0;
  for (int fd = 3; fd < 100; ++fd) n += fcntl(fd, F_GETFD) != -1;
  return n;
}

// Begins anew on a kernel that does not know close_range.
static void begin_on_older_kernel(char** argv) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog filter = {sizeof rules / sizeof *rules, rules};
  EXPECT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0);
  argv[2] = NULL;
  execv("/proc/self/exe", argv);
  EXPECT(!"exec");
}

int main(int argc, char** argv) {
  const long ms = argument(argc, argv, 1, 2000);
  if (argc > 2) begin_on_older_kernel(argv);
  const int own = open("/proc/self/exe", O_RDONLY);
  EXPECT(dup2(own, kOwnFile) == kOwnFile && close(own) == 0);
  const int before = open_descriptors();
  pthread_t thread[4];
  EXPECT(pthread_create(&thread[0], NULL, burns, NULL) == 0);
  EXPECT(pthread_create(&thread[1], NULL, starts_others, NULL) == 0);
  EXPECT(pthread_create(&thread[2], NULL, allocates, NULL) == 0);
  EXPECT(pthread_create(&thread[3], NULL, maps_code, NULL) == 0);
  long opened = 0, others = 0, inherited = 0;
  for (const int64_t end = now_ns() + ms * 1000000; now_ns() < end;) {
    for (int i = 0; i < 2000; ++i, ++opened) {
      const int fd = open("/dev/null", O_RDONLY);
      others += fd != 3;
      EXPECT(close(fd) == 0);
    }
    const pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) _exit(open_descriptors());
    int status;
    EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status));
    inherited += WEXITSTATUS(status) - before;
  }
  done = 1;
  for (int i = 0; i < 4; ++i) EXPECT(pthread_join(thread[i], NULL) == 0);
  fact("opened", opened);
  fact("others", others);
  fact("inherited", inherited);
  return 0;
}
