// Shuts all of its threads in at once, one of which has just begun: whatever they ask of the kernel then is death, but
// for what they need to go on and to end.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "victim.h"

static volatile int over;

static void* computes(void* unused) {
  while (!over) {
    free(malloc(5000));
    for (int k = 0; k < 100000; ++k) __asm__ volatile("");
  }
  return unused;
}

int main(void) {
  const int allowed[] = {SYS_read,           SYS_write,    SYS_brk,
                         SYS_mmap,           SYS_munmap,   SYS_mremap,
                         SYS_madvise,        SYS_exit,     SYS_exit_group,
                         SYS_futex,          SYS_mprotect, SYS_rt_sigreturn,
                         SYS_rt_sigprocmask, SYS_rseq,     SYS_set_robust_list,
                         SYS_clock_gettime};
  enum { kAllowed = sizeof(allowed) / sizeof(*allowed) };
  struct sock_filter filter[2 * kAllowed + 2], *f = filter;
  *f++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (int i = 0; i < kAllowed; ++i) {
    *f++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)allowed[i], 0, 1);
    *f++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  *f++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  const struct sock_fprog program = {(unsigned short)(f - filter), filter};
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, computes, NULL) == 0);
  EXPECT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  EXPECT(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0);
  for (int i = 0; i < 2000; ++i) {
    free(malloc(5000));
    for (int k = 0; k < 100000; ++k) __asm__ volatile("");
  }
  over = 1;
  if (pthread_join(thread, NULL) != 0 || write(1, "done\n", 5) != 5) return 1;
  syscall(SYS_exit_group, 33);
  return 1;
}
