// Assembly that puts the stack pointer with which it began aside, as OpenSSL's hashes do, and says so by expressions:
// first in its frame, then right below the stack pointer, in the red zone.
//
//   saved_pointer
#include "victim.h"

// spins_in_frame(n), spins_below(n): count down. `room`: what the stack pointer is moved by before the loop; `where`:
// the offset of the word from it then, and as the expression has it.
#define SPINS(name, room, where, sleb)                                  \
  __asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name \
          ":\n.cfi_startproc\n"                                         \
          "mov %rsp, %rax\n.cfi_def_cfa_register %rax\n"                \
          "push %rbp\n.cfi_offset %rbp, -16\n"                          \
          "sub $64, %rsp\nmov %rax, 48(%rsp)\nadd $" #room              \
          ", %rsp\n"                                                    \
          ".cfi_escape 0x0f, 0x05, 0x77, " #sleb                        \
          ", 0x06, 0x23, 0x08\n"                                        \
          "xor %ebp, %ebp\n"                                            \
          "1: dec %rdi\njnz 1b\n"                                       \
          "mov " #where                                                 \
          "(%rsp), %rsi\n.cfi_def_cfa %rsi, 8\n"                        \
          "mov -8(%rsi), %rbp\n.cfi_restore %rbp\n"                     \
          "lea (%rsi), %rsp\n.cfi_def_cfa_register %rsp\nret\n.cfi_endproc\n.size " #name ", .-" #name "\n")

SPINS(spins_in_frame, 0, 48, 0x30);
SPINS(spins_below, 56, -8, 0x78);

void spins_in_frame(long n);
void spins_below(long n);

__attribute__((noinline)) static void calls_in_frame(int64_t until) {
  while (thread_cpu_ns() < until) spins_in_frame(10000000);
}
__attribute__((noinline)) static void calls_below(int64_t until) {
  while (thread_cpu_ns() < until) spins_below(10000000);
}

int main(void) {
  calls_in_frame(thread_cpu_ns() + 500000000);
  calls_below(thread_cpu_ns() + 500000000);
  return 0;
}
