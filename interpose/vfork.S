// vfork, as a jump to libc's: the child runs on its parent's stack, and a frame of ours would be gone when the parent
// comes back to it. On the way the thread notes that it may be in a child, which must not store anything where its
// parent finds it: in_vfork_child of wait/call.hpp.
#if !defined(__x86_64__)
#error "port interpose/vfork.S"
#endif

#define VFORKED 48  // of Tls; vfork.cpp compares

  .text
  .globl vfork, __vfork
  .type vfork, @function
  .type __vfork, @function
  .p2align 4
vfork:
__vfork:
  .cfi_startproc
  endbr64
  movq _ZN4prof3tlsE@gottpoff(%rip), %rax
  movb $1, %fs:VFORKED(%rax)
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call prof_find_vfork
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  jmp *%rax
  .cfi_endproc
  .size vfork, . - vfork
  .size __vfork, . - __vfork

  .section .note.GNU-stack, "", @progbits
