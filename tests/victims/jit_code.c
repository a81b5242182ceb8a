// Runs code that no unwinder knows: made at run time, without unwind rows, with wild values where frame pointers live.
#include "victim.h"

#if defined(__x86_64__)
static const unsigned char code[] = {
    0x55,                                                        // push rbp
    0x53,                                                        // push rbx
    0x48, 0xbd, 0xf8, 0xff, 0xef, 0xbe, 0xad, 0xde, 0x00, 0x00,  // mov rbp, 0x0000deadbeeffff8
    0x48, 0xbb, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0x7f,  // mov rbx, 0x7fff000000000001
    0x53,                                                        // push rbx (a false return address)
    0x55,                                                        // push rbp
    0x48, 0xff, 0xcf,                                            // again: dec rdi
    0x75, 0xfb,                                                  // jnz again
    0x48, 0x83, 0xc4, 0x10,                                      // add rsp, 16
    0x5b,                                                        // pop rbx
    0x5d,                                                        // pop rbp
    0xc3,                                                        // ret
};
#elif defined(__aarch64__)
static const unsigned int code[] = {
    0xa9bf7bfd,  // stp x29, x30, [sp, -16]!
    0xd29ffffd,  // mov x29, 0xffff
    0xf1000400,  // again: subs x0, x0, 1
    0x54ffffe1,  // b.ne again
    0xa8c17bfd,  // ldp x29, x30, [sp], 16
    0xd65f03c0,  // ret
};
#endif

static void* run(void* made) {
  void (*spin)(long) = (void (*)(long))made;
  const int64_t until = thread_cpu_ns() + 300000000;
  while (thread_cpu_ns() < until) {
    spin(3000000);
    free(malloc(200000));
  }
  return NULL;
}

int main(void) {
  void* made = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(made != MAP_FAILED);
  memcpy(made, code, sizeof code);
  __builtin___clear_cache((char*)made, (char*)made + sizeof code);
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, run, made) == 0);
  run(made);
  EXPECT(pthread_join(thread, NULL) == 0);
  fact("cpu_ns", rusage_cpu_ns());
  return 0;
}
