// A program that has its own system calls handed to itself while it computes, but those of libc (Linux 5.11).
#include <link.h>
#include <sys/prctl.h>

#include "victim.h"

static volatile char selector;
static unsigned long low, high;
static volatile long handed;

static void on_call(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)info, (void)context;
  selector = 0;
  ++handed;
}

static int find_libc(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)size, (void)unused;
  if (strstr(info->dlpi_name, "libc.so") == NULL) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* p = &info->dlpi_phdr[i];
    if (p->p_type != PT_LOAD || (p->p_flags & PF_X) == 0) continue;
    low = info->dlpi_addr + p->p_vaddr;
    high = low + p->p_memsz;
  }
  return 0;
}

int main(void) {
  dl_iterate_phdr(find_libc, NULL);
  struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO};
  sigaction(SIGSYS, &action, NULL);
  const int set_dispatch = 59;
  if (prctl(set_dispatch, 1, low, high - low, &selector) != 0) {
    fact("handed", 0);
    return 0;  // an older kernel
  }
  for (int round = 0; round < 10; ++round) {
    selector = 1;
    for (long i = 0; i < 30000000; ++i) __asm__ volatile("");
    selector = 0;
  }
  prctl(set_dispatch, 0, 0, 0, 0);
  fact("handed", handed);
  return 0;
}
